// Which part of a tap each store mode keeps; writer, reader and comparison all ask here.
#include "run/recording.h"

#include <algorithm>
#include <array>

namespace parity::run {

std::string_view name(StoreMode mode) {
  static constexpr std::array<std::string_view, 3> kNames = {"full", "rows", "digest"};
  return kNames.at(static_cast<std::size_t>(mode));
}

std::optional<StoreMode> store_mode_from_name(std::string_view text) {
  for (const StoreMode mode : {StoreMode::full, StoreMode::rows, StoreMode::digest}) {
    if (name(mode) == text) return mode;
  }
  return std::nullopt;
}

// Named as the flag rows:N reads; every caller passes a row count it has just computed.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::vector<std::int64_t> stored_rows(std::int64_t row_count, std::int64_t wanted) {
  const std::int64_t count = std::clamp<std::int64_t>(wanted, 0, row_count);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    rows[static_cast<std::size_t>(i)] = count == 1 ? 0 : i * (row_count - 1) / (count - 1);
  }
  return rows;
}

tensor::Shape stored_shape(const TapRecord& tap) {
  switch (tap.mode) {
    case StoreMode::full:
      return tap.shape;
    case StoreMode::rows:
      return {static_cast<std::int64_t>(tap.rows.size()), tap.shape.empty() ? 1 : tap.shape.back()};
    case StoreMode::digest:
      return {0};
  }
  return tap.shape;
}

}  // namespace parity::run
