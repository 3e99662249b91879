// Four accumulators a side, so that the loads and nothing else set the pace.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/compare/plain_read.cpp"
#include "bench/compare/plain_read.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace parity::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t ReadBoth(const std::uint64_t* left, const std::uint64_t* right, std::size_t words) {
  const hn::ScalableTag<std::uint64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d);
  auto b = hn::Zero(d);
  auto e = hn::Zero(d);
  auto f = hn::Zero(d);
  for (std::size_t i = 0; i < words; i += 2 * lanes) {
    a = hn::Add(a, hn::LoadU(d, left + i));
    b = hn::Add(b, hn::LoadU(d, right + i));
    e = hn::Add(e, hn::LoadU(d, left + i + lanes));
    f = hn::Add(f, hn::LoadU(d, right + i + lanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(e, f))));
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::bench {

HWY_EXPORT(ReadBoth);

std::uint64_t read_both(std::span<const std::byte> left, std::span<const std::byte> right) {
  return HWY_DYNAMIC_DISPATCH(ReadBoth)(reinterpret_cast<const std::uint64_t*>(left.data()),
                                        reinterpret_cast<const std::uint64_t*>(right.data()),
                                        left.size() / sizeof(std::uint64_t));
}

}  // namespace parity::bench
#endif  // HWY_ONCE
