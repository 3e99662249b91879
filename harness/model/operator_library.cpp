#include "model/operator_library.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/standard_output_aside.h"
#include "model/torch_entries.h"

namespace parity::model {
namespace {

namespace fs = std::filesystem;

bool foreign_code_loaded = false;

using How = LibraryFailure::How;

void* open_globally(const fs::path& file) {
  // Global: an operator library may need the symbols of one loaded before it.
  return dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

/// Loads what the loader missed when it is LibTorch's own: libtorch.so, which no program here is
/// linked with, or the GPU library of a run on the CPU. False when that is not what is missing.
bool load_missing_part_of_torch(std::string& words) {
  static constexpr std::string_view kMissing = ": cannot open shared object file";
  const std::size_t end = words.find(kMissing);
  if (end != std::string::npos) {
    const fs::path file = torch_entries().torch_library().folder / words.substr(0, end);
    std::error_code error;
    if (!fs::exists(file, error)) return false;
    if (open_globally(file) != nullptr) return true;
    const char* reason = dlerror();
    words = file.filename().string() + " of LibTorch does not load (" +
            (reason == nullptr ? "no reason given" : reason) + ")";
    return false;
  }
  if (words.find("undefined symbol") == std::string::npos || torch_entries().device_library_tried())
    return false;
  torch_entries().load_device_library({});
  return gpu_library_problem().empty();
}

/// The loader's words when it refuses, else nullopt. Lets the initialisers' exceptions through.
std::optional<std::string> refusal(const fs::path& file) {
  constexpr int kParts = 8;  // LibTorch has fewer libraries
  std::string words;
  for (int part = 0; part < kParts; ++part) {
    if (open_globally(file) != nullptr) return std::nullopt;
    const char* reason = dlerror();
    words = reason == nullptr ? "the loader gives no reason" : reason;
    if (!load_missing_part_of_torch(words)) break;
  }
  return words;
}

/// What is thrown, while it is handled.
LibraryFailure thrown_by(const fs::path& file) {
  try {
    throw;
  } catch (const std::exception& error) {
    return {file, How::threw, error.what()};
  } catch (...) {
    return {file, How::threw, ""};
  }
}

std::optional<LibraryFailure> load(const fs::path& file) {
  try {
    if (auto words = refusal(file)) return LibraryFailure{file, How::refused, std::move(*words)};
    return std::nullopt;
  } catch (...) {
    return thrown_by(file);
  }
}

/// First byte of what a trial reports. Nothing, where the process ended otherwise: then an
/// initialiser ended it, whatever the exit code.
constexpr char kLoaded = '0';
constexpr char kRefused = '1';
constexpr char kThrew = '2';

/// Ends the trial's own process, with the words on the pipe, and why there is no GPU library
/// behind a zero.
[[noreturn]] void report(const std::optional<LibraryFailure>& failure, int pipe) {
  std::string text(1, !failure ? kLoaded : failure->how == How::threw ? kThrew : kRefused);
  if (failure) text += failure->words + '\0' + gpu_library_problem();
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(pipe, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  _exit(0);
}

int trial_pipe = -1;  // of the trial's own process

/// The trial's own process: never returns.
[[noreturn]] void try_inside(const fs::path& file, int pipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // What a dying initialiser prints is not this program's message.
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  constexpr std::array kOutputAndError = {1, 2};
  for (const int stream : kOutputAndError) {
    if (null >= 0) dup2(null, stream);
  }
  trial_pipe = pipe;
  // The loader lets no exception through: one that an initialiser throws ends the process.
  std::set_terminate([] {
    if (std::current_exception()) report(thrown_by({}), trial_pipe);
    std::abort();
  });
  report(load(file), pipe);
}

/// How a trial went, as its parent sees it.
struct TrialEnd {
  enum class How : std::uint8_t { ended, killed, lost } how = How::lost;
  int status = 0;  ///< of waitpid
  std::string words;
};

/// Takes what is there to be read; false once the other end is closed.
bool take(int pipe, std::string& words) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR;
  words.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Watches the trial from outside: an initialiser may hold off every signal but one, and a process
/// that it leaves behind may hold the pipe.
TrialEnd followed(pid_t child, int pipe, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  constexpr int kStepMs = 20;
  const Clock::time_point until = Clock::now() + limit;
  TrialEnd end;
  pollfd ready{pipe, POLLIN, 0};
  while (true) {
    const bool over = Clock::now() >= until;
    if (over) ::kill(child, SIGKILL);
    if (poll(&ready, 1, kStepMs) > 0 && !take(pipe, end.words)) ready.fd = -1;
    const pid_t ended = waitpid(child, &end.status, over ? 0 : WNOHANG);
    if (ended < 0 && errno != EINTR) return end;
    if (ended != child) continue;
    end.how = over ? TrialEnd::How::killed : TrialEnd::How::ended;
    break;
  }
  // What it wrote before its end: 1 MiB, which is more than a pipe holds, and no more.
  constexpr int kMostBlocks = 256;
  for (int i = 0; i < kMostBlocks && ready.fd >= 0 && poll(&ready, 1, 0) > 0; ++i) {
    if (!take(pipe, end.words)) ready.fd = -1;
  }
  return end;
}

LibraryFailure ended(const fs::path& file, int status, std::string words) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = sigabbrev_np(number);
    return {file, How::died,
            name == nullptr ? "signal " + std::to_string(number) : "SIG" + std::string(name)};
  }
  if (words.empty()) return {file, How::ended, "exit code " + std::to_string(WEXITSTATUS(status))};
  const std::size_t zero = words.find('\0');
  LibraryFailure failure{file, words.front() == kThrew ? How::threw : How::refused,
                         words.substr(1, zero - 1)};
  if (zero != std::string::npos) failure.gpu_library_problem = words.substr(zero + 1);
  return failure;
}

std::string limit_text(std::chrono::milliseconds limit) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(limit).count()) + " s";
}

/// nullopt when it loads in a process of its own, or no process is to be had.
std::optional<LibraryFailure> trial(const fs::path& file, std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t parent = ::getpid();
  const pid_t child = fork();
  if (child == 0) try_inside(file, ends[1], parent);
  ::close(ends[1]);
  TrialEnd end;
  if (child > 0) end = followed(child, ends[0], limit);
  ::close(ends[0]);
  if (end.how == TrialEnd::How::lost) return std::nullopt;
  if (end.how == TrialEnd::How::killed) return LibraryFailure{file, How::hung, limit_text(limit)};
  if (WIFEXITED(end.status) && end.words.starts_with(kLoaded)) return std::nullopt;
  return ended(file, end.status, std::move(end.words));
}

}  // namespace

std::optional<LibraryFailure> load_operator_libraries(const std::vector<fs::path>& libraries,
                                                      const run::Settings& settings,
                                                      std::chrono::milliseconds limit) {
  if (!libraries.empty()) torch_entries().load_device_library(settings);
  for (const fs::path& library : libraries) {
    const fs::path file = fs::absolute(library);
    if (is_library_loaded(file)) continue;
    std::optional<LibraryFailure> failure;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
      failure = LibraryFailure{file, How::refused, "it is no regular file"};
    } else {
      failure = trial(file, limit);
    }
    const StandardOutputAside aside;
    if (!failure) failure = load(file);
    if (!failure) foreign_code_loaded = true;
    if (!failure) continue;
    failure->file = library;
    return failure;
  }
  return std::nullopt;
}

bool is_symbol_loaded(const std::string& symbol) {
  return dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr;
}

bool is_library_loaded(const fs::path& library) {
  // The loader would wait for whoever writes into a pipe.
  std::error_code ignored;
  if (library.is_absolute() && !fs::is_regular_file(library, ignored)) return false;
  return dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

bool holds_foreign_code() { return foreign_code_loaded; }

}  // namespace parity::model
