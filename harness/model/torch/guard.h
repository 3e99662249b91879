// Private to model/: turns torch's exceptions into parity::Error without the C++ backtrace.
// Knows the words of torch's messages, which no other file looks at.
#pragma once

#include <functional>
#include <string>

#include "error/error.h"

namespace parity::model {

/// Runs `body`; a c10::Error, torch JIT error or std::bad_alloc becomes Error(model), Error(device)
/// or Error(resource) whose message starts with `context` ("running layer encoder.0").
/// parity::Error passes through. The whole text of the library, backtrace included, is kept as the
/// error's detail.
void with_torch_errors(const std::string& context, const std::function<void()>& body);

/// The one line of a torch error's text that says what went wrong: neither the C++ backtrace nor
/// the interpreter's list of source lines.
[[nodiscard]] std::string cause_of(const std::string& text);

/// Who can act on a torch error with this text: device and memory failures are told by their words.
[[nodiscard]] ErrorKind kind_of_failure(const std::string& text);

}  // namespace parity::model
