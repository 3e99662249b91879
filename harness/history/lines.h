// The figures of a series by place and metric, one value for each night. Private to the folder.
#pragma once

#include <cstddef>
#include <vector>

#include "history/store.h"

namespace parity::history {

/// One figure over the nights. NaN: not measured, or the night is not judged.
struct Line {
  Place place;
  Metric metric = Metric::nrmse;
  std::size_t group = 0;  ///< lines of one case and metric, whose spreads are alike
  std::vector<double> values;
  std::vector<double> noise;     ///< recorded with the night, NaN where it was not
  std::vector<char> passes;      ///< whether the place passed, warnings included
  std::vector<double> roundoff;  ///< unit roundoff of the dtype, 0 where there is none
};

/// Lines of watched metrics, in the execution order of the newest night that has their place.
struct Lines {
  std::vector<Line> lines;
  std::size_t groups = 0;
};

[[nodiscard]] Lines lines_of(const Series& series);

}  // namespace parity::history
