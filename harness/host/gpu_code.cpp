#include "host/gpu_code.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <zlib.h>
#include <zstd.h>

#include "host/bytes_at.h"

namespace parity::host {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kBundle = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressed = "CCOB";
constexpr std::uint64_t kMostEntries = 4096;

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// "gfx90a:xnack-" of "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"; "" for the host's own entry.
std::string target_of(std::string_view id) {
  const std::size_t start = id.rfind("gfx");
  // Generic targets hold dashes themselves: the name starts behind the last double dash.
  const std::size_t dashes = id.rfind("--gfx");
  if (dashes != std::string_view::npos) return std::string(id.substr(dashes + 2));
  return start == std::string_view::npos ? std::string() : std::string(id.substr(start));
}

/// Reads the table at the head of a bundle: a count, then offset, size and name of each entry. The
/// code itself need not be there.
Targets bundle_targets(Bytes bundle) {
  Targets targets;
  std::size_t offset = kBundle.size();
  const auto count = at<std::uint64_t>(bundle, offset);
  if (!count || *count > kMostEntries) return targets;
  offset += sizeof(std::uint64_t);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto length = at<std::uint64_t>(bundle, offset + 2 * sizeof(std::uint64_t));
    offset += 3 * sizeof(std::uint64_t);
    if (!length || offset > bundle.size() || bundle.size() - offset < *length) return targets;
    const std::string target = target_of(
        {reinterpret_cast<const char*>(bundle.data() + offset), static_cast<std::size_t>(*length)});
    if (!target.empty()) targets.insert(target);
    offset += static_cast<std::size_t>(*length);
  }
  return targets;
}

/// Enough for the table of a bundle, whatever the code's size.
constexpr std::size_t kHead = std::size_t{64} * 1024;

/// The first bytes of what was compressed.
std::vector<std::byte> head_of_zlib(Bytes compressed) {
  std::vector<std::byte> head(kHead);
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  // zlib promises to leave its input alone, and says so only behind a macro.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data()));
  stream.avail_in =
      static_cast<uInt>(std::min<std::size_t>(compressed.size(), std::numeric_limits<uInt>::max()));
  stream.next_out = reinterpret_cast<Bytef*>(head.data());
  stream.avail_out = static_cast<uInt>(head.size());
  inflate(&stream, Z_SYNC_FLUSH);  // damaged data give what came before the damage
  head.resize(head.size() - stream.avail_out);
  inflateEnd(&stream);
  return head;
}

/// Likewise.
std::vector<std::byte> head_of_zstd(Bytes compressed) {
  std::vector<std::byte> head(kHead);
  ZSTD_DStream* stream = ZSTD_createDStream();
  if (stream == nullptr) return {};
  ZSTD_outBuffer out{head.data(), head.size(), 0};
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  while (out.pos < out.size && in.pos < in.size) {
    const std::size_t before = in.pos + out.pos;
    const std::size_t left = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(left) != 0 || left == 0 || in.pos + out.pos == before) break;
  }
  ZSTD_freeDStream(stream);
  head.resize(out.pos);
  return head;
}

/// Size of the header of compressed bundles of a version; 0 for unknown ones. Behind magic (4),
/// version (2) and method (2) come the sizes, packed and unpacked, and a hash of 8 bytes.
std::size_t header_bytes(std::uint16_t version) {
  switch (version) {
    case 1:
      return 8 + 4 + 8;
    case 2:
      return 8 + 4 + 4 + 8;
    case 3:
      return 8 + 8 + 8 + 8;
    default:
      return 0;
  }
}

/// llvm::compression::Format
constexpr std::uint16_t kZlib = 0;
constexpr std::uint16_t kZstd = 1;

/// nullopt when this program cannot undo the compression.
std::optional<Targets> compressed_targets(Bytes bundle) {
  const auto version = at<std::uint16_t>(bundle, kCompressed.size());
  const auto method = at<std::uint16_t>(bundle, kCompressed.size() + 2);
  if (!version || !method || (*method != kZlib && *method != kZstd)) return std::nullopt;
  const std::size_t header = header_bytes(*version);
  if (header == 0 || bundle.size() < header) return std::nullopt;
  const Bytes packed = bundle.subspan(header);
  const std::vector<std::byte> head =
      *method == kZlib ? head_of_zlib(packed) : head_of_zstd(packed);
  if (!starts_with(head, kBundle)) return std::nullopt;
  return bundle_targets(head);
}

/// Of counted names those that at least every second part has: a few kernels are built for one GPU
/// more.
Targets common(const std::map<std::string, std::size_t>& counts, std::size_t parts) {
  Targets names;
  for (const auto& [name, count] : counts) {
    if (2 * count >= parts) names.insert(name);
  }
  return names;
}

struct FatCounts {
  std::map<std::string, std::size_t> machine;
  std::map<std::string, std::size_t> intermediate;
};

/// The entries of one fat binary. Layout of an entry: kind (2 bytes: 1 PTX, 2 machine code),
/// version (2), size of its header (4), size of its code (8), and the architecture at byte 28.
void count_entries(Bytes entries, FatCounts& counts) {
  Targets machine;
  Targets intermediate;
  for (std::size_t offset = 0; offset < entries.size();) {
    const auto kind = at<std::uint16_t>(entries, offset);
    const auto header = at<std::uint32_t>(entries, offset + 4);
    const auto size = at<std::uint64_t>(entries, offset + 8);
    const auto arch = at<std::uint32_t>(entries, offset + 28);
    if (!kind || !header || !size || !arch || *header == 0) break;
    if (*kind == 1) intermediate.insert("compute_" + std::to_string(*arch));
    if (*kind == 2) machine.insert("sm_" + std::to_string(*arch));
    if (*size > entries.size() || *header > entries.size()) break;
    offset += *header + static_cast<std::size_t>(*size);
  }
  for (const std::string& name : machine) ++counts.machine[name];
  for (const std::string& name : intermediate) ++counts.intermediate[name];
}

}  // namespace

GpuCode hip_code(const ElfFile& library) {
  GpuCode code;
  const Bytes section = library.section(".hip_fatbin");
  const std::string_view text(reinterpret_cast<const char*>(section.data()), section.size());
  std::map<std::string, std::size_t> counts;
  std::size_t bundles = 0;
  // Bundles start on pages; a byte pattern elsewhere is code.
  constexpr std::size_t kPage = 4096;
  for (std::size_t offset = 0; offset < text.size(); offset += kPage) {
    const Bytes rest = section.subspan(offset);
    std::optional<Targets> targets;
    if (starts_with(rest, kBundle)) {
      targets = bundle_targets(rest);
    } else if (starts_with(rest, kCompressed)) {
      targets = compressed_targets(rest);
      if (!targets) code.unreadable = true;
    }
    if (!targets || targets->empty()) continue;
    ++bundles;
    for (const std::string& target : *targets) ++counts[target];
  }
  code.targets = common(counts, bundles);
  return code;
}

GpuCode cuda_code(const ElfFile& library) {
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  const Bytes section = library.section(".nv_fatbin");
  FatCounts counts;
  std::size_t binaries = 0;
  std::size_t offset = 0;
  while (offset < section.size()) {
    const auto header = at<std::uint16_t>(section, offset + 6);
    const auto size = at<std::uint64_t>(section, offset + 8);
    if (at<std::uint32_t>(section, offset) != kMagic || !header || !size ||
        *size > section.size() - offset) {
      offset += 8;  // padding between binaries
      continue;
    }
    const std::size_t end = std::min<std::size_t>(offset + *header + *size, section.size());
    if (offset + *header < end)
      count_entries(section.subspan(offset + *header, end - offset - *header), counts);
    ++binaries;
    offset = end;
  }
  return {common(counts.machine, binaries), common(counts.intermediate, binaries), false};
}

Targets kernel_file_targets(const std::filesystem::path& folder) {
  Targets targets;
  std::error_code problem;
  std::filesystem::directory_iterator entries(folder, problem);
  for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem)) {
    const std::string name = entries->path().filename().string();
    const std::size_t start = name.rfind("gfx");
    if (start == std::string::npos) continue;
    const std::size_t end = name.find_first_not_of("0123456789abcdef", start + 3);
    targets.insert(name.substr(start, end == std::string::npos ? end : end - start));
  }
  return targets;
}

}  // namespace parity::host
