// Weights on their way to a GPU keep their strides and every byte. Without a GPU only how they are
// laid out for the way is tested.
#include "model/torch/pinned_upload.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace parity::model {
namespace {

TEST(InOnePiece, KeepsTheStridesOfWhatLiesSideBySide) {
  const at::Tensor transposed = at::arange(12).view({3, 4}).t();
  EXPECT_EQ(in_one_piece(transposed).strides(), transposed.strides());
  EXPECT_EQ(in_one_piece(transposed).const_data_ptr(), transposed.const_data_ptr());
  const at::Tensor channels_last =
      at::rand({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_EQ(in_one_piece(channels_last).strides(), channels_last.strides());
}

TEST(InOnePiece, CopiesWhatHasGapsOrOverlaps) {
  const at::Tensor columns = at::arange(12).view({3, 4}).slice(1, 0, 2);
  EXPECT_TRUE(in_one_piece(columns).is_contiguous());
  EXPECT_TRUE(at::equal(in_one_piece(columns), columns));
  const at::Tensor expanded = at::arange(3).view({3, 1}).expand({3, 4});
  EXPECT_TRUE(at::equal(in_one_piece(expanded), expanded));
}

TEST(PinnedUpload, BringsEveryByteThroughSmallBuffers) {
  if (!at::hasCUDA()) GTEST_SKIP() << "there is no GPU";
  constexpr std::int64_t kBufferBytes = 1024;
  PinnedUpload upload(c10::Device(c10::kCUDA, 0), kBufferBytes);
  for (const std::int64_t count : {0, 1, 255, 256, 257, 1000, 100'003}) {
    const at::Tensor host = at::rand({count});
    EXPECT_TRUE(at::equal(upload.copy(host).cpu(), host)) << count;
  }
  const at::Tensor transposed = at::rand({37, 91}).t();
  const at::Tensor there = upload.copy(transposed);
  EXPECT_EQ(there.strides(), transposed.strides());
  EXPECT_TRUE(at::equal(there.cpu(), transposed));
}

}  // namespace
}  // namespace parity::model
