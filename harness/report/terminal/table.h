// The report as a table that a person reads in a terminal.
// Knows nothing of the terminal but its width and whether it has colours.
#pragma once

#include <cstdint>
#include <string>

#include "report/data/report.h"

namespace parity::report {

enum class Show : std::uint8_t { all, failing, summary };
enum class Color : std::uint8_t { off, on };

/// A table fits every width in this range; others count as the nearest inside it.
constexpr int kLeastWidth = 60;
constexpr int kGreatestWidth = 400;

struct TableOptions {
  Show show = Show::all;
  Color color = Color::off;
  int width = 100;  ///< columns to fit into
  int top = 3;      ///< worst elements listed per failing tap
};

[[nodiscard]] std::string to_table(const Report& report, const TableOptions& options);

}  // namespace parity::report
