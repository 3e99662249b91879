#include "host/operator_library/file_shape.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parity::host {
namespace {

constexpr const char* kCutOff = "is cut off; copy or build it again";

/// The first bytes of a file; shorter when the file is. nullopt, and errno, when it cannot be read.
std::optional<std::string> first_bytes(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  std::string bytes(sizeof(Elf64_Ehdr), '\0');
  const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (count < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

std::string processor_of(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "64-bit Arm";
    case EM_386:
      return "32-bit x86";
    case EM_ARM:
      return "32-bit Arm";
    case EM_PPC64:
      return "POWER";
    case EM_RISCV:
      return "RISC-V";
    case 190:  // EM_CUDA
      return "an NVIDIA GPU (a cubin)";
    case 224:  // EM_AMDGPU
      return "an AMD GPU (a code object)";
    default:
      return "another processor (ELF machine " + std::to_string(machine) + ")";
  }
}

std::string foreign_kind(std::string_view bytes) {
  const auto begins = [&](std::string_view magic) { return bytes.rfind(magic, 0) == 0; };
  if (begins("!<arch>\n"))
    return "is a static archive; link its objects into a shared library (-shared -fPIC)";
  if (begins("MZ")) return "is a library or program of Windows";
  if (begins("\xcf\xfa\xed\xfe") || begins("\xca\xfe\xba\xbe"))
    return "is a library or program of macOS";
  if (begins("PK\x03\x04"))
    return "is a zip archive (a wheel or a model); give the .so file inside it";
  if (begins("version https://git-lfs"))
    return "is a pointer of Git LFS; fetch the file with git lfs pull";
  return "is no shared library (an ELF file)";
}

std::string elf_problem(std::string_view bytes) {
  Elf64_Ehdr header{};
  if (bytes.size() < sizeof header) return kCutOff;
  std::memcpy(&header, bytes.data(), sizeof header);
  Elf64_Ehdr own{};
  const std::optional<std::string> self = first_bytes("/proc/self/exe");
  if (self && self->size() == sizeof own) std::memcpy(&own, self->data(), sizeof own);
  if (own.e_machine != 0 && header.e_machine != own.e_machine) {
    return "is for " + processor_of(header.e_machine) + ", and this program is for " +
           processor_of(own.e_machine);
  }
  if (header.e_type == ET_REL)
    return "is an object file that was never linked; link it with -shared";
  if (header.e_type != ET_DYN) return "is a program, not a shared library; link it with -shared";
  return "";
}

/// One entry of the table of segments.
std::optional<Elf64_Phdr> segment(int descriptor, const Elf64_Ehdr& header, unsigned index) {
  Elf64_Phdr segment{};
  const auto place = static_cast<off_t>(header.e_phoff + index * sizeof segment);
  if (::pread(descriptor, &segment, sizeof segment, place) != sizeof segment) return std::nullopt;
  return segment;
}

/// `size_bytes` of the file that `descriptor` reads.
bool ends_early(int descriptor, const Elf64_Ehdr& header, std::uint64_t size_bytes) {
  const auto is_beyond = [&](std::uint64_t offset, std::uint64_t length) {
    return offset > size_bytes || size_bytes - offset < length;
  };
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto entry = segment(descriptor, header, i);
    if (!entry) return true;
    if (entry->p_type == PT_LOAD && is_beyond(entry->p_offset, entry->p_filesz)) return true;
  }
  return is_beyond(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
}

}  // namespace

std::string shape_problem(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    return "is not there (" + std::string(std::strerror(error ? error.value() : ENOENT)) + ")";
  if (std::filesystem::is_directory(status)) return "is a folder; give the .so file inside it";
  if (!std::filesystem::is_regular_file(status)) return "is no regular file";
  const std::optional<std::string> bytes = first_bytes(file);
  if (!bytes) return "cannot be read (" + std::string(std::strerror(errno)) + ")";
  if (bytes->empty()) return "is empty; copy or build it again";
  if (bytes->rfind(ELFMAG, 0) != 0) return foreign_kind(*bytes);
  const std::string problem = elf_problem(*bytes);
  return problem.empty() && is_cut_off(file) ? kCutOff : problem;
}

std::string torch_problem(const std::filesystem::path& torch_folder) {
  for (const char* name : {"libtorch_cuda.so", "libtorch_hip.so"}) {
    const std::filesystem::path file = torch_folder / name;
    if (is_cut_off(file)) return file.string() + " of LibTorch is cut off; install LibTorch again";
  }
  return "";
}

bool is_cut_off(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat status {};
  Elf64_Ehdr header{};
  const bool is_elf = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                      ::pread(descriptor, &header, sizeof header, 0) == sizeof header &&
                      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64;
  const bool early =
      is_elf && ends_early(descriptor, header, static_cast<std::uint64_t>(status.st_size));
  ::close(descriptor);
  return early;
}

}  // namespace parity::host
