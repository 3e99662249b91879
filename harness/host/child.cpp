#include "host/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace parity::host {
namespace {

using Clock = std::chrono::steady_clock;

/// Behind SIGKILL a process that is stuck in the kernel is waited for no longer than this.
constexpr std::chrono::milliseconds kGrace{2000};

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] bool is_open() const { return ends_[0] >= 0; }
  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_end(std::size_t end) {
    if (ends_.at(end) >= 0) close(ends_.at(end));
    ends_.at(end) = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::string found_program(const ChildCall& call) {
  if (call.program.find('/') != std::string::npos) return call.program;
  const auto path = call.environment.find("PATH");
  std::istringstream folders(path == call.environment.end() ? "/usr/bin:/bin" : path->second);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = folder + "/" + call.program;
    std::error_code ignored;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, ignored))
      return file;
  }
  return {};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Start {
  const char* program;
  char** arguments;
  char** environment;
  pid_t parent;
};

struct Pipes {
  Pipe out;
  Pipe err;
  Pipe failure;  ///< tells the errno of a program that cannot be started

  [[nodiscard]] bool are_open() const {
    return out.is_open() && err.is_open() && failure.is_open();
  }
};

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(const Start& start, const Pipes& pipes) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) _exit(127);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, 0);
  dup2(pipes.out.writing(), 1);
  dup2(pipes.err.writing(), 2);
  // parity ignores these, and ignored ones stay so: a program expects the default.
  std::signal(SIGXFSZ, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  execve(start.program, start.arguments, start.environment);
  const int problem = errno;
  const auto told = write(pipes.failure.writing(), &problem, sizeof problem);
  _exit(told > 0 ? 127 : 126);
}

constexpr std::size_t kBlock = 4096;

/// Takes what is there to be read; false once the other end is closed.
bool drain(int descriptor, std::string& text) {
  std::array<char, kBlock> buffer{};
  const auto size = read(descriptor, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t room = kMostOutput - std::min(kMostOutput, text.size());
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
  return size > 0;
}

int wait_ms(Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 50));
}

/// Reads both pipes until the child has ended or `until` is past; true when it has ended.
bool follow(pid_t child, std::array<pollfd, 2>& pipes, ChildEnd& end, int& status,
            Clock::time_point until) {
  while (true) {
    if (poll(pipes.data(), pipes.size(), wait_ms(until)) > 0) {
      if (pipes[0].revents != 0 && !drain(pipes[0].fd, end.out)) pipes[0].fd = -1;
      if (pipes[1].revents != 0 && !drain(pipes[1].fd, end.err)) pipes[1].fd = -1;
    }
    if (waitpid(child, &status, WNOHANG) == child) return true;
    if (Clock::now() >= until) return false;
  }
}

/// What is left in the pipes of a child that has ended. Grandchildren may hold them open, and one
/// that has left the process group lives on and may write for ever: what they have not written by
/// now is nobody's, and no pipe holds more than is kept.
void drain_rest(std::array<pollfd, 2>& pipes, ChildEnd& end) {
  constexpr std::size_t kMostBlocks = kMostOutput / kBlock;
  for (std::size_t i = 0; i < kMostBlocks && poll(pipes.data(), pipes.size(), 0) > 0; ++i) {
    if (pipes[0].revents != 0 && !drain(pipes[0].fd, end.out)) pipes[0].fd = -1;
    if (pipes[1].revents != 0 && !drain(pipes[1].fd, end.err)) pipes[1].fd = -1;
  }
}

void take_status(ChildEnd& end, int status) {
  end.ending = WIFSIGNALED(status) ? Ending::signalled : Ending::exited;
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

void supervise(pid_t child, const ChildCall& call, const Pipes& ends, ChildEnd& end) {
  const Clock::time_point start = Clock::now();
  std::array<pollfd, 2> pipes = {pollfd{ends.out.reading(), POLLIN, 0},
                                 pollfd{ends.err.reading(), POLLIN, 0}};
  int status = 0;
  const bool ended = follow(child, pipes, end, status, start + call.limit);
  end.elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();
  kill(-child, SIGKILL);
  if (ended) {
    take_status(end, status);
  } else {
    kill(child, SIGKILL);
    const bool gone = follow(child, pipes, end, status, Clock::now() + kGrace);
    end.ending = gone ? Ending::timed_out : Ending::unkillable;
  }
  drain_rest(pipes, end);
}

ChildEnd not_started(int problem) {
  ChildEnd end;
  end.ending = Ending::not_started;
  end.code = problem;
  return end;
}

}  // namespace

ChildEnd run_child(const ChildCall& call) {
  ChildEnd end;
  const std::string program = found_program(call);
  if (program.empty()) return end;
  std::vector<std::string> arguments = {call.program};
  arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
  std::vector<std::string> variables;
  variables.reserve(call.environment.size());
  for (const auto& [name, value] : call.environment)
    variables.push_back(std::string(name).append("=").append(value));
  std::vector<char*> argument_list = pointers(arguments);
  std::vector<char*> variable_list = pointers(variables);

  Pipes pipes;
  if (!pipes.are_open())
    return not_started(errno);  // else the child would write where this process does
  const Start start{program.c_str(), argument_list.data(), variable_list.data(), getpid()};
  const pid_t child = fork();
  if (child < 0) return not_started(errno);
  if (child == 0) become(start, pipes);
  setpgid(child, child);
  for (Pipe* pipe : {&pipes.out, &pipes.err, &pipes.failure}) pipe->close_end(1);
  int problem = 0;
  if (read(pipes.failure.reading(), &problem, sizeof problem) == sizeof problem) {
    waitpid(child, nullptr, 0);
    // ENOENT is also what a script without its interpreter gives.
    const bool is_there = access(program.c_str(), F_OK) == 0;
    return is_there ? not_started(problem) : end;
  }
  supervise(child, call, pipes, end);
  return end;
}

std::string signal_name(int number) {
  const char* abbreviation = sigabbrev_np(number);
  return abbreviation == nullptr ? "signal " + std::to_string(number)
                                 : std::string("SIG") + abbreviation;
}

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t sign = text.find('=');
    if (sign != std::string::npos) result[text.substr(0, sign)] = text.substr(sign + 1);
  }
  return result;
}

}  // namespace parity::host
