// Flags that the subcommands of `parity history` share: which database, which series, how many
// nights. Opens no database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace parity::cli {

/// Which history, and which of its series.
struct HistoryFlags {
  std::string database;
  std::string series;
  std::string now;
};

/// --db, which is needed.
void add_db_flag(CLI::App& command, HistoryFlags& flags);
/// --db, --series and --now, for commands that read.
void add_reading_flags(CLI::App& command, HistoryFlags& flags);

/// The time typed for a flag; nullopt where it was not given. Throws Error(usage).
[[nodiscard]] std::optional<std::int64_t> time_of(const std::string& flag, const std::string& text);

/// Throws Error(usage) for a name that no page and no label can show as it is, so that no series
/// has it.
void check_series_name(const std::string& name);

}  // namespace parity::cli
