// Flags of every command that runs inputs of its own: which inputs, and which taps of them. Refuses
// what cannot be meant before a file is opened; reads none.
#pragma once

#include <string>
#include <vector>

#include "cli/output_paths.h"
#include "cli/run_flags.h"
#include "pipeline/record/capture_settings.h"
#include "pipeline/record/case_inputs.h"

namespace CLI {
class App;
}

namespace parity::cli {

/// Most that --repeat takes: beyond some thousand runs nobody waits.
inline constexpr int kMostRepeats = 1000;

/// Texts as typed.
struct CaseFlags {
  std::vector<std::string> inputs;
  std::string taps = "modules";
  std::vector<std::string> layers;
  std::vector<std::string> skip;
  std::string seed = "0";
};

/// --inputs, --taps, --layers, --skip and --seed.
void add_case_flags(CLI::App& command, CaseFlags& flags);

/// Throws Error(usage) for globs that can match nothing.
[[nodiscard]] pipeline::TapChoice tap_choice_of(const CaseFlags& flags);

/// As settings_of(RunFlags), with taps and seed.
[[nodiscard]] run::Settings settings_of(const RunFlags& run, const CaseFlags& flags);

/// One case for each --inputs; without any, the inputs that the model's file brings along.
[[nodiscard]] std::vector<pipeline::CaseInput> cases_of(const CaseFlags& flags);

/// The files that such a command reads, which nothing may be written over.
[[nodiscard]] std::vector<FlaggedPath> files_read(const RunFlags& run,
                                                  const std::vector<pipeline::CaseInput>& cases);

}  // namespace parity::cli
