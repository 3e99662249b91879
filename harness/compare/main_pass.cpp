// Feeds blocks to the fused kernels and what they hand back to the careful pass.
#include "compare/main_pass.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "compare/byte_pass.h"
#include "compare/careful_pass.h"
#include "compare/chunk_threads.h"
#include "compare/fused_integers.h"
#include "compare/fused_kernel.h"
#include "compare/integer_counts.h"

namespace parity::compare {
namespace {

using tensor::DType;

struct ChunkRange {
  std::uint64_t first;
  std::size_t count;
};

/// One block's values, in place where they are aligned and whole, otherwise copied and padded with
/// zeros.
template <typename T>
class BlockValues {
 public:
  std::span<const T> load(std::span<const std::byte> bytes, std::uint64_t first,
                          std::size_t count) {
    const std::byte* address = bytes.data() + first * sizeof(T);
    const bool aligned = reinterpret_cast<std::uintptr_t>(address) % alignof(T) == 0;
    if (aligned && count % kBlockGranule == 0) return {reinterpret_cast<const T*>(address), count};
    const std::size_t padded = (count + kBlockGranule - 1) / kBlockGranule * kBlockGranule;
    std::memcpy(copy_.data(), address, count * sizeof(T));
    std::fill(copy_.begin() + static_cast<std::ptrdiff_t>(count),
              copy_.begin() + static_cast<std::ptrdiff_t>(padded), T{0});
    return {copy_.data(), padded};
  }

 private:
  alignas(64) std::array<T, kBlockElements> copy_;
};

/// State of one thread. The record is kept across chunks, so that only the first one has to find
/// its way up.
struct Walker {
  explicit Walker(std::size_t worst_count) : tally(worst_count) {}

  Tally tally;
  RelativeRecord record;
  IntegerCounts integers;
};

/// A kernel of floats, which counts into the chunk itself.
template <typename T>
struct FloatKernel {
  using Value = T;
  BlockResult (*fuse)(std::span<const T>, std::span<const T>, FusedChunk&, Apart&);

  BlockResult operator()(std::span<const T> reference, std::span<const T> candidate,
                         FusedChunk& chunk, Apart& apart) const {
    return fuse(reference, candidate, chunk, apart);
  }
  void finish(FusedChunk& /*chunk*/) const {}
};

/// A kernel of integers, whose counts come to the chunk at its end.
template <typename T>
struct IntegerKernel {
  using Value = T;
  IntegerCounts& counts;

  BlockResult operator()(std::span<const T> reference, std::span<const T> candidate,
                         FusedChunk& chunk, Apart& /*apart*/) const {
    return fuse_integers(reference, candidate, chunk, counts);
  }
  void finish(FusedChunk& chunk) const { counts.move_to(chunk.max_ulp, chunk); }
};

template <typename Kernel>
void walk_chunk(std::span<const std::byte> reference, std::span<const std::byte> candidate,
                const Kernel& kernel, const PairSource& source, ChunkRange range, Walker& walker,
                ChunkSums& sums) {
  using T = typename Kernel::Value;
  Tally& tally = walker.tally;
  FusedChunk fused;
  fused.record = walker.record;
  fused.max_absolute = tally.max_absolute;
  BlockValues<T> reference_block;
  BlockValues<T> candidate_block;
  Apart apart;
  std::size_t padding = 0;
  for (std::size_t done = 0; done < range.count; done += kBlockElements) {
    const std::uint64_t first = range.first + done;
    const std::size_t count = std::min(kBlockElements, range.count - done);
    const std::span<const T> r = reference_block.load(reference, first, count);
    const std::span<const T> c = candidate_block.load(candidate, first, count);
    const BlockResult result = kernel(r, c, fused, apart);
    if (result.outcome == BlockOutcome::careful) {
      compare_carefully(source, first, count, tally, sums);
      continue;
    }
    padding += r.size() - count;
    const std::span<const std::uint16_t> left_out(apart.places.data(), apart.count);
    if (tally.worst.may_take(result.max_ulp, first))
      offer_worst(source, first, count, left_out, tally.worst);
    compare_carefully_at(source, first, left_out, tally, sums);
  }
  kernel.finish(fused);
  fold(fused, padding, tally, sums);
  walker.record = fused.record;
}

/// Both sides may be read at different places, so the padded sizes are those of equal counts.
void run_chunk(const tensor::TensorView& reference, const tensor::TensorView& candidate,
               const PairSource& source, ChunkRange range, Walker& walker, ChunkSums& sums) {
  const DType dtype = tensor::component(reference.dtype);
  const auto walk = [&](const auto& kernel) {
    walk_chunk(reference.bytes, candidate.bytes, kernel, source, range, walker, sums);
  };
  const auto walk_integers = [&]<typename T>(T) { walk(IntegerKernel<T>{walker.integers}); };
  if (dtype == tensor::component(candidate.dtype)) {
    switch (dtype) {
      case DType::float32:
        return walk(FloatKernel<float>{&fuse_float32});
      case DType::float64:
        return walk(FloatKernel<double>{&fuse_float64});
      case DType::bfloat16:
        return walk(FloatKernel<std::uint16_t>{&fuse_bfloat16});
      case DType::float16:
        return walk(FloatKernel<std::uint16_t>{&fuse_float16});
      case DType::int64:
        return walk_integers(std::int64_t{});
      case DType::int32:
        return walk_integers(std::int32_t{});
      case DType::int16:
        return walk_integers(std::int16_t{});
      case DType::uint64:
        return walk_integers(std::uint64_t{});
      case DType::uint32:
        return walk_integers(std::uint32_t{});
      case DType::uint16:
        return walk_integers(std::uint16_t{});
      default:
        break;
    }
  }
  compare_carefully(source, range.first, range.count, walker.tally, sums);
}

}  // namespace

MainPass run_main_pass(Reference<tensor::TensorView> reference,
                       Candidate<tensor::TensorView> candidate, const PairSource& source,
                       std::size_t worst_count, int threads) {
  const std::uint64_t elements = source.elements();
  const DType dtype = reference.value.dtype;
  // A few pairs are measured sooner than their counters are set up.
  constexpr std::uint64_t kFewElements = 8192;
  if (elements > kFewElements && dtype == candidate.value.dtype && tensor::size_bytes(dtype) == 1)
    return run_byte_pass(reference, candidate, source, worst_count, threads);
  const std::size_t chunks =
      static_cast<std::size_t>((elements + kChunkElements - 1) / kChunkElements);
  std::vector<ChunkSums> sums(chunks);
  std::vector<Walker> walkers(thread_count(chunks, threads), Walker(worst_count));
  for_each_chunk(chunks, threads, [&](std::size_t thread, std::size_t chunk) {
    const std::uint64_t first = std::uint64_t{chunk} * kChunkElements;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kChunkElements, elements - first));
    run_chunk(reference.value, candidate.value, source, {first, count}, walkers[thread],
              sums[chunk]);
  });
  MainPass result{Tally(worst_count), add_in_order(sums)};
  for (const Walker& walker : walkers) result.tally.merge(walker.tally);
  return result;
}

}  // namespace parity::compare
