// One tap of two runs against the same tap of a run in higher precision. How far off each side is;
// which is the worse one, gate/truth.h says.
#pragma once

#include <optional>

#include "gate/truth.h"
#include "pipeline/compare/common_part.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// nullopt where the truth is no judge: it is no more precise than both sides, has another shape,
/// or holds other rows than were compared.
[[nodiscard]] std::optional<gate::TruthErrors> against_truth(const TapData& reference,
                                                             const TapData& candidate,
                                                             const TapData& truth);

/// The same of logits, which are stored whole; `threads` change the speed alone.
[[nodiscard]] std::optional<gate::LogitsTruth> logits_against_truth(const TapData& reference,
                                                                    const TapData& candidate,
                                                                    const TapData& truth,
                                                                    int threads);

[[nodiscard]] report::TapTruth reported(const gate::TruthErrors& found, tensor::DType truth);
[[nodiscard]] report::LogitsTruth reported(const gate::LogitsTruth& found);

/// Whether values of `truth` can judge values of `dtype`: they have more bits of significand.
[[nodiscard]] bool is_more_precise(tensor::DType truth, tensor::DType dtype);

}  // namespace parity::pipeline
