// The one door between HDF5 and the rest: serialises its use, silences its printing and turns its
// failures into parity::Error. Refuses to know what is being read or written.
#pragma once

#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <H5Cpp.h>

namespace parity::golden_store {

/// What a file holds, or is asked to hold, that a golden cannot; guarded() adds the file's name and
/// what to do.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Text of a file made safe for one line of a message: quoted, escaped, cut at 120 bytes.
[[nodiscard]] std::string quoted(const std::string& text);

/// While one lives, this thread alone uses HDF5 (the distributions build it without thread
/// support). The first one sets the library up: silent, without plugins, without its own closing of
/// files at exit.
class Hdf5Session {
 public:
  Hdf5Session();

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

/// Which side fails: a reader blames the file, a writer the disk.
enum class Access { reading, writing };

[[noreturn]] void throw_translated(Access access, const std::string& file,
                                   const H5::Exception& cause);
[[noreturn]] void throw_malformed(Access access, const std::string& file, const Malformed& cause);
[[noreturn]] void throw_out_of_memory(const std::string& file);

/// Runs `work`, the only code that may call HDF5, and translates what it throws.
template <typename Work>
auto guarded(Access access, const std::string& file, Work&& work) -> decltype(work()) {
  const Hdf5Session session;
  try {
    return work();
  } catch (const H5::Exception& cause) {
    throw_translated(access, file, cause);
  } catch (const Malformed& cause) {
    throw_malformed(access, file, cause);
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(file);
  } catch (const std::length_error&) {
    throw_out_of_memory(file);
  }
}

/// Throws the C++ API's exception for a failed call of the C API, which is used where the C++ API
/// lacks a call.
template <typename Result>
Result checked(Result result, const char* call) {
  if (result < 0) throw H5::Exception(call, "failed");
  return result;
}

}  // namespace parity::golden_store
