// The directory of a zip file and the bytes of its records: stored ones in place, deflated ones
// inflated. Own directory reading, because no zip library tells where in the file a stored record's
// bytes lie.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/weights/file_bytes.h"

struct zip;  // libzip's archive

namespace parity::model {

class ZipArchive {
 public:
  struct Entry {
    std::string name;
    std::uint16_t method = 0;  ///< 0 stored, 8 deflated
    std::uint16_t flags = 0;
    std::uint64_t compressed_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t header_offset = 0;
  };

  /// Reads the directory, ZIP64 included. `label` is the file's name for messages.
  /// Throws Error(model) when the directory is missing (a cut-off file) or contradicts the file's
  /// size.
  ZipArchive(FileBytes file, std::string label);

  /// True when the bytes begin as a zip file does.
  [[nodiscard]] static bool looks_like_zip(std::span<const std::byte> bytes);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] bool contains(std::string_view name) const;

  /// The record's content; nullopt when there is no such record.
  /// Throws Error(model) when it is encrypted, cut off, damaged or compressed by another method
  /// than deflate.
  [[nodiscard]] std::optional<FileBytes> read(std::string_view name) const;

  /// Part of the first record's name up to its first '/', which torch calls the archive's name; ""
  /// without one.
  [[nodiscard]] std::string top_folder() const;

 private:
  [[nodiscard]] FileBytes stored(const Entry& entry) const;
  [[nodiscard]] FileBytes inflated(const Entry& entry, std::uint64_t index) const;

  FileBytes file_;
  std::string label_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
  mutable std::uint64_t inflated_bytes_ = 0;
  mutable std::shared_ptr<zip> library_;  ///< opened by the first deflated record
};

}  // namespace parity::model
