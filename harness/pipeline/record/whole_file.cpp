#include "pipeline/record/whole_file.h"

#include <cstddef>
#include <span>

#include "golden_store/temporary_file.h"

namespace parity::pipeline {

void write_whole_file(const std::filesystem::path& path, std::string_view text) {
  golden_store::TemporaryFile file(path);
  file.write_at(0, std::as_bytes(std::span(text.data(), text.size())));
  file.publish();
}

std::filesystem::path written_path(const std::filesystem::path& path) {
  return golden_store::linked_path(path);
}

}  // namespace parity::pipeline
