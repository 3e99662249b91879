// Private to model/: turns torch's exceptions into parity::Error without the C++ backtrace.
#pragma once

#include <functional>
#include <string>

namespace parity::model {

/// Runs `body`; a c10::Error, torch JIT error or std::bad_alloc becomes Error(model), Error(device) or
/// Error(resource) whose message starts with `context` ("running layer encoder.0"). parity::Error passes through.
void with_torch_errors(const std::string& context, const std::function<void()>& body);

}  // namespace parity::model
