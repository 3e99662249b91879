// Private to model/: turns torch's exceptions into parity::Error without the C++ backtrace.
// Knows the words of torch's messages, which no other file looks at.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "error/error.h"

namespace parity::model {

/// Runs `body`; a c10::Error, torch JIT error or std::bad_alloc becomes Error(model), Error(device)
/// or Error(resource) whose message starts with `context` ("running layer encoder.0").
/// parity::Error passes through. The whole text of the library, backtrace included, is kept as the
/// error's detail.
void with_torch_errors(const std::string& context, const std::function<void()>& body);

/// What an exception says, without the backtrace, whose words are not the error's.
[[nodiscard]] std::string text_of(const std::exception& error);

/// The same for a text that was caught before. `found` is what the caller knows besides of the
/// cause ("a dtype is fixed in op aten.to of layer fc (float32)"); "" for nothing.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
[[noreturn]] void throw_torch_failure(const std::string& context, const std::string& text,
                                      const std::string& found);

}  // namespace parity::model
