// A handler may run between any two instructions, so it reads fixed arrays of characters and calls
// what signal-safety(7) lists.
#include "error/last_words.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>

#include <unistd.h>

#include "error/error.h"

namespace parity {
namespace {

struct Deadly {
  int number;
  const char* name;
};
constexpr std::array kDeadly = {Deadly{SIGABRT, "SIGABRT"}, Deadly{SIGSEGV, "SIGSEGV"},
                                Deadly{SIGBUS, "SIGBUS"}, Deadly{SIGILL, "SIGILL"},
                                Deadly{SIGFPE, "SIGFPE"}};
constexpr int kStandardError = 2;
constexpr const char* kAdvice =
    ": a kernel, the GPU's driver or an operator library gave up; AMD_SERIALIZE_KERNEL=3 or "
    "CUDA_LAUNCH_BLOCKING=1 makes the last tap the one before it, parity doctor tries the device, "
    "and --device cpu shows whether the inputs are at fault.\n";

/// A text that is whole whenever it is read: the one half is filled while the other is shown.
class Text {
 public:
  void set(std::string_view text) {
    const unsigned next = 1 - shown_.load(std::memory_order_relaxed);
    auto& half = halves_.at(next);
    const std::size_t size = std::min(text.size(), half.size() - 1);
    std::memcpy(half.data(), text.data(), size);
    half.at(size) = '\0';
    shown_.store(next, std::memory_order_release);
  }
  [[nodiscard]] const char* get() const {
    return halves_[shown_.load(std::memory_order_acquire)].data();
  }

 private:
  std::array<std::array<char, 512>, 2> halves_{};
  std::atomic<unsigned> shown_{0};
};

Text doing_now;
Text last_tap;
std::array<struct sigaction, kDeadly.size()> before;
std::array<bool, kDeadly.size()> taken;

/// For a handler that runs because the stack is full: that of the thread that runs the model.
/// Enough for earlier handlers, too.
std::array<char, std::size_t{64} * 1024> spare_stack;
bool spare_stack_used = false;

/// A sanitizer's own stays.
void lay_spare_stack() {
  stack_t current{};
  if (::sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
  stack_t spare{};
  spare.ss_sp = spare_stack.data();
  spare.ss_size = spare_stack.size();
  spare_stack_used = ::sigaltstack(&spare, nullptr) == 0;
}

void take_spare_stack_away() {
  if (!spare_stack_used) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
  spare_stack_used = false;
}

void say(const char* text) {
  const ssize_t written = ::write(kStandardError, text, std::strlen(text));
  static_cast<void>(written);  // there is nobody left to tell
}

void say_clean(const char* text) {
  // Names of layers come from outside: no control character reaches the terminal.
  for (; *text != '\0'; ++text) {
    const char letter = static_cast<unsigned char>(*text) < ' ' || *text == '\x7f' ? '?' : *text;
    const ssize_t written = ::write(kStandardError, &letter, 1);
    static_cast<void>(written);
  }
}

/// What was there before us: it ends the program with this very signal, which is blocked until the
/// handler that calls this returns.
void run_earlier_handler(int number, std::size_t index) {
  const auto handler = before[index].sa_handler;
  if (handler == SIG_IGN) return;
  if (handler != SIG_DFL) {
    handler(number);
    return;
  }
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(number, &standard, nullptr);
  ::raise(number);
}

extern "C" void say_and_end(int number, siginfo_t* origin, void* /*context*/) {
  std::size_t index = 0;
  while (index + 1 < kDeadly.size() && kDeadly[index].number != number) ++index;
  // A person or a scheduler that ends the program knows why.
  const bool from_outside =
      (origin->si_code == SI_USER || origin->si_code == SI_QUEUE) && origin->si_pid != ::getpid();
  if (!from_outside) {
    say("parity: ");
    say(kDeadly[index].name);
    say(" ended the process while ");
    say_clean(doing_now.get());
    if (*last_tap.get() != '\0') {
      say(", behind tap ");
      say_clean(last_tap.get());
    }
    say(kAdvice);
  }
  run_earlier_handler(number, index);
  if (!from_outside) ::_exit(exit_code(ErrorKind::device));
}

}  // namespace

LastWords::LastWords(std::string_view doing) {
  doing_now.set(doing);
  last_tap.set("");
  lay_spare_stack();
  for (std::size_t i = 0; i < kDeadly.size(); ++i) {
    struct sigaction current {};
    const int number = kDeadly.at(i).number;
    taken.at(i) =
        ::sigaction(number, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0;
    if (!taken.at(i)) continue;
    before.at(i) = current;
    struct sigaction own {};
    own.sa_sigaction = say_and_end;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&own.sa_mask);
    ::sigaction(number, &own, nullptr);
  }
}

LastWords::~LastWords() {
  for (std::size_t i = 0; i < kDeadly.size(); ++i) {
    if (taken.at(i)) ::sigaction(kDeadly.at(i).number, &before.at(i), nullptr);
    taken.at(i) = false;
  }
  take_spare_stack_away();
}

void note_last_tap(std::string_view tap) { last_tap.set(tap); }

}  // namespace parity
