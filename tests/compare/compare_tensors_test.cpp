// Every figure of a comparison against the slow oracle, over everyday and awkward values of every
// fast dtype.
#include "compare/compare_tensors.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "compare/awkward_values.h"
#include "compare/made_tensor.h"
#include "compare/slow_oracle.h"

namespace parity::compare {
namespace {

using tensor::DType;

template <typename F>
std::vector<double> values_of(const std::vector<typename F::Bits>& patterns) {
  std::vector<double> values;
  for (const auto bits : patterns) values.push_back(F::to_double(bits));
  return values;
}

template <typename F>
void expect_oracle(DType dtype, OracleFormat format, const std::vector<typename F::Bits>& reference,
                   const std::vector<typename F::Bits>& candidate) {
  const TensorComparison facts =
      compare(made_vector(dtype, reference), made_vector(dtype, candidate));
  EXPECT_EQ(facts.elements, reference.size());
  expect_equal_facts(facts, slow_facts(values_of<F>(reference), values_of<F>(candidate), format));
}

template <typename F>
void expect_oracle_over_all_pairs(DType dtype, OracleFormat format) {
  const auto patterns = awkward_patterns<F>();
  std::vector<typename F::Bits> reference;
  std::vector<typename F::Bits> candidate;
  for (const auto r : patterns) {
    for (const auto c : patterns) {
      reference.push_back(r);
      candidate.push_back(c);
    }
  }
  expect_oracle<F>(dtype, format, reference, candidate);
}

template <typename F>
void expect_oracle_over_everyday_values(DType dtype, OracleFormat format, int octaves) {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{15}, std::size_t{64}, std::size_t{1000}, std::size_t{70001}}) {
    SCOPED_TRACE(count);
    const auto reference = everyday_patterns<F>(count, octaves, count);
    expect_oracle<F>(dtype, format, reference, near_patterns<F>(reference, 7));
    expect_oracle<F>(dtype, format, reference, everyday_patterns<F>(count, octaves, count + 1));
    expect_oracle<F>(dtype, format, reference, reference);
  }
}

TEST(CompareTensors, AgreesWithTheOracleOverAllPairsOfAwkwardValues) {
  {
    SCOPED_TRACE("float32");
    expect_oracle_over_all_pairs<Float32Format>(DType::float32, kFloat32Oracle);
  }
  {
    SCOPED_TRACE("bfloat16");
    expect_oracle_over_all_pairs<BFloat16Format>(DType::bfloat16, kBFloat16Oracle);
  }
  {
    SCOPED_TRACE("float16");
    expect_oracle_over_all_pairs<Float16Format>(DType::float16, kFloat16Oracle);
  }
  {
    SCOPED_TRACE("float64");
    expect_oracle_over_all_pairs<Float64Format>(DType::float64, kFloat64Oracle);
  }
}

TEST(CompareTensors, AgreesWithTheOracleOverEverydayValues) {
  {
    SCOPED_TRACE("float32");
    expect_oracle_over_everyday_values<Float32Format>(DType::float32, kFloat32Oracle, 12);
  }
  {
    SCOPED_TRACE("float32 wide");
    expect_oracle_over_everyday_values<Float32Format>(DType::float32, kFloat32Oracle, 100);
  }
  {
    SCOPED_TRACE("bfloat16");
    expect_oracle_over_everyday_values<BFloat16Format>(DType::bfloat16, kBFloat16Oracle, 12);
  }
  {
    SCOPED_TRACE("float16");
    expect_oracle_over_everyday_values<Float16Format>(DType::float16, kFloat16Oracle, 14);
  }
  {
    SCOPED_TRACE("float64");
    expect_oracle_over_everyday_values<Float64Format>(DType::float64, kFloat64Oracle, 12);
  }
  {
    SCOPED_TRACE("float64 wide");
    expect_oracle_over_everyday_values<Float64Format>(DType::float64, kFloat64Oracle, 380);
  }
}

}  // namespace
}  // namespace parity::compare
