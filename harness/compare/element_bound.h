// When an element is far off, for `where` and hints. A part of the measurement: the same whatever a
// comparison is judged by, so that stored facts can be judged again.
#pragma once

#include "tensor/dtype.h"

namespace parity::compare {

/// An element is outside when !(abs(c-r) <= relative * abs(r) + of_rms * rms(reference)).
struct ElementBound {
  double relative = 0;
  double of_rms = 0;
};

/// For values that have been rounded to `dtype`, in its unit roundoff u (of the component, where it
/// is complex): 512 u of the value and 256 u of the rms from float32 on, 32 u and 16 u for 16 bits,
/// 4 u and 2 u for 8 bits. Integers and bools are not rounded: any difference is outside.
[[nodiscard]] ElementBound element_bound(tensor::DType dtype);

}  // namespace parity::compare
