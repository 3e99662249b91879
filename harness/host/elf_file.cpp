#include "host/elf_file.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/bytes_at.h"

namespace parity::host {
namespace {

using Bytes = std::span<const std::byte>;

Bytes part(Bytes file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size)
    return {};
  return file.subspan(section.sh_offset, section.sh_size);
}

/// The text of a string table up to its zero.
std::string text_at(Bytes table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const auto* first = reinterpret_cast<const char*>(table.data() + offset);
  return {first, strnlen(first, table.size() - offset)};
}

struct Mapping {
  std::shared_ptr<const std::byte> start;
  Bytes bytes;
};

std::optional<Mapping> mapped(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  void* start = MAP_FAILED;
  std::size_t size = 0;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size = static_cast<std::size_t>(status.st_size);
    start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  close(descriptor);
  if (start == MAP_FAILED) return std::nullopt;
  const std::shared_ptr<const std::byte> owner(
      static_cast<const std::byte*>(start),
      [size](const std::byte* first) { munmap(const_cast<std::byte*>(first), size); });
  return Mapping{owner, Bytes(owner.get(), size)};
}

bool is_supported(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shstrndx < header.e_shnum;
}

}  // namespace

std::optional<ElfFile> ElfFile::open(const std::filesystem::path& file) {
  auto mapping = mapped(file);
  if (!mapping) return std::nullopt;
  ElfFile elf;
  elf.mapping_ = mapping->start;
  elf.bytes_ = mapping->bytes;
  if (!elf.read_sections()) return std::nullopt;
  elf.read_dynamic(file.parent_path());
  return elf;
}

bool ElfFile::read_sections() {
  const auto header = at<Elf64_Ehdr>(bytes_, 0);
  if (!header || !is_supported(*header)) return false;
  std::vector<Elf64_Shdr> headers;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(bytes_, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return false;
    headers.push_back(*section);
  }
  const Elf64_Shdr& named = headers[header->e_shstrndx];
  const Bytes names = part(bytes_, named);
  for (const Elf64_Shdr& section : headers) {
    const Bytes bytes = section.sh_type == SHT_NOBITS ? Bytes{} : part(bytes_, section);
    sections_.push_back({text_at(names, section.sh_name), bytes, section.sh_link});
  }
  return true;
}

void ElfFile::read_dynamic(const std::filesystem::path& origin) {
  const auto dynamic = std::find_if(sections_.begin(), sections_.end(),
                                    [](const Section& s) { return s.name == ".dynamic"; });
  if (dynamic == sections_.end() || dynamic->link >= sections_.size()) return;
  const Bytes texts = sections_[dynamic->link].bytes;
  for (std::uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
    const auto entry = at<Elf64_Dyn>(dynamic->bytes, offset);
    if (!entry || entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_NEEDED) needed_.push_back(text_at(texts, entry->d_un.d_val));
    if (entry->d_tag != DT_RUNPATH && entry->d_tag != DT_RPATH) continue;
    std::istringstream folders(text_at(texts, entry->d_un.d_val));
    for (std::string folder; std::getline(folders, folder, ':');) {
      for (const std::string word : {"$ORIGIN", "${ORIGIN}"}) {
        const std::size_t place = folder.find(word);
        if (place != std::string::npos) folder.replace(place, word.size(), origin.string());
      }
      search_folders_.emplace_back(folder);
    }
  }
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  const auto table = std::find_if(sections_.begin(), sections_.end(),
                                  [](const Section& s) { return s.name == ".dynsym"; });
  if (table == sections_.end() || table->link >= sections_.size()) return {};
  const Bytes texts = sections_[table->link].bytes;
  std::vector<ElfSymbol> symbols;
  for (std::uint64_t offset = 0; const auto entry = at<Elf64_Sym>(table->bytes, offset);
       offset += sizeof(Elf64_Sym)) {
    const auto binding = ELF64_ST_BIND(entry->st_info);
    if (binding == STB_LOCAL) continue;
    using Place = ElfSymbol::Place;
    const Place place = entry->st_shndx != SHN_UNDEF ? Place::here
                        : binding == STB_WEAK        ? Place::elsewhere_if_at_all
                                                     : Place::elsewhere;
    symbols.push_back({text_at(texts, entry->st_name), place});
  }
  return symbols;
}

std::string ElfFile::build_id() const {
  const Bytes notes = section(".note.gnu.build-id");
  const auto note = at<Elf64_Nhdr>(notes, 0);
  if (!note || note->n_type != NT_GNU_BUILD_ID) return {};
  const std::uint64_t start = sizeof(Elf64_Nhdr) + (std::uint64_t{note->n_namesz} + 3) / 4 * 4;
  if (start > notes.size() || notes.size() - start < note->n_descsz) return {};
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte one : notes.subspan(start, note->n_descsz)) {
    text += kDigits[std::to_integer<std::size_t>(one) >> 4U];
    text += kDigits[std::to_integer<std::size_t>(one) & 15U];
  }
  return text;
}

std::span<const std::byte> ElfFile::section(const std::string& name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return section.bytes;
  }
  return {};
}

}  // namespace parity::host
