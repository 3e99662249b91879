// One row of a batch, run alone, against its part of a recorded run of the whole batch. How a row
// is cut out of inputs and taps, batch_rows.h knows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/tap_filter.h"
#include "golden_store/golden_reader.h"
#include "model/model.h"
#include "pipeline/compare/tap_comparison.h"
#include "pipeline/record/progress.h"
#include "report/data/report.h"
#include "tensor/value.h"

namespace parity::pipeline {

struct BatchRow {
  std::size_t case_index = 0;  ///< of the golden: the run of the whole batch, stored in full
  std::int64_t batch = 0;
  std::int64_t row = 0;
};

/// Runs `inputs`, which hold the row alone. Taps in which a row has no part of its own are named in
/// the notes and left out.
[[nodiscard]] report::Case compare_row(model::Model& model, const tensor::Value& inputs,
                                       const golden_store::GoldenReader& golden,
                                       const BatchRow& row, capture::TapFilter& filter,
                                       const CompareChoice& choice, Progress& progress);

}  // namespace parity::pipeline
