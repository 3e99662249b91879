#include "model/torch/guard.h"

#include <exception>
#include <new>
#include <utility>

#include <c10/util/Exception.h>

#include "model/torch/failure.h"

namespace parity::model {
namespace {

[[noreturn]] void rethrow(const std::string& context, const std::string& brief,
                          const std::string& whole, const std::string& found) {
  const Failure failure = read_failure(brief);
  std::string message = context + ": " + failure.cause;
  for (const std::string* part : {&found, &failure.advice}) {
    if (!part->empty()) message += "; " + *part;
  }
  throw Error(failure.kind, message + ".").with_detail(whole);
}

}  // namespace

void throw_torch_failure(const std::string& context, const std::string& text,
                         const std::string& found) {
  rethrow(context, text, text, found);
}

std::string text_of(const std::exception& error) {
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  if (torch != nullptr) return torch->what_without_backtrace();
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "std::bad_alloc" : error.what();
}

void with_torch_errors(const std::string& context, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& error) {
    rethrow(context, error.what_without_backtrace(), error.what(), "");
  } catch (const std::bad_alloc& error) {
    rethrow(context, "out of memory", error.what(), "");
  } catch (const std::exception& error) {
    rethrow(context, error.what(), error.what(), "");
  }
}

}  // namespace parity::model
