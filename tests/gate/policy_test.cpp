#include "gate/policy.h"

#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::gate {
namespace {

Policy small_policy() {
  Policy policy;
  policy.name = "mine";
  policy.dtypes = {{tensor::DType::float32, {{"nrmse", 1e-6, 1e-5, "measured last week"}}}};
  policy.logits = {{"kl.mean", 1e-4, 1e-3, "measured last week"}};
  return policy;
}

TEST(Policy, RefusesWhatCannotJudge) {
  const struct {
    std::string what;
    std::function<void(Policy&)> change;
    std::string message;
  } rows[] = {
      {"unknown metric", [](Policy& p) { p.dtypes[0].bounds[0].metric = "rmse"; },
       "there is no metric 'rmse'"},
      {"logits metric on a tap", [](Policy& p) { p.dtypes[0].bounds[0].metric = "kl.mean"; },
       "no metric 'kl.mean'"},
      {"tap metric on logits", [](Policy& p) { p.logits[0].metric = "nrmse"; },
       "no metric 'nrmse'"},
      {"no origin", [](Policy& p) { p.dtypes[0].bounds[0].origin = ""; }, "has no origin"},
      {"NaN limit",
       [](Policy& p) { p.dtypes[0].bounds[0].fail = std::numeric_limits<double>::quiet_NaN(); },
       "give numbers of 0 or more"},
      {"negative limit", [](Policy& p) { p.dtypes[0].bounds[0].warn = -1; },
       "give numbers of 0 or more"},
      {"warn beyond fail", [](Policy& p) { p.dtypes[0].bounds[0].warn = 1e-4; }, "swap them"},
      {"warn beyond fail, the other way round",
       [](Policy& p) {
         p.logits[0] = {"top1_agreement", 0.9, 0.99, "measured last week"};
       },
       "swap them"},
      {"no bounds for a dtype", [](Policy& p) { p.dtypes[0].bounds.clear(); },
       "float32: there is no bound"},
      {"no bounds for logits", [](Policy& p) { p.logits.clear(); }, "logits: there is no bound"},
      {"cosine alone",
       [](Policy& p) {
         p.dtypes[0].bounds = {{"cosine", 0.999, 0.99, "folklore"}};
       },
       "cosine alone"},
      {"a tolerance of 1", [](Policy& p) { p.dtypes[0].bounds[0].fail = 1; },
       "accepts any tensor of zeros"},
      {"below the spacing",
       [](Policy& p) {
         p.dtypes[0].bounds[0] = {"nrmse", 0, 1e-9, "wishful"};
       },
       "below one rounding"},
  };
  for (const auto& row : rows) {
    Policy policy = small_policy();
    row.change(policy);
    try {
      validate(policy);
      ADD_FAILURE() << "accepted: " << row.what;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << row.what;
      EXPECT_NE(std::string(error.what()).find(row.message), std::string::npos)
          << row.what << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find("'mine'"), std::string::npos)
          << row.what << ": " << error.what();
    }
  }
}

TEST(Policy, AcceptsWhatCanJudge) {
  EXPECT_NO_THROW(validate(small_policy()));
  Policy equal_bits = small_policy();
  equal_bits.dtypes[0].bounds = {{"nrmse", 0, 0, "the same device twice"}};
  EXPECT_NO_THROW(validate(equal_bits));
  Policy with_cosine = small_policy();
  with_cosine.dtypes[0].bounds.push_back({"cosine", 0.9999, 0.999, "beside nrmse"});
  EXPECT_NO_THROW(validate(with_cosine));
}

TEST(Policy, NamesTheDtypeItSaysNothingAbout) {
  try {
    (void)small_policy().for_dtype(tensor::DType::int8);
    FAIL() << "bounds for int8 from nowhere";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("int8"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace parity::gate
