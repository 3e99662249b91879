// The commands: each adds its flags to the parser and returns what runs once the flags are known.
// What a command does is the pipeline's business; only exit codes come back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pipeline/record/progress.h"
#include "report/terminal/table.h"

namespace CLI {
class App;
}

namespace parity::cli {

/// Flags that every command has.
struct CommonFlags {
  bool quiet = false;
  bool no_color = false;
  bool verbose = false;
  std::string command;  ///< as typed

  [[nodiscard]] report::Color color() const {
    return no_color ? report::Color::off : report::Color::on;
  }
  /// A bar for a terminal, silence otherwise.
  [[nodiscard]] std::unique_ptr<pipeline::Progress> progress() const;
};

/// Runs a parsed command; returns its exit code.
using Action = std::function<int(const CommonFlags&)>;

[[nodiscard]] Action add_record_command(CLI::App& command);
[[nodiscard]] Action add_merge_command(CLI::App& command);
[[nodiscard]] Action add_compare_command(CLI::App& command);
[[nodiscard]] Action add_inspect_command(CLI::App& command);
[[nodiscard]] Action add_selfcheck_command(CLI::App& command);
[[nodiscard]] Action add_history_command(CLI::App& command);
[[nodiscard]] Action add_calibrate_command(CLI::App& command);
[[nodiscard]] Action add_selftest_command(CLI::App& command);
[[nodiscard]] Action add_policy_command(CLI::App& command);
[[nodiscard]] Action add_judge_command(CLI::App& command);
[[nodiscard]] Action add_export_command(CLI::App& command);
[[nodiscard]] Action add_bless_command(CLI::App& command);
[[nodiscard]] Action add_doctor_command(CLI::App& command);

}  // namespace parity::cli
