#include "model/torch/bridge.h"

#include <cstring>
#include <set>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/torch/cast.h"

namespace parity::model {
namespace {

tensor::HostTensor host_of(const at::Tensor& tensor) { return to_host(tensor); }

TEST(DTypes, MapOneToOneWithEqualSizes) {
  std::set<at::ScalarType> seen;
  for (const tensor::DType dtype : tensor::all_dtypes()) {
    const at::ScalarType type = scalar_type_of(dtype);
    EXPECT_TRUE(seen.insert(type).second) << tensor::name(dtype);
    EXPECT_EQ(dtype_of(type), dtype);
    EXPECT_EQ(at::elementSize(type), tensor::size_bytes(dtype));
  }
  for (const at::ScalarType type : {at::kQInt8, at::kComplexHalf, at::kBits8})
    EXPECT_EQ(dtype_of(type), std::nullopt);
}

TEST(HostTensors, KeepBitsBothWays) {
  const at::Tensor tensor = at::randn({3, 4}).to(at::kBFloat16).t();
  const tensor::HostTensor host = host_of(tensor);
  EXPECT_EQ(host.dtype(), tensor::DType::bfloat16);
  EXPECT_EQ(host.shape(), (tensor::Shape{4, 3}));
  EXPECT_TRUE(at::equal(to_torch(host), tensor));
}

TEST(HostTensors, AreCopiesThatALaterWriteDoesNotReach) {
  at::Tensor tensor = at::zeros({2});
  const tensor::HostTensor host = host_of(tensor);
  tensor.add_(1.0);
  EXPECT_EQ(to_torch(host)[0].item<float>(), 0.0F);
}

TEST(HostTensors, MayBeEmptyOrHaveNoDimension) {
  EXPECT_EQ(to_torch(host_of(at::empty({0, 3}))).sizes(), (at::IntArrayRef{0, 3}));
  EXPECT_EQ(to_torch(host_of(at::scalar_tensor(2.5))).item<float>(), 2.5F);
}

TEST(Values, BecomeCopiesWithFloatingTensorsCastAndTheRestKept) {
  const tensor::HostTensor floating = host_of(at::ones({2}));
  const tensor::HostTensor whole = host_of(at::ones({2}, at::kLong));
  const tensor::Value value{
      tensor::ValueTuple{{{floating}, {whole}, {std::int64_t{3}}, {}, {std::string("s")}}}};
  const c10::IValue converted = to_ivalue(value, at::kCPU, Cast{std::nullopt, at::kHalf});
  const std::vector<c10::IValue> items = converted.toTupleRef().elements().vec();
  EXPECT_EQ(items[0].toTensor().scalar_type(), at::kHalf);
  EXPECT_EQ(items[1].toTensor().scalar_type(), at::kLong);
  EXPECT_EQ(items[2].toInt(), 3);
  EXPECT_TRUE(items[3].isNone());
  EXPECT_EQ(items[4].toStringRef(), "s");
  const c10::IValue kept = to_ivalue({floating}, at::kCPU, Cast{});
  kept.toTensor().add_(1.0);
  EXPECT_EQ(to_torch(floating)[0].item<float>(), 1.0F) << "the caller's bytes were written to";
}

TEST(Values, LoseWhatTheRoundingDtypeCannotHoldBeforeTheyAreWidened) {
  const at::Tensor third = at::full({1}, 1.0 / 3, at::kDouble);
  const tensor::Value value{
      tensor::ValueTuple{{{host_of(third)}, {host_of(at::full({1}, 257, at::kLong))}}}};
  const c10::IValue converted = to_ivalue(value, at::kCPU, Cast{at::kBFloat16, at::kDouble});
  const std::vector<c10::IValue> items = converted.toTupleRef().elements().vec();
  EXPECT_EQ(items[0].toTensor().item<double>(), 0.333984375) << "1/3 in bfloat16";
  EXPECT_EQ(items[1].toTensor().item<std::int64_t>(), 257);
}

TEST(Values, MakeListsAndDictsOfTheirElementsType) {
  const tensor::HostTensor host = host_of(at::ones({2}));
  EXPECT_TRUE(to_ivalue({tensor::ValueList{{{host}, {host}}}}, at::kCPU, Cast{}).isTensorList());
  EXPECT_TRUE(to_ivalue({tensor::ValueList{{{std::int64_t{1}}}}}, at::kCPU, Cast{}).isIntList());
  const c10::IValue mixed = to_ivalue({tensor::ValueList{{{host}, {1.5}}}}, at::kCPU, Cast{});
  EXPECT_EQ(mixed.toListRef().size(), 2U);
  const c10::IValue dict =
      to_ivalue({tensor::ValueDict{{{"b", {host}}, {"a", {host}}}}}, at::kCPU, Cast{});
  EXPECT_EQ(dict.toGenericDict().begin()->key().toStringRef(), "b") << "insertion order";
}

}  // namespace
}  // namespace parity::model
