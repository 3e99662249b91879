// Keeps standard output for results: what a model's own code or a library prints while it is loaded
// or runs goes to standard error. Knows neither models nor libraries.
#pragma once

namespace parity::model {

/// While one lives, file descriptor 1 is standard error's.
class StandardOutputAside {
 public:
  StandardOutputAside();
  ~StandardOutputAside();
  StandardOutputAside(const StandardOutputAside&) = delete;
  StandardOutputAside& operator=(const StandardOutputAside&) = delete;

 private:
  int kept_;  ///< standard output itself; -1 where it could not be put aside
};

}  // namespace parity::model
