// Weights on their way to a GPU keep the strides that Tensor::to() gives. How they are laid out for
// the way; the way itself needs a GPU (pinned_upload_device_test.cpp).
#include "model/torch/pinned_upload.h"

#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace parity::model {
namespace {

TEST(InOnePiece, IsTheTensorItselfWhereItsElementsLieSideBySide) {
  const at::Tensor channels_last =
      at::rand({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  for (const at::Tensor& host :
       {at::rand({3, 4}), at::rand({3, 4}).t(), channels_last, at::rand({0, 3}), at::rand({})}) {
    EXPECT_EQ(in_one_piece(host).strides(), host.strides());
    EXPECT_EQ(in_one_piece(host).const_data_ptr(), host.const_data_ptr());
  }
}

TEST(InOnePiece, HasNeitherGapsNorOverlapsAndTheStridesOfAMove) {
  const std::vector<at::Tensor> rows = {
      at::rand({3, 4}).slice(1, 0, 2),                           // columns of a matrix
      at::rand({4, 6}).t().slice(1, 0, 2),                       // and of one stored transposed
      at::rand({4, 6, 5}).permute({2, 0, 1}).slice(1, 0, 4, 2),  // every other one
      at::rand({3, 1}).expand({3, 4}),                           // one element for a whole row
      at::rand({10}).as_strided({3, 4}, {2, 1}),                 // rows that overlap
  };
  for (const at::Tensor& host : rows) {
    const at::Tensor piece = in_one_piece(host);
    EXPECT_TRUE(piece.is_non_overlapping_and_dense()) << host.strides();
    EXPECT_EQ(piece.strides(), host.to(at::kMeta).strides()) << host.strides();
    EXPECT_TRUE(at::equal(piece, host)) << host.strides();
  }
}

}  // namespace
}  // namespace parity::model
