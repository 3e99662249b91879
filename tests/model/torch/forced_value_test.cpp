#include "model/torch/forced_value.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/collecting_sink.h"
#include "model/torch/bridge.h"
#include "model/torch/tap_emitter.h"

namespace parity::model {
namespace {

struct Layout {
  const char* name;
  at::Tensor tensor;
};

TEST(ForcedValue, IsWrittenThroughEveryLayoutAndCastToTheTensorsDtype) {
  const at::Tensor base = at::zeros({2, 3, 4});
  const std::vector<Layout> layouts = {
      {"contiguous", base.clone()},
      {"transposed", at::zeros({2, 4, 3}).transpose(1, 2)},
      {"a slice", at::zeros({2, 3, 9}).slice(2, 1, 9, 2)},
      {"channels last", at::zeros({2, 4, 3}).permute({0, 2, 1})},
      {"bfloat16", at::zeros({2, 3, 4}, at::kBFloat16)},
      {"float64", at::zeros({2, 3, 4}, at::kDouble)},
  };
  const at::Tensor value = at::arange(24, at::kFloat).view({2, 3, 4});
  const tensor::HostTensor host = to_host(value);
  for (const Layout& layout : layouts) {
    const auto strides = layout.tensor.strides().vec();
    EXPECT_EQ(overwrite(layout.tensor, host.view()), "") << layout.name;
    EXPECT_TRUE(layout.tensor.to(at::kFloat).equal(value)) << layout.name;
    EXPECT_EQ(layout.tensor.strides().vec(), strides) << layout.name;
  }
}

TEST(ForcedValue, IsSeenByWhoeverLooksAtTheSameMemory) {
  const at::Tensor whole = at::zeros({4});
  const at::Tensor part = whole.slice(0, 1, 3);
  EXPECT_EQ(overwrite(part, to_host(at::full({2}, 5.0F)).view()), "");
  EXPECT_TRUE(whole.equal(at::tensor({0.0F, 5.0F, 5.0F, 0.0F})));
}

TEST(ForcedValue, OfAnExpandedTensorIsWrittenOnce) {
  const at::Tensor row = at::zeros({1, 3});
  const at::Tensor value = at::tensor({1.0F, 2.0F, 3.0F}).expand({4, 3});
  EXPECT_EQ(overwrite(row.expand({4, 3}), to_host(value).view()), "");
  EXPECT_TRUE(row.view({3}).equal(at::tensor({1.0F, 2.0F, 3.0F})));
}

TEST(ForcedValue, MayHaveNoElementsOrNoDimensions) {
  EXPECT_EQ(overwrite(at::zeros({3, 0}), to_host(at::zeros({3, 0})).view()), "");
  const at::Tensor scalar = at::zeros({});
  EXPECT_EQ(overwrite(scalar, to_host(at::full({}, 2.0F)).view()), "");
  EXPECT_EQ(scalar.item<float>(), 2.0F);
}

TEST(ForcedValue, OfAnotherShapeIsRefused) {
  const at::Tensor tensor = at::zeros({2, 3});
  EXPECT_EQ(overwrite(tensor, to_host(at::ones({3, 2})).view()), "its shape is another");
  EXPECT_TRUE(tensor.equal(at::zeros({2, 3})));
}

/// Hands out 7 everywhere, in the shape it is told.
class ForcingSink final : public run::TapSink {
 public:
  explicit ForcingSink(const at::Tensor& value) : value_(to_host(value)) {}
  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    seen.on_tap(id, value);
  }
  void on_skipped(const run::TapId& id, const std::string& reason) override {
    seen.on_skipped(id, reason);
  }
  std::optional<tensor::TensorView> forced_value(const run::TapId& id) override {
    asked.push_back(run::to_string(id));
    return value_.view();
  }
  void on_not_forced(const run::TapId& id, const std::string& reason) override {
    refused.emplace_back(run::to_string(id), reason);
  }

  CollectingSink seen;
  std::vector<std::string> asked;
  std::vector<std::pair<std::string, std::string>> refused;

 private:
  tensor::HostTensor value_;
};

TEST(TapEmitter, CapturesFirstAndForcesThenWithEveryPartOfANestedOutput) {
  ForcingSink sink(at::full({2}, 7.0F));
  TapEmitter emitter(sink);
  const at::Tensor first = at::zeros({2});
  const at::Tensor second = at::ones({2});
  const at::Tensor odd = at::ones({3});
  emitter.module_output("m", c10::ivalue::Tuple::create({first, second, odd}));
  EXPECT_EQ(sink.asked, (std::vector<std::string>{"m:0", "m:1", "m:2"}));
  EXPECT_TRUE(to_torch(sink.seen.tensors.at("m:0")).equal(at::zeros({2})));
  EXPECT_TRUE(first.equal(at::full({2}, 7.0F)));
  EXPECT_TRUE(second.equal(at::full({2}, 7.0F)));
  ASSERT_EQ(sink.refused.size(), 1U);
  EXPECT_EQ(sink.refused[0].first, "m:2");
  EXPECT_TRUE(odd.equal(at::ones({3})));
}

}  // namespace
}  // namespace parity::model
