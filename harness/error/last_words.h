// What a process says when a signal ends it while a model runs: a GPU's runtime aborts on a kernel
// that fails, and a kernel of an operator library may do anything. Knows what is going on by two
// texts alone.
#pragma once

#include <string_view>

namespace parity {

/// While one lives, SIGABRT, SIGSEGV, SIGBUS, SIGILL and SIGFPE print one sentence and end the
/// program with the exit code of ErrorKind::device; a handler that was there before runs first (it
/// removes unfinished files), one of a sanitizer stays in charge. One that another process sends
/// ends the program as ever. One object at a time counts.
class LastWords {
 public:
  /// `doing`: "running model.pt".
  explicit LastWords(std::string_view doing);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
};

/// How far it has come: the name of the last tap. Cheap; harmless without LastWords.
void note_last_tap(std::string_view tap);

}  // namespace parity
