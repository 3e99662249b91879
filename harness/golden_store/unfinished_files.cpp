// A handler may run between any two instructions, so what it touches is a fixed table of plain
// characters behind atomic flags, and what it calls is on the list of signal-safety(7).
#include "golden_store/unfinished_files.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parity::golden_store {
namespace {

namespace fs = std::filesystem;

/// All whose default action ends the program, but SIGKILL; those of real time besides.
constexpr std::array kSignals = {SIGHUP,    SIGINT,  SIGQUIT, SIGILL,  SIGTRAP,   SIGABRT,
                                 SIGBUS,    SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2,   SIGPIPE,
                                 SIGALRM,   SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF,
                                 SIGSTKFLT, SIGPOLL, SIGPWR,  SIGSYS};
constexpr std::size_t kSlots = 16;

struct Slot {
  std::atomic<bool> used{false};
  pid_t owner = 0;  ///< a child after fork() has the table, too, and no business with the files
  std::array<char, PATH_MAX> path{};
};

static_assert(std::atomic<bool>::is_always_lock_free);

std::array<Slot, kSlots> table;
std::mutex table_mutex;  // of everything but the handler
std::size_t used_slots = 0;

extern "C" void remove_files_and_end(int signal) {
  const int error = errno;
  const pid_t self = ::getpid();
  for (const Slot& slot : table) {
    if (slot.used.load(std::memory_order_acquire) && slot.owner == self) {
      ::unlink(slot.path.data());
    }
  }
  // Blocked until this returns; then it ends the program as it would have without us.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  ::raise(signal);
  errno = error;
}

void exchange_handler(int signal, void (*from)(int), void (*to)(int)) {
  struct sigaction current {};
  if (::sigaction(signal, nullptr, &current) != 0 || (current.sa_flags & SA_SIGINFO) != 0 ||
      current.sa_handler != from) {
    return;
  }
  struct sigaction next {};
  next.sa_handler = to;
  ::sigemptyset(&next.sa_mask);
  ::sigaction(signal, &next, nullptr);
}

void exchange_handlers(void (*from)(int), void (*to)(int)) {
  for (const int signal : kSignals) exchange_handler(signal, from, to);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) exchange_handler(signal, from, to);
}

std::string name_start(const fs::path& final_path) {
  return "." + final_path.filename().string() + ".tmp.";
}

/// The process id in the rest of a temporary name, "PID.N"; nullopt when it is no such name.
std::optional<pid_t> process_in(std::string_view rest) {
  pid_t process = 0;
  unsigned number = 0;
  const char* const end = rest.data() + rest.size();
  const auto first = std::from_chars(rest.data(), end, process);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.' || process <= 0)
    return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, number);
  if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
  return process;
}

bool lives(pid_t process) { return ::kill(process, 0) == 0 || errno == EPERM; }

/// The lock tells the living from the dead where the process id cannot: in another container or on
/// another host of a shared disk, and when ids start from 1 again.
void remove_when_abandoned(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

void remove_abandoned(const fs::path& final_path) {
  const std::string start = name_start(final_path);
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(final_path), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.compare(0, start.size(), start) != 0) continue;
    const std::optional<pid_t> process = process_in(std::string_view(name).substr(start.size()));
    if (process && (*process == ::getpid() || !lives(*process)))
      remove_when_abandoned(entry->path());
  }
}

}  // namespace

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

NewFile create_unfinished(const fs::path& final_path) {
  constexpr int kAttempts = 1000;
  static std::mutex mutex;  // nobody here searches between another's open and lock
  static unsigned counter = 0;
  const std::lock_guard lock(mutex);
  remove_abandoned(final_path);
  NewFile created{{}, Descriptor(-1)};
  for (int attempt = 0; attempt < kAttempts && !created.descriptor.is_open(); ++attempt) {
    created.path = folder_of(final_path) /
                   fmt::format("{}{}.{}", name_start(final_path), ::getpid(), counter++);
    created.descriptor =
        Descriptor(::open(created.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!created.descriptor.is_open() && errno != EEXIST) return created;
  }
  // Where a file system has no locks, abandoned files stay; they harm nobody.
  if (created.descriptor.is_open())
    static_cast<void>(::flock(created.descriptor.number(), LOCK_EX | LOCK_NB));
  return created;
}

RemovedOnSignal::RemovedOnSignal(const fs::path& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).string();
  if (error || absolute.size() >= PATH_MAX) return;
  const std::lock_guard lock(table_mutex);
  for (std::size_t i = 0; i < kSlots; ++i) {
    Slot& slot = table[i];
    if (slot.used.load(std::memory_order_relaxed)) continue;
    std::memcpy(slot.path.data(), absolute.c_str(), absolute.size() + 1);
    slot.owner = ::getpid();
    slot.used.store(true, std::memory_order_release);
    slot_ = i;
    if (used_slots++ == 0) exchange_handlers(SIG_DFL, remove_files_and_end);
    return;
  }
}

RemovedOnSignal::~RemovedOnSignal() {
  if (!slot_) return;
  const std::lock_guard lock(table_mutex);
  table[*slot_].used.store(false, std::memory_order_release);
  if (--used_slots == 0) exchange_handlers(remove_files_and_end, SIG_DFL);
}

}  // namespace parity::golden_store
