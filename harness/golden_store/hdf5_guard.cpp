#include "golden_store/hdf5_guard.h"

#include <fmt/format.h>

#include "error/error.h"

namespace parity::golden_store {
namespace {

/// The library's own account of the last failure.
struct FailureTrace {
  std::string lines;
  std::string innermost;
  bool out_of_memory = false;
};

extern "C" herr_t append_to_trace(unsigned, const H5E_error2_t* entry, void* data) {
  auto& trace = *static_cast<FailureTrace*>(data);
  const std::string description = entry->desc == nullptr ? "" : entry->desc;
  if (trace.innermost.empty()) trace.innermost = description;
  trace.out_of_memory =
      trace.out_of_memory || description.find("memory allocation failed") != std::string::npos;
  trace.lines +=
      fmt::format("{}: {}\n", entry->func_name == nullptr ? "?" : entry->func_name, description);
  return 0;
}

FailureTrace failure_trace() {
  FailureTrace trace;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, append_to_trace, &trace);
  return trace;
}

std::recursive_mutex& library_mutex() {
  static auto* mutex =
      new std::recursive_mutex();  // never destroyed: readers may close during exit
  return *mutex;
}

}  // namespace

std::string quoted(const std::string& text) {
  constexpr std::size_t kLongest = 120;
  std::string result = "'";
  for (std::size_t i = 0; i < text.size() && i < kLongest; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    result +=
        byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, text[i]);
  }
  if (text.size() > kLongest) result += "...";
  return result + "'";
}

Hdf5Session::Hdf5Session() : lock_(library_mutex()) {
  static const bool kPrepared = [] {
    H5::Exception::dontPrint();
    H5PLset_loading_state(0);
    return true;
  }();
  static_cast<void>(kPrepared);
}

void throw_translated(Access access, const std::string& file, const H5::Exception& cause) {
  const FailureTrace trace = failure_trace();
  const std::string detail =
      fmt::format("{}: {}\n{}", cause.getFuncName(), cause.getDetailMsg(), trace.lines);
  const std::string what = trace.innermost.empty() ? cause.getDetailMsg() : trace.innermost;
  if (trace.out_of_memory) throw_out_of_memory(file);
  throw Error(ErrorKind::store,
              access == Access::writing
                  ? fmt::format("cannot write {}: HDF5 says {}", file, quoted(what))
                  : fmt::format("{} is no usable golden: HDF5 says {}; record it again", file,
                                quoted(what)))
      .with_detail(detail);
}

void throw_malformed(Access access, const std::string& file, const Malformed& cause) {
  throw Error(ErrorKind::store,
              access == Access::writing
                  ? fmt::format("cannot write {}: {}", file, cause.what())
                  : fmt::format("{} is no usable golden: {}; record it again", file, cause.what()));
}

void throw_out_of_memory(const std::string& file) {
  throw Error(
      ErrorKind::resource,
      fmt::format(
          "not enough memory to handle {}; free some, or record fewer values with --store rows:N",
          file));
}

}  // namespace parity::golden_store
