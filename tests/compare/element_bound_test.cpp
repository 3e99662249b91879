#include "compare/element_bound.h"

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

using tensor::DType;

TEST(ElementBound, IsInRoundingsOfTheDtype) {
  struct Row {
    DType dtype;
    double of_rms;  ///< unit roundoffs
  };
  for (const Row& row :
       {Row{DType::float64, 256}, Row{DType::float32, 256}, Row{DType::complex64, 256},
        Row{DType::float16, 16}, Row{DType::bfloat16, 16}, Row{DType::float8_e4m3fn, 2},
        Row{DType::float8_e5m2, 2}}) {
    const double u = tensor::unit_roundoff(tensor::component(row.dtype));
    EXPECT_EQ(element_bound(row.dtype).of_rms, row.of_rms * u) << tensor::name(row.dtype);
    EXPECT_EQ(element_bound(row.dtype).relative, 2 * row.of_rms * u) << tensor::name(row.dtype);
  }
}

TEST(ElementBound, IsNothingForWhatIsNotRounded) {
  for (const DType dtype : {DType::int64, DType::uint8, DType::boolean}) {
    EXPECT_EQ(element_bound(dtype).relative, 0) << tensor::name(dtype);
    EXPECT_EQ(element_bound(dtype).of_rms, 0) << tensor::name(dtype);
  }
}

}  // namespace
}  // namespace parity::compare
