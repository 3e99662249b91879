// One pair of elements, classified before any arithmetic is done on it.
// PairSource reads pairs of any two dtypes; the fast kernels know only the common ones and hand the
// rest to it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "compare/sides.h"
#include "tensor/dtype.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

/// Every pair is exactly one of these. Payload bits of NaN do not count.
enum class PairKind : std::uint8_t {
  finite,
  both_nan,
  nan_reference_only,
  nan_candidate_only,
  inf_equal,
  inf_opposite,
  inf_reference_only,
  inf_candidate_only,
};

/// True for the kinds that are a disagreement whatever the bound: NaN or Inf on one side, or Inf of
/// opposite sign.
[[nodiscard]] constexpr bool is_one_sided(PairKind kind) {
  return kind != PairKind::finite && kind != PairKind::both_nan && kind != PairKind::inf_equal;
}

struct Pair {
  double reference = 0;
  double candidate = 0;
  double difference =
      0;  ///< c-r, rounded once; only of finite pairs; infinite when it passes the float64 range
  std::uint64_t ulp = 0;  ///< only of finite pairs
  PairKind kind = PairKind::finite;
  bool equal_bits =
      false;  ///< both NaN counts as equal; of different dtypes: equal values with equal signs
  bool zero_sign = false;        ///< both zero, signs differ
  bool flushed_to_zero = false;  ///< subnormal on one side, zero on the other
};

/// The element bound in numbers: of_rms is already multiplied by the reference's rms.
struct AbsoluteBound {
  double relative = 0;
  double absolute = 0;
};

struct PairBits {
  std::uint64_t reference = 0;
  std::uint64_t candidate = 0;
};

/// abs(c-r)/abs(r) in float64 of a finite pair whose reference is not zero; safe where c-r
/// overflows.
[[nodiscard]] double relative_error(const Pair& pair);

/// Random access to the pairs of two tensors. Complex tensors are seen as their components.
class PairSource {
 public:
  virtual ~PairSource() = default;
  [[nodiscard]] virtual std::uint64_t elements() const = 0;
  /// Fills `pairs` with the pairs from flat index `first` on.
  virtual void read(std::uint64_t first, std::span<Pair> pairs) const = 0;
  /// True when all `count` pairs from `first` on are inside: both NaN, the same Inf, or finite with
  /// abs(c-r) <= relative * abs(r) + absolute. May return false without looking: it is there to
  /// leave out whole blocks quickly.
  [[nodiscard]] virtual bool all_inside(std::uint64_t first, std::size_t count,
                                        const AbsoluteBound& bound) const;
  [[nodiscard]] virtual PairBits bits(std::uint64_t index) const = 0;
  /// The dtype that ulp distances are counted in: the coarser of the two sides.
  [[nodiscard]] virtual tensor::DType ulp_dtype() const = 0;
};

/// Views must outlive the source. Throws Error(incompatible) for a complex tensor against a real
/// one.
[[nodiscard]] std::unique_ptr<PairSource> make_pair_source(Reference<tensor::TensorView> reference,
                                                           Candidate<tensor::TensorView> candidate);

}  // namespace parity::compare
