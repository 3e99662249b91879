// Counts are whole numbers, so neither threads nor chunks show in a figure.
#include "compare/byte_pass.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compare/byte_pairs.h"
#include "compare/byte_scan.h"
#include "compare/careful_pass.h"
#include "compare/chunk_threads.h"
#include "compare/fused_kernel.h"

namespace parity::compare {
namespace {

using tensor::DType;
using tensor::TensorView;
using Bytes = std::span<const std::uint8_t>;

struct Counter {
  explicit Counter(std::size_t worst_count) : worst(worst_count) {}

  BytePairs pairs;
  WorstList worst;
};

Bytes bytes_of(const TensorView& view) {
  return {reinterpret_cast<const std::uint8_t*>(view.bytes.data()), view.bytes.size()};
}

void count_chunk(DType dtype, Bytes reference, Bytes candidate, const PairSource& source,
                 std::uint64_t first, Counter& counter) {
  for (std::size_t done = 0; done < reference.size(); done += kBlockElements) {
    const std::size_t count = std::min(kBlockElements, reference.size() - done);
    const Bytes r = reference.subspan(done, count);
    const Bytes c = candidate.subspan(done, count);
    const ByteScan scan = scan_bytes(dtype, r, c);
    if (scan.same_bytes) {
      counter.pairs.add_same(r);
      continue;
    }
    counter.pairs.add(r, c);
    const std::uint64_t at = first + done;
    if (counter.worst.may_take(scan.max_ulp, at) ||
        (scan.maybe_one_sided && counter.worst.may_take_one_sided(at)))
      offer_worst(source, at, count, {}, counter.worst);
  }
}

/// The figures of `totals`, one number per pair. Sums are those of the pairs of one reference, in
/// the order of references.
void measure(DType dtype, const std::vector<std::uint64_t>& totals, Tally& tally,
             std::vector<ChunkSums>& sums) {
  constexpr std::size_t kValues = 256;
  std::array<std::byte, kValues> reference;
  std::array<std::byte, kValues> candidate;
  for (std::size_t value = 0; value < kValues; ++value)
    candidate[value] = static_cast<std::byte>(value);
  const TensorView reference_view{dtype, {kValues}, reference};
  const TensorView candidate_view{dtype, {kValues}, candidate};
  const auto pairs = make_pair_source(Reference{reference_view}, Candidate{candidate_view});
  sums.resize(kValues);
  for (std::size_t r = 0; r < kValues; ++r) {
    reference.fill(static_cast<std::byte>(r));
    for (std::size_t c = 0; c < kValues; ++c) {
      const std::uint64_t times = totals[r * kValues + c];
      if (times == 0) continue;
      Pair pair;
      pairs->read(c, std::span<Pair>(&pair, 1));
      add_pairs(pair, times, tally, sums[r]);
    }
  }
}

}  // namespace

MainPass run_byte_pass(Reference<TensorView> reference, Candidate<TensorView> candidate,
                       const PairSource& source, std::size_t worst_count, int threads) {
  const DType dtype = reference.value.dtype;
  const Bytes r = bytes_of(reference.value);
  const Bytes c = bytes_of(candidate.value);
  const std::size_t chunks = (r.size() + kChunkElements - 1) / kChunkElements;
  std::vector<Counter> counters(thread_count(chunks, threads), Counter(worst_count));
  for_each_chunk(chunks, threads, [&](std::size_t thread, std::size_t chunk) {
    const std::size_t first = chunk * kChunkElements;
    const std::size_t count = std::min(kChunkElements, r.size() - first);
    count_chunk(dtype, r.subspan(first, count), c.subspan(first, count), source, first,
                counters[thread]);
  });
  std::vector<std::uint64_t> totals(kBytePairs);
  MainPass result{Tally(worst_count), {}};
  for (Counter& counter : counters) {
    counter.pairs.move_to(totals);
    for (const WorstEntry& entry : counter.worst.entries()) result.tally.worst.offer(entry);
  }
  std::vector<ChunkSums> sums;
  measure(dtype, totals, result.tally, sums);
  result.sums = add_in_order(sums);
  return result;
}

}  // namespace parity::compare
