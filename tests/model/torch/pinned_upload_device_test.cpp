// What comes through pinned memory to a GPU, in one piece of the buffers, in several and in none,
// is what Tensor::to() brings there. A program of its own, since LibTorch looks for devices only
// once.
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/torch/gpu_test.h"
#include "model/torch/pinned_upload.h"

namespace parity::model {
namespace {

constexpr std::int64_t kBufferBytes = 1024;

class PinnedUploadToAGpu : public GpuTest {
 protected:
  void expect_the_same(const at::Tensor& host) {
    PinnedUpload upload(*device_, kBufferBytes);
    const at::Tensor moved = host.to(*device_);
    for (int turn = 0; turn < 2; ++turn) {
      const at::Tensor there = upload.copy(host);
      EXPECT_EQ(there.sizes(), moved.sizes());
      EXPECT_EQ(there.strides(), moved.strides()) << host.sizes() << host.strides();
      EXPECT_TRUE(at::equal(there.cpu(), host)) << host.sizes() << host.strides();
    }
  }
};

TEST_F(PinnedUploadToAGpu, BringsEveryByteThroughBuffersOfAnyNumber) {
  for (const std::int64_t count : {0, 1, 255, 256, 257, 511, 512, 513, 1000, 100'003})
    expect_the_same(at::rand({count}));
  expect_the_same(at::arange(1027).to(at::kChar));
  expect_the_same(at::rand({}));
}

TEST_F(PinnedUploadToAGpu, KeepsTheStridesOfAMove) {
  const at::Tensor host = at::rand({37, 91});
  for (const at::Tensor& each : std::vector<at::Tensor>{
           host, host.t(), host.slice(1, 0, 50), host.t().slice(1, 0, 20), host.slice(0, 0, 0)})
    expect_the_same(each);
}

}  // namespace
}  // namespace parity::model
