// The one exception type of the project and the two doors it is caught at.
// It knows what failed and who can act on it; it refuses to know exit codes' printing and any third
// party.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace parity {

/// Who can act on an error. Each kind maps to one exit code.
enum class ErrorKind {
  usage,         ///< wrong flags or impossible combinations; exit 2
  model,         ///< the model file or its forward pass cannot be used; exit 2
  store,         ///< a golden is unreadable, altered or unfinished; exit 2
  incompatible,  ///< both sides are readable but cannot be compared; exit 2
  device,        ///< the device is missing or failed; exit 3
  resource,      ///< no memory, no disk space, or a part of parity that does not load; exit 3
};

/// A failure that ends the command. The message says what failed, where, and what to do next, in
/// one sentence.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);

  [[nodiscard]] ErrorKind kind() const { return kind_; }

  /// Extra text for `--verbose` (a backtrace of the library below), empty when there is none.
  [[nodiscard]] const std::string& detail() const { return detail_; }
  Error&& with_detail(std::string detail) &&;

 private:
  ErrorKind kind_;
  std::string detail_;
};

/// Process exit code of an error kind: 2 (no judgement possible) or 3 (infrastructure).
[[nodiscard]] int exit_code(ErrorKind kind);
[[nodiscard]] std::string_view name(ErrorKind kind);

/// Aborts with the expression and place: for the project's own invariants, never for file contents.
[[noreturn]] void check_failed(std::string_view expression, std::string_view file, int line);

}  // namespace parity

#define PARITY_CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::parity::check_failed(#expression, __FILE__, __LINE__))
