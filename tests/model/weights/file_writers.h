// What the tests of the readers write: temporary files, zip archives and pickles, byte by byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/error.h"
#include "model/weights/file_bytes.h"

namespace parity::model::testing {

/// A folder that is gone when the test ends.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// Writes `content` and returns where.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

/// Owned bytes in the form that readers take.
[[nodiscard]] FileBytes bytes_of(std::string content);

/// `value` as `size` bytes, least significant first.
[[nodiscard]] std::string little(std::uint64_t value, std::size_t size);

/// float32 values as they lie in a file.
[[nodiscard]] std::string floats(const std::vector<float>& values);

enum class Packing : std::uint8_t { stored, deflated };
using Records = std::vector<std::pair<std::string, std::string>>;
/// A zip archive of named records, as bytes.
[[nodiscard]] std::string zip_of(const Records& records, Packing packing = Packing::stored);

/// Message of the parity::Error that `body` throws; "" when it throws none.
[[nodiscard]] std::string error_of(const std::function<void()>& body);

}  // namespace parity::model::testing

/// Spelling of pickles, protocol 2 unless said otherwise. Each function gives the opcodes that push
/// one object.
namespace parity::model::testing::pickled {

[[nodiscard]] std::string program(const std::string& object);  ///< a whole pickle
[[nodiscard]] std::string text(std::string_view value);
[[nodiscard]] std::string integer(std::int32_t value);
[[nodiscard]] std::string global(const std::string& module, const std::string& name);
[[nodiscard]] std::string tuple(const std::vector<std::string>& items);
[[nodiscard]] std::string list(const std::vector<std::string>& items);
[[nodiscard]] std::string dict(const std::vector<std::pair<std::string, std::string>>& items);
[[nodiscard]] std::string call(const std::string& function, const std::vector<std::string>& items);
[[nodiscard]] std::string integers(const std::vector<std::int32_t>& values);  ///< a tuple

[[nodiscard]] std::string storage(const std::string& type, const std::string& key,
                                  std::int32_t elements, const std::string& location = "cpu");
[[nodiscard]] std::string tensor(const std::string& storage, std::int32_t offset,
                                 const std::vector<std::int32_t>& sizes,
                                 const std::vector<std::int32_t>& strides);

}  // namespace parity::model::testing::pickled
