#include "host/made_library.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <elf.h>
#include <zlib.h>
#include <zstd.h>

namespace parity::host {
namespace {

template <class Value>
void add(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Section {
  std::string name;
  std::string bytes;
  std::uint32_t type = SHT_PROGBITS;
  std::uint32_t link = 0;
};

void add_dynamic(std::vector<Section>& sections, const LibraryParts& parts) {
  std::string texts(1, '\0');
  std::string entries;
  const auto entry = [&](std::int64_t tag, const std::string& text) {
    Elf64_Dyn dynamic{};
    dynamic.d_tag = tag;
    dynamic.d_un.d_val = texts.size();
    texts += text + '\0';
    add(entries, dynamic);
  };
  for (const std::string& name : parts.needed) entry(DT_NEEDED, name);
  if (!parts.runpath.empty()) entry(DT_RUNPATH, parts.runpath);
  add(entries, Elf64_Dyn{});
  const auto link = static_cast<std::uint32_t>(sections.size());
  sections.push_back({".dynstr", texts, SHT_STRTAB, 0});
  sections.push_back({".dynamic", entries, SHT_DYNAMIC, link});
}

std::string bundle(const std::vector<std::string>& targets) {
  std::vector<std::string> ids = {"host-x86_64-unknown-linux-gnu-"};
  for (const std::string& target : targets) ids.push_back("hipv4-amdgcn-amd-amdhsa--" + target);
  std::string bytes = "__CLANG_OFFLOAD_BUNDLE__";
  add(bytes, static_cast<std::uint64_t>(ids.size()));
  for (const std::string& id : ids) {
    add(bytes, std::uint64_t{4096});
    add(bytes, std::uint64_t{64});
    add(bytes, static_cast<std::uint64_t>(id.size()));
    bytes += id;
  }
  bytes.resize(4096);
  return bytes + std::string(2048, 'k');
}

std::string packed_by(Packer packer, const std::string& plain) {
  if (packer == Packer::zlib) {
    uLongf size = compressBound(plain.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(plain.data()), plain.size());
    packed.resize(size);
    return packed;
  }
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

std::string compressed(const std::string& plain, int version, Packer packer) {
  const std::string packed = packed_by(packer, plain);
  std::string bytes = "CCOB";
  add(bytes, static_cast<std::uint16_t>(version));
  add(bytes, static_cast<std::uint16_t>(packer));
  const std::size_t header = version == 1 ? 20U : version == 2 ? 24U : 32U;
  if (version == 2) add(bytes, static_cast<std::uint32_t>(header + packed.size()));
  if (version == 3) add(bytes, static_cast<std::uint64_t>(header + packed.size()));
  if (version == 3) {
    add(bytes, static_cast<std::uint64_t>(plain.size()));
  } else {
    add(bytes, static_cast<std::uint32_t>(plain.size()));
  }
  add(bytes, std::uint64_t{0x1234});  // hash, which nobody checks here
  return bytes + packed;
}

}  // namespace

std::string made_library(const LibraryParts& parts) {
  std::vector<Section> sections = {{"", "", SHT_NULL, 0}};
  for (const auto& [name, bytes] : parts.sections) sections.push_back({name, bytes});
  add_dynamic(sections, parts);
  sections.push_back({".shstrtab", "", SHT_STRTAB, 0});
  std::string names;
  std::vector<std::uint32_t> places;
  for (const Section& section : sections) {
    places.push_back(static_cast<std::uint32_t>(names.size()));
    names += section.name + '\0';
  }
  sections.back().bytes = names;

  std::string body;
  std::string headers;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr header{};
    header.sh_name = places[i];
    header.sh_type = sections[i].type;
    header.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    header.sh_size = sections[i].bytes.size();
    header.sh_link = sections[i].link;
    add(headers, header);
    body += sections[i].bytes;
  }
  Elf64_Ehdr start{};
  std::memcpy(start.e_ident, ELFMAG, SELFMAG);
  start.e_ident[EI_CLASS] = ELFCLASS64;
  start.e_ident[EI_DATA] = ELFDATA2LSB;
  start.e_ident[EI_VERSION] = EV_CURRENT;
  start.e_type = ET_DYN;
  start.e_machine = EM_X86_64;
  start.e_shoff = sizeof(Elf64_Ehdr) + body.size();
  start.e_ehsize = sizeof(Elf64_Ehdr);
  start.e_shentsize = sizeof(Elf64_Shdr);
  start.e_shnum = static_cast<std::uint16_t>(sections.size());
  start.e_shstrndx = static_cast<std::uint16_t>(sections.size() - 1);
  std::string file;
  add(file, start);
  return file + body + headers;
}

std::string made_hip_code(const std::vector<std::string>& targets, int compression, int copies,
                          Packer packer) {
  std::string bytes;
  for (int i = 0; i < copies; ++i) {
    bytes.resize((bytes.size() + 4095) / 4096 * 4096);
    bytes += compression == 0 ? bundle(targets) : compressed(bundle(targets), compression, packer);
  }
  return bytes;
}

std::string made_cuda_code(const std::vector<std::string>& targets) {
  std::string entries;
  for (const std::string& target : targets) {
    std::string header(64, '\0');
    const auto put = [&](std::size_t offset, const auto& value) {
      std::memcpy(header.data() + offset, &value, sizeof value);
    };
    const std::size_t line = target.find('_');
    if (line == std::string::npos) throw std::invalid_argument(target);
    put(0, static_cast<std::uint16_t>(target.rfind("compute", 0) == 0 ? 1 : 2));
    put(2, std::uint16_t{0x101});
    put(4, std::uint32_t{64});
    put(8, std::uint64_t{128});
    put(28, static_cast<std::uint32_t>(std::stoul(target.substr(line + 1))));
    entries += header + std::string(128, 'k');
  }
  std::string bytes;
  add(bytes, std::uint32_t{0xBA55ED50});
  add(bytes, std::uint16_t{1});
  add(bytes, std::uint16_t{16});
  add(bytes, static_cast<std::uint64_t>(entries.size()));
  return bytes + entries;
}

}  // namespace parity::host
