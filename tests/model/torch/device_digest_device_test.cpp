// Digests from sums that a GPU works out are those of the bytes on the host, for tensors of any
// layout. A program of its own, since LibTorch looks for devices only once.
#include <span>

#include <ATen/ATen.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>

#include "model/torch/device_digest.h"
#include "model/torch/gpu_test.h"
#include "tensor/block_digest.h"

namespace parity::model {
namespace {

class DigestOnAGpu : public GpuTest {
 protected:
  static std::span<const std::byte> bytes_of(const at::Tensor& tensor) {
    return {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()};
  }

  static void expect_the_host_s_digest(const at::Tensor& there) {
    ASSERT_TRUE(digests_on_device(there)) << there.sizes();
    const at::Tensor sums = device_block_sums(there).cpu();
    const at::Tensor here = there.resolve_conj().resolve_neg().contiguous().cpu();
    EXPECT_EQ(tensor::to_hex(tensor::digest_of_sums(bytes_of(sums), here.nbytes())),
              tensor::to_hex(tensor::digest_of(bytes_of(here))))
        << there.sizes() << there.strides();
  }
};

TEST_F(DigestOnAGpu, IsTheHostsAtEveryRestOfABlock) {
  const at::Tensor bytes = at::randint(0, 256, {400'000}, at::kByte).to(*device_);
  for (std::int64_t length = 300'000; length < 302'100; length += 7)
    expect_the_host_s_digest(bytes.slice(0, 0, length));
  expect_the_host_s_digest(at::randint(0, 256, {100'000'003}, at::kByte).to(*device_));
}

TEST_F(DigestOnAGpu, TakesOtherStridesAndOddAddresses) {
  const at::Tensor values = at::rand({700, 900}).to(*device_);
  expect_the_host_s_digest(values);
  expect_the_host_s_digest(values.t());
  expect_the_host_s_digest(values.slice(1, 3, 850));
  expect_the_host_s_digest(values.flatten().slice(0, 1));
  expect_the_host_s_digest(values.to(at::kBFloat16).flatten().slice(0, 3));
  expect_the_host_s_digest(at::complex(values, values.t().reshape({700, 900})).conj());
}

TEST_F(DigestOnAGpu, LeavesSmallTensorsAndOtherStreamsToTheHost) {
  EXPECT_FALSE(digests_on_device(at::rand({100}).to(*device_)));
  EXPECT_FALSE(digests_on_device(at::rand({1'000'000})));
  const at::Tensor there = at::rand({1'000'000}).to(*device_);
  EXPECT_TRUE(digests_on_device(there));
  const c10::impl::VirtualGuardImpl guard(device_->type());
  const c10::StreamGuard aside(guard.getStreamFromGlobalPool(*device_));
  EXPECT_FALSE(digests_on_device(there));
}

}  // namespace
}  // namespace parity::model
