// What the text of a torch error means to somebody who runs parity: who can act, the cause in one
// line, what to do. The one place that knows torch's words; needs no header of torch.
#pragma once

#include <cstdint>
#include <string>

#include "error/error.h"

namespace parity::model {

enum class Fault : std::uint8_t {
  attention_backend,  ///< --sdpa asks for a kernel that cannot run these inputs
  nondeterministic,   ///< --deterministic, and an op without such a kernel
  device_memory,
  host_memory,
  kernel_crash,        ///< an assertion in a kernel, an illegal access: the device gave up
  no_code_for_device,  ///< the GPU is of an architecture that a library has no code for
  no_device,
  fixed_device,       ///< the model's code asks for a device that is not the run's
  fixed_dtype,        ///< two dtypes meet, of which the model's code fixes one
  unsupported_dtype,  ///< the op has no kernel for it
  no_kernel,          ///< the op has no kernel for this kind of device
  unknown_operator,   ///< nobody registered it
  other_signature,    ///< it is registered with other arguments
  bad_index,          ///< an index beyond a table
  device_error,       ///< any other word of a device's library
  other,
};

struct Failure {
  Fault fault = Fault::other;
  ErrorKind kind = ErrorKind::model;
  std::string cause;   ///< without an end
  std::string advice;  ///< to be joined with "; "; "" when there is none
};

/// Reads a whole text: of an exception, of the interpreter's report around it. Sizes of an
/// allocation that failed are part of the cause.
[[nodiscard]] Failure read_failure(const std::string& text);

/// The one line of a torch error's text that says what went wrong: neither the C++ backtrace nor
/// the interpreter's list of source lines.
[[nodiscard]] std::string cause_of(const std::string& text);

/// The call that the interpreter was at, as in the model's code: "torch.embedding". "" when the
/// text does not say.
[[nodiscard]] std::string code_at_fault(const std::string& text);

/// "64.0 GiB"
[[nodiscard]] std::string size_text(double size_bytes);

}  // namespace parity::model
