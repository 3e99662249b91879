// How large a fault is, measured from the two tensors alone: what a comparison that is on trial
// says of itself must not excuse it.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/host_tensor.h"

namespace parity::fault {

struct FaultSize {
  double nrmse = 0;               ///< norm(c-r)/norm(r) over numbers finite on both sides; inf when
                                  ///< only the reference is 0
  double max_error_over_rms = 0;  ///< largest abs(c-r) over the reference's rms; likewise
  std::uint64_t non_finite =
      0;                      ///< numbers that are NaN or Inf on one side, or Inf of another sign
  std::uint64_t unequal = 0;  ///< numbers whose values differ

  /// False where the fault left every value as it was.
  [[nodiscard]] bool is_any() const { return unequal > 0; }
};

/// Of tensors of one dtype and shape.
[[nodiscard]] FaultSize size_of(const tensor::TensorView& reference,
                                const tensor::TensorView& spoilt);

/// Whether no rounding of the dtype comes near, so that no bound for rounding may let the fault
/// pass. `dtype`: whose bounds the tap is judged by. NaN or Inf on one side alone always is, and so
/// is any difference of integers and bools.
[[nodiscard]] bool is_gross(const FaultSize& size, tensor::DType dtype);

}  // namespace parity::fault
