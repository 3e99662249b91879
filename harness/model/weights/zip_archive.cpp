#include "model/weights/zip_archive.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <zip.h>

#include "error/error.h"

namespace parity::model {
namespace {

constexpr std::uint64_t kLocalHeader = 0x04034b50;
constexpr std::uint64_t kCentralHeader = 0x02014b50;
constexpr std::uint64_t kEndRecord = 0x06054b50;
constexpr std::uint64_t kEndRecord64 = 0x06064b50;
constexpr std::uint64_t kEndLocator64 = 0x07064b50;
constexpr std::size_t kLocalHeaderBytes = 30;
constexpr std::size_t kCentralHeaderBytes = 46;
constexpr std::size_t kEndRecordBytes = 22;
constexpr std::uint64_t kNarrowMax = 0xffffffff;  // the true value stands in the ZIP64 field
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

[[noreturn]] void damaged(const std::string& label, const std::string& what) {
  throw Error(ErrorKind::model,
              label + " is a damaged zip file (" + what + "); copy or save it again");
}

std::optional<std::size_t> find_end_record(std::span<const std::byte> bytes) {
  if (bytes.size() < kEndRecordBytes) return std::nullopt;
  // The end record is followed by a comment of at most 65535 bytes.
  const std::size_t last = bytes.size() - kEndRecordBytes;
  const std::size_t first = last > 0xffff ? last - 0xffff : 0;
  for (std::size_t at = last + 1; at-- > first;) {
    if (little_endian(bytes, at, 4) == kEndRecord) return at;
  }
  return std::nullopt;
}

Directory find_directory(std::span<const std::byte> bytes, const std::string& label) {
  const std::optional<std::size_t> end = find_end_record(bytes);
  if (!end) damaged(label, "its directory is missing, the file is cut off");
  Directory directory{little_endian(bytes, *end + 10, 2), little_endian(bytes, *end + 16, 4),
                      little_endian(bytes, *end + 12, 4)};
  constexpr std::size_t kLocatorBytes = 20;
  if (*end >= kLocatorBytes && little_endian(bytes, *end - kLocatorBytes, 4) == kEndLocator64) {
    const std::uint64_t at = little_endian(bytes, *end - kLocatorBytes + 8, 8);
    if (!holds(bytes, at, 56) || little_endian(bytes, at, 4) != kEndRecord64) {
      damaged(label, "its ZIP64 directory record is not where it should be");
    }
    directory = {little_endian(bytes, at + 32, 8), little_endian(bytes, at + 48, 8),
                 little_endian(bytes, at + 40, 8)};
  }
  if (!holds(bytes, directory.offset, directory.size_bytes) ||
      directory.count > directory.size_bytes / kCentralHeaderBytes) {
    damaged(label, "its directory reaches past the end of the file");
  }
  return directory;
}

/// Replaces the fields that did not fit 32 bits by those of the ZIP64 extra field.
void widen(ZipArchive::Entry& entry, std::span<const std::byte> extra, const std::string& label) {
  std::size_t at = 0;
  while (holds(extra, at, 4)) {
    const std::uint64_t id = little_endian(extra, at, 2);
    const std::uint64_t size = little_endian(extra, at + 2, 2);
    at += 4;
    if (!holds(extra, at, size)) return;
    if (id == 1) {
      std::size_t field = at;
      for (std::uint64_t* value :
           {&entry.size_bytes, &entry.compressed_bytes, &entry.header_offset}) {
        if (*value != kNarrowMax) continue;
        if (field + 8 > at + size) damaged(label, "a ZIP64 field is too short");
        *value = little_endian(extra, field, 8);
        field += 8;
      }
    }
    at += size;
  }
}

struct ZipFileCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

std::shared_ptr<zip_t> open_with_library(std::span<const std::byte> bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) return nullptr;
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  zip_error_fini(&error);
  if (archive == nullptr) {
    zip_source_free(source);
    return nullptr;
  }
  return {archive, [](zip_t* open) { zip_discard(open); }};
}

}  // namespace

ZipArchive::ZipArchive(FileBytes file, std::string label)
    : file_(std::move(file)), label_(std::move(label)) {
  const std::span<const std::byte> bytes = file_.bytes;
  const Directory directory = find_directory(bytes, label_);
  const std::span<const std::byte> table = bytes.subspan(directory.offset, directory.size_bytes);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (!holds(table, at, kCentralHeaderBytes) || little_endian(table, at, 4) != kCentralHeader) {
      damaged(label_, "its directory holds no entry where one is announced");
    }
    const std::uint64_t name_bytes = little_endian(table, at + 28, 2);
    const std::uint64_t extra_bytes = little_endian(table, at + 30, 2);
    const std::uint64_t comment_bytes = little_endian(table, at + 32, 2);
    if (!holds(table, at + kCentralHeaderBytes, name_bytes + extra_bytes + comment_bytes)) {
      damaged(label_, "a name in its directory is cut off");
    }
    Entry entry;
    entry.flags = static_cast<std::uint16_t>(little_endian(table, at + 8, 2));
    entry.method = static_cast<std::uint16_t>(little_endian(table, at + 10, 2));
    entry.compressed_bytes = little_endian(table, at + 20, 4);
    entry.size_bytes = little_endian(table, at + 24, 4);
    entry.header_offset = little_endian(table, at + 42, 4);
    at += kCentralHeaderBytes;
    entry.name = std::string(as_text(table.subspan(at, name_bytes)));
    widen(entry, table.subspan(at + name_bytes, extra_bytes), label_);
    at += name_bytes + extra_bytes + comment_bytes;
    if (!index_.emplace(entry.name, entries_.size()).second) {
      damaged(label_, "it holds two records named `" + entry.name + "`");
    }
    entries_.push_back(std::move(entry));
  }
}

bool ZipArchive::looks_like_zip(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return false;
  const std::uint64_t magic = little_endian(bytes, 0, 4);
  return magic == kLocalHeader || magic == kEndRecord;
}

bool ZipArchive::contains(std::string_view name) const {
  return index_.count(std::string(name)) != 0;
}

std::optional<FileBytes> ZipArchive::read(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) return std::nullopt;
  const Entry& entry = entries_[found->second];
  if ((entry.flags & 1U) != 0) {
    throw Error(ErrorKind::model, label_ + " holds the encrypted record `" + entry.name +
                                      "`; save the file again without a password");
  }
  if (entry.method == kStored) return stored(entry);
  if (entry.method == kDeflated) return inflated(entry, found->second);
  throw Error(ErrorKind::model, label_ + " holds the record `" + entry.name +
                                    "` compressed by method " + std::to_string(entry.method) +
                                    "; save the file again with torch.save");
}

std::string ZipArchive::top_folder() const {
  if (entries_.empty()) return {};
  const std::string& name = entries_.front().name;
  const std::size_t slash = name.find('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

FileBytes ZipArchive::stored(const Entry& entry) const {
  const std::span<const std::byte> bytes = file_.bytes;
  if (!holds(bytes, entry.header_offset, kLocalHeaderBytes) ||
      little_endian(bytes, entry.header_offset, 4) != kLocalHeader) {
    damaged(label_, "the record `" + entry.name + "` is not where the directory says");
  }
  // Name and extra field of the local header differ from the directory's: torch pads there for
  // alignment.
  const std::uint64_t data_offset = entry.header_offset + kLocalHeaderBytes +
                                    little_endian(bytes, entry.header_offset + 26, 2) +
                                    little_endian(bytes, entry.header_offset + 28, 2);
  if (entry.compressed_bytes != entry.size_bytes || !holds(bytes, data_offset, entry.size_bytes)) {
    damaged(label_, "the record `" + entry.name + "` reaches past the end of the file");
  }
  return {bytes.subspan(data_offset, entry.size_bytes), file_.owner};
}

FileBytes ZipArchive::inflated(const Entry& entry, std::uint64_t index) const {
  // Deflate packs at most about 1032 to 1, so a larger claim is a lie and nothing is allocated for
  // it.
  constexpr std::uint64_t kLargestRatio = 1040;
  if (!holds(file_.bytes, entry.header_offset, entry.compressed_bytes) ||
      entry.size_bytes > (entry.compressed_bytes + 1) * kLargestRatio) {
    damaged(label_, "the record `" + entry.name + "` claims more bytes than it can hold");
  }
  // Records that share their packed bytes would inflate without end.
  inflated_bytes_ += entry.size_bytes;
  if (inflated_bytes_ > (file_.bytes.size() + 1) * kLargestRatio) {
    damaged(label_, "its records claim more bytes than the file can hold");
  }
  if (!library_) library_ = open_with_library(file_.bytes);
  if (!library_) damaged(label_, "its directory cannot be read");
  const char* library_name = zip_get_name(library_.get(), index, ZIP_FL_ENC_RAW);
  const std::unique_ptr<zip_file_t, ZipFileCloser> stream(
      zip_fopen_index(library_.get(), index, 0));
  if (!stream || library_name == nullptr || entry.name != library_name) {
    damaged(label_, "the record `" + entry.name + "` cannot be opened");
  }
  auto content = std::make_shared<std::vector<std::byte>>();
  try {
    content->resize(entry.size_bytes);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::resource, "no memory for the record `" + entry.name + "` of " + label_ +
                                         " (" + std::to_string(entry.size_bytes) + " bytes)");
  }
  std::uint64_t done = 0;
  while (done < entry.size_bytes) {
    const zip_int64_t got =
        zip_fread(stream.get(), content->data() + done, entry.size_bytes - done);
    if (got <= 0) damaged(label_, "the record `" + entry.name + "` does not inflate");
    done += static_cast<std::uint64_t>(got);
  }
  // One more read makes the library compare the checksum, and shows content past the announced
  // size.
  std::byte extra{};
  if (zip_fread(stream.get(), &extra, 1) != 0) {
    damaged(label_, "the record `" + entry.name + "` does not match its checksum or size");
  }
  const std::span<const std::byte> view = *content;
  return {view, std::move(content)};
}

}  // namespace parity::model
