// Not a bit of the result may depend on the number of threads or on the machine's SIMD width.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "compare/awkward_values.h"
#include "compare/chunk_threads.h"
#include "compare/made_tensor.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::DType;

/// Every figure, floating ones in hexadecimal.
std::string text_of(const TensorComparison& facts) {
  const ClassCounts& n = facts.classes;
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {}\n", n.equal_bits, n.finite, n.both_nan,
                                 n.nan_candidate_only, n.inf_equal, n.inf_candidate_only,
                                 n.zero_reference, n.zero_sign, n.flushed_to_zero);
  text += fmt::format("{} {:a} {:a} {:a} {:a} {:a} {:a} {:a}\n", facts.ulp.max, facts.relative.max,
                      facts.absolute.max, facts.absolute.mean_signed, facts.nrmse, facts.cosine,
                      facts.reference_rms, facts.max_error_over_rms);
  for (const std::uint64_t count : facts.ulp.histogram.counts) text += fmt::format("{} ", count);
  for (const std::uint64_t count : facts.relative.histogram.counts)
    text += fmt::format("{} ", count);
  for (const Element& element : facts.worst)
    text += fmt::format("\n{} {:a} {:a}", element.index[0], element.reference, element.candidate);
  text += fmt::format("\n{} {:a}", facts.where.outside, facts.where.share);
  for (const AxisRange& range : facts.where.axes)
    text += fmt::format("\n{} {} {} {:a}", range.axis, range.first, range.last, range.share);
  for (const Hint& hint : facts.hints) text += "\n" + hint.pattern + ": " + hint.evidence;
  return text;
}

template <typename F>
void expect_same_for_all_threads_and_targets(DType dtype) {
  auto reference = everyday_patterns<F>(150007, 14, 3);
  auto candidate = near_patterns<F>(reference, 4);
  const auto awkward = awkward_patterns<F>();
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    reference[80000 + 3 * i] = awkward[i];
    candidate[80000 + 3 * i] = awkward[awkward.size() - 1 - i];
  }
  const auto r = made_vector(dtype, reference);
  const auto c = made_vector(dtype, candidate);
  CompareOptions options;
  options.element_bound = {1e-5, 1e-2};
  const std::string expected = text_of(compare(r, c, options));
  for (const int threads : {2, 3, 7, 64}) {
    options.threads = threads;
    EXPECT_EQ(text_of(compare(r, c, options)), expected) << threads << " threads";
  }
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(text_of(compare(r, c, options)), expected) << hwy::TargetName(target);
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(Determinism, SameBitsForAnyThreadCountAndSimdTarget) {
  {
    SCOPED_TRACE("float32");
    expect_same_for_all_threads_and_targets<Float32Format>(DType::float32);
  }
  {
    SCOPED_TRACE("bfloat16");
    expect_same_for_all_threads_and_targets<BFloat16Format>(DType::bfloat16);
  }
  {
    SCOPED_TRACE("float16");
    expect_same_for_all_threads_and_targets<Float16Format>(DType::float16);
  }
  {
    SCOPED_TRACE("float64");
    expect_same_for_all_threads_and_targets<Float64Format>(DType::float64);
  }
}

TEST(Determinism, SameBitsWhateverTheAlignmentOfTheBytes) {
  const auto reference = everyday_patterns<Float32Format>(5000, 14, 3);
  const auto candidate = near_patterns<Float32Format>(reference, 4);
  const std::string expected = text_of(
      compare(made_vector(DType::float32, reference), made_vector(DType::float32, candidate)));
  std::vector<std::byte> moved(reference.size() * 4 + 1);
  std::memcpy(moved.data() + 1, reference.data(), reference.size() * 4);
  const tensor::TensorView view{DType::float32, {5000}, std::span(moved).subspan(1)};
  const auto other = made_vector(DType::float32, candidate);
  EXPECT_EQ(text_of(compare_tensors(Reference{view}, Candidate{other.view()}, {})), expected);
}

TEST(ChunkThreads, DoEveryChunkOnce) {
  for (const int threads : {0, 1, 2, 7}) {
    std::vector<int> done(1000, 0);
    for_each_chunk(done.size(), threads, [&](std::size_t, std::size_t chunk) { ++done[chunk]; });
    EXPECT_EQ(done, std::vector<int>(1000, 1)) << threads;
  }
}

TEST(ChunkThreads, PassOnTheFirstException) {
  const auto fail = [](std::size_t, std::size_t chunk) {
    if (chunk == 5) throw Error(ErrorKind::resource, "full");
  };
  EXPECT_THROW(for_each_chunk(100, 1, fail), Error);
  EXPECT_THROW(for_each_chunk(100, 3, fail), Error);
}

}  // namespace
}  // namespace parity::compare
