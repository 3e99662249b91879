// Adds nights to a history file, takes old ones out of it and reads them back. Each call opens the
// file, is one transaction and leaves a file that is whole, whoever else writes at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "history/run.h"

namespace parity::history {

enum class Addition : std::uint8_t {
  added,
  already_there,  ///< the series holds the same thing; nothing was changed
};

/// Makes the file where there is none. Throws Error(store) for a file that is no history or one of
/// a newer version, Error(resource) where it cannot be written: the file is then as it was.
[[nodiscard]] Addition add(const std::filesystem::path& file, const Run& run);

/// The nights of one series, by time.
struct Series {
  std::string name;
  std::int64_t pruned_before_s = 0;  ///< nights before it may have been taken out
  std::vector<Run> runs;
};

inline constexpr std::size_t kAllNights = std::numeric_limits<std::size_t>::max();

/// The series called `name`, or all of them by name where it is empty. All nights are there; cases,
/// taps, logits and blame of those alone that are needed to tell what the newest `told` nights of a
/// series changed. Throws Error(usage) when there is no such series.
[[nodiscard]] std::vector<Series> read(const std::filesystem::path& file, const std::string& name,
                                       std::size_t told = kAllNights);

enum class Thinning : std::uint8_t {
  none,
  monthly,  ///< of the old nights the first judged one of a month stays, and all that failed
};

/// What stays; nights are old by either rule. Days count back from the newest night of a series.
struct Retention {
  std::optional<std::int64_t> keep_days;
  std::optional<std::int64_t> keep_runs;
  Thinning thinning = Thinning::none;
  std::string series;  ///< empty: all
};

struct Pruned {
  std::int64_t removed = 0;  ///< nights
  std::int64_t kept = 0;     ///< nights
  std::int64_t before_bytes = 0;
  std::int64_t after_bytes = 0;
};

/// Takes old nights out and gives the space back. The newest night of a series always stays.
[[nodiscard]] Pruned prune(const std::filesystem::path& file, const Retention& retention);

}  // namespace parity::history
