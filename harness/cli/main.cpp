// The program: hands its arguments to the commands and ends with their exit code.
#include <cstdio>
#include <cstdlib>

#include "cli/app.h"
#include "model/operator_library.h"

int main(int argc, char** argv) {
  const int code = parity::cli::run_app(argc, argv);
  if (!parity::model::holds_foreign_code()) return code;
  // What somebody's library does when a process ends, a crash included, is no verdict: all results
  // are written.
  std::fflush(nullptr);
  std::_Exit(code);
}
