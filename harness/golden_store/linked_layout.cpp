#include "golden_store/linked_layout.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "golden_store/columns.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

constexpr const char* kLinked = "linked";
constexpr const char* kFile = "file";
constexpr const char* kBodyBytes = "body_bytes";
constexpr const char* kBodyDigest = "body_digest";
constexpr std::string_view kCasePath = "/cases/";
constexpr std::size_t kMaxTargetBytes = std::size_t{1} << 16U;

/// Nothing but a name in the golden's own folder: no link leads out of it.
void check_name(const std::string& name) {
  const bool is_bare = !name.empty() && name != "." && name != ".." &&
                       name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
  if (!is_bare)
    throw Malformed(
        fmt::format("it has cases in {}, which is no name of a file beside it", quoted(name)));
}

void check_files(const std::vector<LinkedFile>& files) {
  std::set<std::string> names;
  for (const LinkedFile& file : files) {
    check_name(file.name);
    if (!names.insert(file.name).second)
      throw Malformed(fmt::format("it lists the file {} twice", quoted(file.name)));
  }
}

std::optional<std::size_t> case_of_path(std::string_view path) {
  if (path.substr(0, kCasePath.size()) != kCasePath) return std::nullopt;
  path.remove_prefix(kCasePath.size());
  std::size_t index = 0;
  const auto result = std::from_chars(path.data(), path.data() + path.size(), index);
  const bool is_number = result.ec == std::errc{} && result.ptr == path.data() + path.size();
  return is_number && numbered(index) == path ? std::optional(index) : std::nullopt;
}

}  // namespace

void write_linked_files(const H5::Group& root, const std::vector<LinkedFile>& files) {
  check_files(files);
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;
  std::vector<tensor::Digest> digests;
  for (const LinkedFile& file : files) {
    names.push_back(file.name);
    sizes.push_back(static_cast<std::int64_t>(file.body_bytes));
    digests.push_back(file.body_digest);
  }
  const H5::Group group(create_group(root, kLinked));
  const TableWriter table(group);
  table.texts(kFile, names);
  table.integers(kBodyBytes, sizes);
  table.digests(kBodyDigest, digests);
}

std::vector<LinkedFile> read_linked_files(const H5::Group& root, std::uint64_t file_bytes) {
  if (H5Lexists(root.getId(), kLinked, H5P_DEFAULT) <= 0) return {};
  const TableReader table(open_group(root, kLinked), kLinked, kFile, file_bytes);
  const std::vector<std::string> names = table.texts(kFile);
  const std::vector<std::int64_t> sizes = table.integers(kBodyBytes);
  const std::vector<tensor::Digest> digests = table.digests(kBodyDigest);
  std::vector<LinkedFile> files;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (sizes[row] < 0)
      throw Malformed(fmt::format("it gives {} a negative size", quoted(names[row])));
    files.push_back({names[row], static_cast<std::uint64_t>(sizes[row]), digests[row]});
  }
  check_files(files);
  if (files.empty()) throw Malformed("it says that its cases are in other files and names none");
  return files;
}

void write_case_link(const H5::Group& cases, const std::string& name, const std::string& file_name,
                     std::size_t case_index) {
  const std::string path = std::string(kCasePath) + numbered(case_index);
  checked(H5Lcreate_external(file_name.c_str(), path.c_str(), cases.getId(), name.c_str(),
                             H5P_DEFAULT, H5P_DEFAULT),
          "H5Lcreate_external");
}

CaseLink read_case_link(const H5::Group& cases, const std::string& name,
                        const std::vector<LinkedFile>& files) {
  const std::string where = fmt::format("case {} of a golden of links", name);
  if (H5Lexists(cases.getId(), name.c_str(), H5P_DEFAULT) <= 0)
    throw Malformed(fmt::format("{} is missing", where));
  H5L_info_t info{};
  checked(H5Lget_info(cases.getId(), name.c_str(), &info, H5P_DEFAULT), "H5Lget_info");
  if (info.type != H5L_TYPE_EXTERNAL || info.u.val_size == 0 || info.u.val_size > kMaxTargetBytes)
    throw Malformed(fmt::format("{} is no link to another file", where));
  std::vector<char> target(info.u.val_size);
  checked(H5Lget_val(cases.getId(), name.c_str(), target.data(), target.size(), H5P_DEFAULT),
          "H5Lget_val");
  const char* file_name = nullptr;
  const char* path = nullptr;
  unsigned flags = 0;
  checked(H5Lunpack_elink_val(target.data(), target.size(), &flags, &file_name, &path),
          "H5Lunpack_elink_val");
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const LinkedFile& one) { return one.name == file_name; });
  const std::optional<std::size_t> index = case_of_path(path);
  if (file == files.end() || !index) {
    throw Malformed(fmt::format("{} leads to {} in {}, which is no case of a file that it lists",
                                where, quoted(path), quoted(file_name)));
  }
  return {static_cast<std::size_t>(file - files.begin()), *index};
}

}  // namespace parity::golden_store
