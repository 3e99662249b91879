// Copies from a GPU: the value of the call whatever the model does later, of any size and layout. A
// program of its own, since LibTorch looks for devices only once.
#include <cstring>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/torch/device_tensor.h"
#include "model/torch/gpu_test.h"
#include "tensor/block_digest.h"

namespace parity::model {
namespace {

class CopiesFromAGpu : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_) allocator_ = make_host_allocator(*device_);
  }

  /// Sizes on both sides of what is copied beside the model's stream, and beyond what is kept
  /// there.
  static std::vector<std::int64_t> counts() {
    return {1, 1000, 16'384, 20'000, 1'000'003, 40'000'000};
  }

  std::unique_ptr<run::HostAllocator> allocator_;
};

TEST_F(CopiesFromAGpu, AreOfTheValueAtTheCall) {
  for (const std::int64_t count : counts()) {
    at::Tensor value = at::arange(count).to(at::kFloat).to(*device_);
    const at::Tensor expected = value.cpu().clone();
    const TorchDeviceTensor tap(value, "tap");
    const auto buffer = allocator_->allocate(tap.size_bytes());
    const auto transfer = tap.start_copy(*buffer);
    for (int step = 0; step < 20; ++step) value.mul_(3).add_(1);
    value = at::Tensor();
    const at::Tensor other = at::full({count}, -1.0, expected.options().device(*device_));
    transfer->wait();
    EXPECT_EQ(std::memcmp(buffer->bytes().data(), expected.data_ptr(), expected.nbytes()), 0)
        << count;
  }
}

TEST_F(CopiesFromAGpu, AreRowMajorWhateverTheStrides) {
  const at::Tensor value = at::rand({700, 900}).to(*device_).t();
  const at::Tensor expected = value.cpu().contiguous();
  const TorchDeviceTensor tap(value, "tap");
  const auto buffer = allocator_->allocate(tap.size_bytes());
  tap.start_copy(*buffer)->wait();
  EXPECT_EQ(std::memcmp(buffer->bytes().data(), expected.data_ptr(), expected.nbytes()), 0);
}

TEST_F(CopiesFromAGpu, MayBeGivenUpWithoutWaiting) {
  const at::Tensor value = at::rand({1'000'000}).to(*device_);
  const TorchDeviceTensor tap(value, "tap");
  const auto buffer = allocator_->allocate(tap.size_bytes());
  for (int turn = 0; turn < 50; ++turn) static_cast<void>(tap.start_copy(*buffer));
}

TEST_F(CopiesFromAGpu, PutSumsWhereTheyAreAskedFor) {
  at::Tensor value = at::rand({1'000'003}).to(*device_);
  const at::Tensor expected = value.cpu().clone();
  const TorchDeviceTensor tap(value, "tap");
  const std::size_t sums_bytes = tap.sums_bytes();
  ASSERT_GT(sums_bytes, 0U);
  constexpr std::size_t kFirst = 4096;
  const auto buffer = allocator_->allocate(kFirst + sums_bytes);
  const auto transfer = tap.start_sums(*buffer, kFirst);
  value.zero_();
  transfer->wait();
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(expected.data_ptr()),
                                         expected.nbytes());
  EXPECT_EQ(tensor::digest_of_sums(buffer->bytes().subspan(kFirst, sums_bytes), bytes.size()),
            tensor::digest_of(bytes));
}

}  // namespace
}  // namespace parity::model
