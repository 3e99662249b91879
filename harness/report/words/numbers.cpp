#include "report/words/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace parity::report {

std::string short_number(double value) {
  if (std::isnan(value)) return "nan";
  if (value == 0) return "0";
  return fmt::format("{:.1e}", value);
}

std::string limit_number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.3g}", value);
}

std::string short_count(double value) {
  constexpr double kLongest = 1e7;
  if (!(std::fabs(value) < kLongest)) return short_number(value);
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string percent(double share) {
  if (share == 1) return "100";
  if (share == 0) return "0";
  if (!std::isfinite(share)) return short_number(share);
  constexpr double kStep = 1e-4;
  if (share > 1 - kStep && share < 1) return ">99.99";
  if (share < kStep && share > 0) return "<0.01";
  return fmt::format("{:.2f}", 100 * share);
}

std::string element_value(double value, tensor::DType dtype) {
  if (std::isnan(value)) return "nan";
  if (tensor::is_integral(dtype)) return fmt::format("{:.0f}", value);
  // Digits that identify a value among its neighbours: 1 + ceil(significand bits * log10(2)).
  constexpr double kLog10Of2 = 0.30103;
  const int bits = tensor::significand_bits(tensor::component(dtype));
  return fmt::format("{:.{}g}", value, 1 + static_cast<int>(std::ceil(bits * kLog10Of2)));
}

std::string bit_pattern(std::uint64_t bits, tensor::DType dtype) {
  return fmt::format("0x{:0{}x}", bits, 2 * tensor::size_bytes(tensor::component(dtype)));
}

std::string index_text(const std::vector<std::int64_t>& index) {
  std::string text;
  for (const std::int64_t position : index) {
    if (!text.empty()) text += ',';
    text += std::to_string(position);
  }
  return "[" + text + "]";
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string sparkline(const compare::Histogram& ulp) {
  constexpr std::array<double, 8> kFirstUlp = {0, 1, 2, 3, 5, 9, 65, 1025};
  constexpr std::array<std::string_view, 9> kBars = {".", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::array<std::uint64_t, 8> cells{};
  for (std::size_t i = 0; i < std::min(ulp.edges.size(), ulp.counts.size()); ++i) {
    const auto* next = std::upper_bound(kFirstUlp.begin(), kFirstUlp.end(), ulp.edges[i]);
    if (next == kFirstUlp.begin()) continue;
    cells.at(static_cast<std::size_t>(next - kFirstUlp.begin()) - 1) += ulp.counts[i];
  }
  const std::uint64_t highest = *std::max_element(cells.begin(), cells.end());
  std::string text;
  for (const std::uint64_t count : cells) {
    // Rounded up: the smallest count that is not zero still shows.
    const double height =
        highest == 0 ? 0
                     : std::ceil(8.0 * static_cast<double>(count) / static_cast<double>(highest));
    text += kBars.at(static_cast<std::size_t>(height));
  }
  return text;
}

}  // namespace parity::report
