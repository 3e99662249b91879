// A golden whose cases lie in other files beside it: which files, sealed by their digests, and
// which case is which. The links are HDF5's own, for other programs; here they are read as text and
// never followed by the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <H5Cpp.h>

#include "tensor/digest.h"

namespace parity::golden_store {

/// A file in the folder of the golden, and what its seal has to say.
struct LinkedFile {
  std::string name;  ///< without a folder
  std::uint64_t body_bytes = 0;
  tensor::Digest body_digest;
};

/// A case of one of them.
struct CaseLink {
  std::size_t file = 0;  ///< place in the list of files
  std::size_t case_index = 0;
};

/// Throws Malformed for a name that is no bare file name, as does the reader.
void write_linked_files(const H5::Group& root, const std::vector<LinkedFile>& files);
/// Empty for a golden that holds its cases itself.
[[nodiscard]] std::vector<LinkedFile> read_linked_files(const H5::Group& root,
                                                        std::uint64_t file_bytes);

/// Puts a link to case `case_index` of the file `file_name` under `name` into the group of cases.
void write_case_link(const H5::Group& cases, const std::string& name, const std::string& file_name,
                     std::size_t case_index);
/// Throws Malformed for what is no such link into one of `files`.
[[nodiscard]] CaseLink read_case_link(const H5::Group& cases, const std::string& name,
                                      const std::vector<LinkedFile>& files);

}  // namespace parity::golden_store
