// The command line as a whole: parses, runs one command, turns errors into one sentence and an exit
// code.
#pragma once

namespace parity::cli {

/// Exit code: 0 gate passed, 1 gate failed, 2 no judgement possible, 3 infrastructure.
[[nodiscard]] int run_app(int argc, char** argv);

}  // namespace parity::cli
