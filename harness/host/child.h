// Runs another program and says how it ended, however that was: a child may die of any signal or
// hang for ever, and this process goes on. Knows nothing of what the child is for.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parity::host {

enum class Ending : std::uint8_t {
  not_found,    ///< there is no such program
  exited,       ///< by itself, with `code`
  signalled,    ///< killed by the signal `code`
  timed_out,    ///< killed by us after the time limit
  not_started,  ///< it is there and does not start, for the errno `code`
  unkillable,   ///< beyond the limit and still there after SIGKILL: stuck inside the kernel
};

struct ChildEnd {
  Ending ending = Ending::not_found;
  int code = 0;
  std::string out;  ///< what it wrote to standard output, at most kMostOutput bytes
  std::string err;  ///< likewise, standard error
  double elapsed_s = 0;

  [[nodiscard]] bool succeeded() const { return ending == Ending::exited && code == 0; }
};

inline constexpr std::size_t kMostOutput = std::size_t{1} << 20U;

struct ChildCall {
  std::string program;  ///< a path, or a name that is looked up in the folders of PATH
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  ///< all of it
  std::chrono::milliseconds limit{10'000};
};

/// Runs the program with empty standard input, in a process group of its own that is killed as a
/// whole at the time limit. It leaves no core file and dies with this process.
[[nodiscard]] ChildEnd run_child(const ChildCall& call);

/// "SIGILL" and the like; "signal N" for others.
[[nodiscard]] std::string signal_name(int number);

/// This process's own environment.
[[nodiscard]] std::map<std::string, std::string> own_environment();

}  // namespace parity::host
