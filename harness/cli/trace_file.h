// The --trace flag of commands that run for a while.
#pragma once

#include <memory>
#include <string>

#include "run/timeline.h"

namespace CLI {
class App;
}

namespace parity::cli {

void add_trace_flag(CLI::App& command, std::string& file);

/// Keeps a timeline while it lives, and writes it where one was asked for; also when the command
/// fails, since that is when somebody wants to know.
class TraceFile {
 public:
  /// `file`: empty for none; checked by check_outputs() before. Throws Error(usage) where it is a
  /// file of another kind.
  explicit TraceFile(std::string file);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Writes the file now. Throws Error(resource) where that fails.
  void write();

 private:
  std::string file_;
  std::unique_ptr<run::Timeline> timeline_;  ///< nullptr: nobody asked, or it is written
};

}  // namespace parity::cli
