#include "cli/history_flags.h"

#include <CLI/CLI.hpp>

#include "error/error.h"
#include "pipeline/history/history.h"
#include "report/words/text.h"

namespace parity::cli {

void add_db_flag(CLI::App& command, HistoryFlags& flags) {
  command.add_option("--db", flags.database, "The history, an SQLite file")->required();
}

void add_reading_flags(CLI::App& command, HistoryFlags& flags) {
  add_db_flag(command, flags);
  command.add_option("--series", flags.series, "Only this series (default: all)");
  command.add_option("--now", flags.now,
                     "Until when nights are expected, as for --at (default: now)");
}

std::optional<std::int64_t> time_of(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    return pipeline::parse_time(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, flag + " " + error.what());
  }
}

void check_series_name(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  if (name.size() > kLongest) {
    throw Error(ErrorKind::usage, "--series has a name of " + std::to_string(name.size()) +
                                      " bytes, and 200 are the most; name it otherwise");
  }
  if (report::clean(name) == name) return;
  throw Error(ErrorKind::usage, "--series '" + report::clean(name) +
                                    "' has control characters or bytes that are no UTF-8; name it "
                                    "otherwise");
}

}  // namespace parity::cli
