// Says it when the present folder has been deleted. Commands would name files that are not to be
// found, and MKL, which LibTorch brings along, ends every process without a folder with words that
// name no cause: where it is loaded in front of the program, before main(). So this runs before any
// library is initialized, and uses nothing but the kernel. Knows nothing of parity's commands.
#include <cerrno>
#include <climits>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kStandardError = 2;
constexpr int kInfrastructure = 3;

// A sanitizer's runtime is not initialized either.
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) void
refuse_deleted_folder() {
  static char folder[PATH_MAX];
  static const char kWords[] =
      "parity: the present folder has been deleted: go to another one (cd) and start parity "
      "again\n";
  if (syscall(SYS_getcwd, folder, sizeof folder) >= 0 || errno != ENOENT) return;
  syscall(SYS_write, kStandardError, kWords, sizeof kWords - 1);
  syscall(SYS_exit_group, kInfrastructure);
}

}  // namespace

// The loader calls these before the initializers of all libraries.
__attribute__((section(".preinit_array"),
               used)) static void (*const kBeforeAnyLibrary)() = refuse_deleted_folder;
