#include "model/torch/guard.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include <c10/util/Exception.h>

namespace parity::model {
namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// What a person can do about the kinds of failure that come from parity's own flags or from the
/// device.
std::string_view advice_for(ErrorKind kind, std::string_view text) {
  if (contains_any(text,
                   {"No available kernel", "No viable backend for scaled_dot_product_attention"})) {
    return "; this attention backend cannot run these inputs: use --sdpa default or --sdpa math";
  }
  if (contains_any(text, {"does not have a deterministic implementation"})) {
    return "; run without --deterministic";
  }
  if (contains_any(text,
                   {"expected scalar type", "to have the same dtype", "must have the same dtype",
                    "not implemented for 'Half'", "not implemented for 'BFloat16'"})) {
    return "; the model's code may fix a dtype, or the device lacks this op in it: try --dtype "
           "keep or another dtype";
  }
  if (contains_any(text, {"Unknown builtin op", "Unknown type name '__torch__.torch.classes"})) {
    return "; give the library that defines it with --library";
  }
  if (kind == ErrorKind::resource)
    return "; use a smaller batch, a smaller model or a larger device";
  return "";
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const std::size_t last = text.find_last_not_of(" \t\r\n.");
  return std::string(text.substr(first, last == std::string_view::npos ? 0 : last - first + 1));
}

[[noreturn]] void rethrow(const std::string& context, const std::string& brief,
                          const std::string& whole) {
  const ErrorKind kind = kind_of_failure(brief);
  const std::string message =
      context + ": " + cause_of(brief) + std::string(advice_for(kind, brief)) + ".";
  throw Error(kind, message).with_detail(whole);
}

}  // namespace

ErrorKind kind_of_failure(const std::string& text) {
  if (contains_any(text, {"out of memory", "not enough memory", "OUT_OF_MEMORY",
                          "Cannot allocate memory"})) {
    return ErrorKind::resource;
  }
  if (contains_any(text,
                   {"CUDA error", "HIP error", "CUBLAS_STATUS", "CUDNN_STATUS", "HIPBLAS_STATUS",
                    "MIOPEN_STATUS", "miopenStatus", "CUSOLVER_STATUS", "cudaError", "hipError"})) {
    return ErrorKind::device;
  }
  return ErrorKind::model;
}

std::string cause_of(const std::string& text) {
  // The interpreter puts the real cause last: "...\nRuntimeError: addmm_impl_cpu_ not implemented
  // for 'Half'".
  static constexpr std::string_view kInterpreter =
      "The following operation failed in the TorchScript interpreter";
  std::string_view rest = text;
  if (rest.find(kInterpreter) != std::string_view::npos) {
    const std::size_t colon = rest.rfind("Error: ");
    const std::size_t line = colon == std::string_view::npos ? colon : rest.rfind('\n', colon);
    if (line != std::string_view::npos) {
      rest = rest.substr(line + 1);
      static constexpr std::string_view kRuntimeError = "RuntimeError: ";
      if (rest.rfind(kRuntimeError, 0) == 0) rest.remove_prefix(kRuntimeError.size());
    }
  }
  const std::size_t start = rest.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "no reason given";
  rest.remove_prefix(start);
  rest = rest.substr(0, rest.find('\n'));
  // Behind these words torch gives advice for Python users and figures of its allocator.
  for (const std::string_view chatter : {". You can turn off determinism", ". GPU "}) {
    rest = rest.substr(0, rest.find(chatter));
  }
  return trimmed(rest);
}

void with_torch_errors(const std::string& context, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& error) {
    rethrow(context, error.what_without_backtrace(), error.what());
  } catch (const std::bad_alloc& error) {
    rethrow(context, "out of memory", error.what());
  } catch (const std::exception& error) {
    rethrow(context, error.what(), error.what());
  }
}

}  // namespace parity::model
