// Tests of host tensors: sizes are checked once, copies share the bytes, owners live as long as
// they are needed.
#include "tensor/host_tensor.h"

#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace parity::tensor {
namespace {

TEST(HostTensor, IsEmptyByDefault) {
  const HostTensor tensor;
  EXPECT_EQ(tensor.shape(), Shape{0});
  EXPECT_TRUE(tensor.bytes().empty());
}

TEST(HostTensor, HandsOutWhatItWasGiven) {
  const HostTensor tensor(DType::float16, {2, 3}, std::vector<std::byte>(12, std::byte{7}));
  EXPECT_EQ(tensor.dtype(), DType::float16);
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.bytes().size(), 12U);
  EXPECT_EQ(tensor.bytes()[11], std::byte{7});
  EXPECT_EQ(tensor.view().bytes.data(), tensor.bytes().data());
  EXPECT_EQ(tensor.view().dtype, DType::float16);
  EXPECT_EQ(tensor.view().shape, (Shape{2, 3}));
}

TEST(HostTensor, CopiesShareTheBytesAndOutliveTheOriginal) {
  auto original =
      std::make_unique<HostTensor>(DType::uint8, Shape{3}, std::vector<std::byte>(3, std::byte{1}));
  const std::byte* const where = original->bytes().data();
  const HostTensor copy = *original;
  original.reset();
  EXPECT_EQ(copy.bytes().data(), where);
  EXPECT_EQ(copy.bytes()[2], std::byte{1});
}

TEST(HostTensor, HoldsTheOwnerOfForeignBytesUntilTheLastCopyIsGone) {
  auto storage = std::make_shared<std::vector<std::byte>>(8);
  const std::weak_ptr<std::vector<std::byte>> watched = storage;
  auto tensor = std::make_unique<HostTensor>(DType::float32, Shape{2}, *storage, storage);
  auto copy = std::make_unique<HostTensor>(*tensor);
  storage.reset();
  tensor.reset();
  EXPECT_FALSE(watched.expired());
  copy.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(HostTensor, HoldsScalarsAndEmptyTensors) {
  EXPECT_EQ(HostTensor(DType::float64, {}, std::vector<std::byte>(8)).bytes().size(), 8U);
  EXPECT_TRUE(HostTensor(DType::float64, {3, 0, 2}, std::vector<std::byte>()).bytes().empty());
}

TEST(HostTensorDeathTest, RefusesBytesThatDoNotFitTheShape) {
  EXPECT_DEATH(HostTensor(DType::float32, {2}, std::vector<std::byte>(7)), "internal check failed");
  EXPECT_DEATH(HostTensor(DType::float32, {2}, std::vector<std::byte>(9)), "internal check failed");
  const auto storage = std::make_shared<std::vector<std::byte>>(4);
  EXPECT_DEATH(HostTensor(DType::float32, {2}, *storage, storage), "internal check failed");
}

}  // namespace
}  // namespace parity::tensor
