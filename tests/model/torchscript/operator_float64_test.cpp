// Each operator of a segment against its float64 value from the inputs it was given.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "model/collecting_sink.h"
#include "model/operator_trace.h"
#include "model/torchscript/script_fixture.h"

namespace parity::model {
namespace {

/// `layer` runs `body`, which turns `a` into `b`.
std::unique_ptr<OperatorTrace> traced(const std::string& name, const std::string& body,
                                      run::Settings settings = cpu_settings()) {
  ScriptSpec layer;
  layer.source = "def forward(self, a):\n" + body + "    return b\n";
  ScriptSpec spec;
  spec.children.emplace_back("layer", layer);
  spec.source = "def forward(self, x):\n    return self.layer.forward(x)\n";
  const auto model = open_script(save_script(spec, name), settings);
  CollectingSink sink;
  return trace_operators(*model, arguments(counting({3, 4})),
                         {std::nullopt, {run::TapKind::module, "layer", "", 0, ""}}, sink);
}

std::vector<double> doubles_of(const tensor::HostTensor& tensor) {
  EXPECT_EQ(tensor.dtype(), tensor::DType::float64);
  std::vector<double> values(tensor.bytes().size() / sizeof(double));
  std::memcpy(values.data(), tensor.bytes().data(), tensor.bytes().size());
  return values;
}

std::vector<float> floats_of(const tensor::HostTensor& tensor) {
  EXPECT_EQ(tensor.dtype(), tensor::DType::float32);
  std::vector<float> values(tensor.bytes().size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes().data(), tensor.bytes().size());
  return values;
}

/// Largest error relative to the largest value.
double own_error(const OwnValue& value) {
  const std::vector<double> exact = doubles_of(value.exact);
  const std::vector<float> candidate = floats_of(value.candidate);
  double error = 0;
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(candidate.at(i)) - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  return error / largest;
}

TEST(OperatorInFloat64, IsWithinRoundingOfAHealthyOperator) {
  for (const char* body :
       {"    b = torch.exp(a * 0.1)\n", "    b = torch.softmax(a, 1)\n",
        "    b = torch.matmul(a, a.t())\n", "    b = torch.cat([a * 0.3, a / 7.0], 0)\n",
        "    b = a * 0.1\n    b.add_(a / 3.0)\n",
        "    b = torch.ones(3, 4)\n    b[:, 1] = a[:, 0]\n",
        "    b = torch.empty(3, 4)\n    b.copy_(a)\n",
        "    b = a.mul_(torch.tensor([0.1, 1.0, 2.0, 3.0]))\n"}) {
    const auto trace = traced("healthy", body);
    ASSERT_FALSE(trace->operators().empty()) << body;
    for (std::size_t i = 0; i < trace->operators().size(); ++i) {
      const OwnValues own = trace->in_float64(i);
      EXPECT_EQ(own.not_judged, "") << trace->operators()[i].name << " in" << body;
      for (const OwnValue& value : own.values)
        EXPECT_LT(own_error(value), 1e-6) << trace->operators()[i].name << " in" << body;
    }
  }
}

TEST(OperatorInFloat64, FindsTheOneThatRoundsToLessThanItsDtype) {
  const auto trace = traced("sloppy", "    b = torch.relu(parity_sloppy.third(a * 0.7)) + 1.0\n");
  ASSERT_EQ(trace->operators().size(), 4U);
  EXPECT_EQ(trace->operators()[1].name, "parity_sloppy.third");
  for (std::size_t i = 0; i < 4; ++i) {
    const OwnValues own = trace->in_float64(i);
    ASSERT_EQ(own.values.size(), 1U) << own.not_judged;
    if (i == 1) {
      EXPECT_GT(own_error(own.values[0]), 1e-3);
    } else {
      EXPECT_LT(own_error(own.values[0]), 1e-6);
    }
  }
}

TEST(OperatorInFloat64, TakesAnInPlaceOperatorsInputsAsTheyWere) {
  const auto trace = traced("in_place_sloppy",
                            "    b = a * 1.0\n    parity_sloppy.third_(b)\n    b.mul_(100.0)\n");
  ASSERT_EQ(trace->operators().size(), 3U);
  const OwnValues own = trace->in_float64(1);
  ASSERT_EQ(own.values.size(), 1U) << own.not_judged;
  EXPECT_NEAR(doubles_of(own.values[0].exact).at(0), 0.5 / 3, 1e-15);
  EXPECT_GT(own_error(own.values[0]), 1e-3);
}

TEST(OperatorInFloat64, MovesTheInputsByOneRoundingEach) {
  const auto trace = traced("moved", "    b = a * 1.0\n");
  const OwnValues own = trace->in_float64(0);
  ASSERT_EQ(own.values.size(), 1U) << own.not_judged;
  const std::vector<double> exact = doubles_of(own.values[0].exact);
  const std::vector<double> moved = doubles_of(own.values[0].moved);
  for (std::size_t i = 0; i < exact.size(); ++i)
    EXPECT_NEAR(std::abs(moved.at(i) / exact[i] - 1), std::pow(2.0, -24), 1e-12) << i;
}

/// Two inputs that cancel are moved each on its own: moved alike, their difference would stay.
TEST(OperatorInFloat64, MovesEachInputByTurnsOfItsOwn) {
  const auto trace = traced("moved_apart", "    c = a * 1.000001\n    b = c - a\n");
  const OwnValues own = trace->in_float64(1);
  ASSERT_EQ(own.values.size(), 1U) << own.not_judged;
  const std::vector<double> exact = doubles_of(own.values[0].exact);
  const std::vector<double> moved = doubles_of(own.values[0].moved);
  std::size_t apart = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    apart += std::abs(moved.at(i) - exact[i]) > 0.05 * std::abs(exact[i]) ? 1U : 0U;
  EXPECT_GT(apart, 2U) << "of 12 elements";
  EXPECT_LT(apart, 10U) << "by turns that have no pattern";
}

TEST(OperatorInFloat64, HasNothingToSayOfAView) {
  const auto trace = traced("view", "    b = a.view(4, 3) + 1.0\n");
  const OwnValues own = trace->in_float64(0);
  EXPECT_EQ(own.not_judged, "");
  EXPECT_TRUE(own.values.empty());
}

TEST(OperatorInFloat64, SaysWhyAnOperatorIsNotJudged) {
  struct Row {
    const char* name;
    const char* body;
    std::size_t place;
    const char* reason;
  };
  const std::vector<Row> rows = {
      {"random", "    b = torch.dropout(a, 0.5, True)\n", 0, "draws random numbers"},
      {"overlap", "    b = a * 1.0\n    b.mul_(b)\n", 1, "another argument"},
      {"wide", "    b = a.double() + 1.0\n", 1, "float64 already"},
      {"choice", "    b = parity_sloppy.third_is_larger(a)\n", 0, "may turn on their last bit"},
      {"narrow_only", "    b = parity_sloppy.float32_only(a)\n", 0,
       "does not run in float64 on the CPU: takes float32 alone"},
  };
  for (const Row& row : rows) {
    const auto trace = traced(row.name, row.body);
    ASSERT_GT(trace->operators().size(), row.place) << row.name;
    const OwnValues own = trace->in_float64(row.place);
    EXPECT_NE(own.not_judged.find(row.reason), std::string::npos)
        << row.name << ": " << own.not_judged;
    EXPECT_TRUE(own.values.empty()) << row.name;
  }
}

TEST(OperatorInFloat64, JudgesAnOperatorThatCouldDrawRandomNumbersButDoesNot) {
  const OwnValues own = traced("calm", "    b = torch.dropout(a, 0.0, True)\n")->in_float64(0);
  EXPECT_EQ(own.not_judged, "");
}

TEST(OperatorInFloat64, TakesWhatTheDtypeCannotHoldForInfinity) {
  run::Settings settings = cpu_settings();
  settings.dtype = tensor::DType::float16;
  const OwnValues own = traced("large", "    b = a * 30000.0\n", settings)->in_float64(0);
  ASSERT_EQ(own.values.size(), 1U) << own.not_judged;
  EXPECT_EQ(doubles_of(own.values[0].exact).at(0), 15000);
  EXPECT_TRUE(std::isinf(doubles_of(own.values[0].exact).at(11)));
}

}  // namespace
}  // namespace parity::model
