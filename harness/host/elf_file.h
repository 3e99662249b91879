// A shared library read as a file, never loaded: loading runs its code, and the point is to look at
// libraries that do not load. 64-bit little-endian ELF, the one kind that GPU hosts have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parity::host {

/// An entry of the dynamic symbol table.
struct ElfSymbol {
  std::string name;  ///< as the linker has it, mangled
  enum class Place : std::uint8_t { here, elsewhere, elsewhere_if_at_all } place = Place::here;
};

class ElfFile {
 public:
  /// nullopt when the file cannot be read or is no such library, or a damaged one.
  [[nodiscard]] static std::optional<ElfFile> open(const std::filesystem::path& file);

  /// Names of the libraries that it asks the loader for.
  [[nodiscard]] const std::vector<std::string>& needed() const { return needed_; }
  /// Folders of its DT_RUNPATH or DT_RPATH, $ORIGIN replaced by its own folder.
  [[nodiscard]] const std::vector<std::filesystem::path>& search_folders() const {
    return search_folders_;
  }
  /// Symbols that it gives to others or wants from them. Without those local to it.
  [[nodiscard]] std::vector<ElfSymbol> symbols() const;
  /// The linker's note that names this very build, in hexadecimal digits; "" when there is none.
  [[nodiscard]] std::string build_id() const;
  /// Bytes of a section; empty when there is none of that name.
  [[nodiscard]] std::span<const std::byte> section(const std::string& name) const;

 private:
  struct Section {
    std::string name;
    std::span<const std::byte> bytes;
    std::uint32_t link = 0;
  };

  ElfFile() = default;
  [[nodiscard]] bool read_sections();
  void read_dynamic(const std::filesystem::path& origin);

  std::shared_ptr<const std::byte> mapping_;
  std::span<const std::byte> bytes_;
  std::vector<Section> sections_;
  std::vector<std::string> needed_;
  std::vector<std::filesystem::path> search_folders_;
};

}  // namespace parity::host
