#include "pipeline/compare/inherited_dtypes.h"

#include "compare/formats.h"

namespace parity::pipeline {

std::vector<std::optional<tensor::DType>> inherited_dtypes(
    const std::vector<run::TapRecord>& taps) {
  std::vector<std::optional<tensor::DType>> inherited;
  std::optional<tensor::DType> coarsest;
  for (const run::TapRecord& tap : taps) {
    inherited.push_back(coarsest);
    if (tensor::is_floating(tap.dtype))
      coarsest = coarsest ? compare::coarser(*coarsest, tap.dtype) : tap.dtype;
  }
  return inherited;
}

}  // namespace parity::pipeline
