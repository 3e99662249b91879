// One tap of two runs: brings both sides to the same stored part and compares. Judges nothing: see
// pipeline/judge/judgement.h.
#pragma once

#include <optional>

#include "compare/compare_logits.h"
#include "compare/facts.h"
#include "compare/sides.h"
#include "pipeline/compare/common_part.h"
#include "report/data/report.h"
#include "run/recording.h"

namespace parity::pipeline {

/// How taps are compared, the same for every tap of a report.
struct CompareChoice {
  int worst_count = 10;
  int threads = 1;
};

/// One thread per processor.
[[nodiscard]] int compare_threads();

/// What came of one tap: the row of the report, and logits where the tap holds them.
struct ComparedTap {
  report::Tap tap;
  std::optional<report::Logits> logits;
};

/// The facts of one aligned pair. A side that stored rows is compared on those rows; a side
/// that stored a digest alone, by digest. `truth`: the same tap of a run in higher precision,
/// nullptr where there is none.
[[nodiscard]] ComparedTap compare_tap(compare::Reference<TapData> reference,
                                      compare::Candidate<TapData> candidate,
                                      const CompareChoice& choice, const TapData* truth = nullptr);

/// The row of a tap that only the reference has, or only the candidate.
[[nodiscard]] report::Tap missing_tap(const run::TapRecord& record,
                                      std::optional<tensor::DType> inherited);
[[nodiscard]] report::Tap additional_tap(const run::TapRecord& record);

/// A tap of the reference that is not to be compared.
[[nodiscard]] report::LeftOutTap left_out_tap(const run::TapRecord& record,
                                              std::optional<tensor::DType> inherited);

}  // namespace parity::pipeline
