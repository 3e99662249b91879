// What the digests of a TorchScript file's weights cover: every tensor that can change its outputs.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/torchscript/script_fixture.h"

namespace parity::model {
namespace {

std::vector<std::string> weight_names(const Model& model) {
  std::vector<std::string> names;
  for (const run::WeightDigest& weight : model.description().weights) names.push_back(weight.name);
  return names;
}

ScriptSpec around(const ScriptSpec& child) {
  ScriptSpec spec = linear_spec(2);
  spec.children.emplace_back("inner", child);
  spec.source =
      "def forward(self, x):\n    return self.inner.forward(torch.matmul(x, self.weight))\n";
  return spec;
}

ScriptSpec with_constants() {
  ScriptSpec child;
  child.constants.emplace_back("shift", integers({2}, {3, 4}));
  child.constants.emplace_back("scale", counting({2}));
  child.source =
      "def forward(self, x):\n"
      "    if bool(x.sum() > 0.0):\n        x = x + self.shift\n"
      "    return x\n"
      "def scaled(self, x):\n    return x * self.scale\n";
  return child;
}

TEST(ScriptWeights, CoverConstantsOfEveryMethodBesideParameters) {
  const auto model = open_script(save_script(around(with_constants()), "constants"));
  EXPECT_EQ(weight_names(*model), (std::vector<std::string>{"inner.forward.constant0",
                                                            "inner.scaled.constant0", "weight"}));
  const std::vector<run::WeightDigest>& weights = model->description().weights;
  EXPECT_EQ(weights.at(0).digest, tensor::digest_of(integers({2}, {3, 4}).bytes()));
  EXPECT_EQ(weights.at(1).digest, tensor::digest_of(counting({2}).bytes()));
  EXPECT_EQ(model->description().all_weights, run::digest_of_weights(weights));
  EXPECT_EQ(model->description().parameter_count, 4U) << "constants are no parameters";
}

TEST(ScriptWeights, CountConstantsWhereNoParameterIsLeft) {
  const auto model = open_script(save_script(with_constants(), "constants_alone"));
  EXPECT_EQ(weight_names(*model),
            (std::vector<std::string>{"forward.constant0", "scaled.constant0"}));
  EXPECT_EQ(model->description().parameter_count, 4U);
}

TEST(ScriptWeights, CoverTensorsThatAreNeitherParameterNorBuffer) {
  ScriptSpec child;
  child.attributes.emplace_back("table", integers({2}, {3, 4}));
  child.source = "def forward(self, x):\n    return x + self.table\n";
  const auto model = open_script(save_script(around(child), "attribute"));
  EXPECT_EQ(weight_names(*model), (std::vector<std::string>{"inner.table", "weight"}));
  EXPECT_EQ(model->description().weights.at(0).digest,
            tensor::digest_of(integers({2}, {3, 4}).bytes()));
}

TEST(ScriptWeights, KeepTheirNamesApart) {
  ScriptSpec child;
  child.attributes.emplace_back("constant0", counting({2}));
  child.source = "def forward(self, x):\n    return x + self.constant0\n";
  ScriptSpec spec;
  spec.constants.emplace_back("shift", integers({2}, {3, 4}));
  spec.children.emplace_back("encode", child);
  spec.source =
      "def forward(self, x):\n    return self.encode.forward(x)\n"
      "def other(self, x):\n    return x + self.shift\n";
  const auto model = open_script(save_script(spec, "names_apart"));
  std::vector<std::string> names = weight_names(*model);
  EXPECT_EQ(names, (std::vector<std::string>{"encode.constant0", "other.constant0"}));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(ScriptWeights, NameTheModuleWhoseWeightsArePacked) {
  ScriptSpec child;
  child.packed.emplace_back("_packed_params", counting({2, 2}));
  child.source = "def forward(self, x):\n    return x\n";
  const auto model = open_script(save_script(around(child), "packed"));
  EXPECT_EQ(weight_names(*model), (std::vector<std::string>{"weight"}));
  ASSERT_EQ(model->notes().size(), 1U);
  const std::string note = model->notes().at(0);
  for (const char* part : {"module inner is not wholly covered by the weights check",
                           "inner._packed_params", "packed (LinearPackedParamsBase)"}) {
    EXPECT_NE(note.find(part), std::string::npos) << part << " is missing in: " << note;
  }
}

}  // namespace
}  // namespace parity::model
