#include "cli/case_flags.h"

#include <CLI/CLI.hpp>

#include "cli/case_input.h"
#include "cli/flag_texts.h"

namespace parity::cli {

void add_case_flags(CLI::App& command, CaseFlags& flags) {
  command.add_option("--inputs", flags.inputs,
                     "[NAME=]FILE (.pt .npy .npz .json) or a generator such as tokens:4x128 or "
                     "randn:1x3x224x224; one case each (default: sample, the inputs that an "
                     "exported program holds)");
  command
      .add_option("--taps", flags.taps,
                  "modules (and heavy ops inside them) or ops (every operator)")
      ->check(CLI::IsMember({"modules", "ops"}))
      ->capture_default_str();
  command.add_option("--layers", flags.layers, "Only taps whose layer path or name matches a glob");
  command.add_option("--skip", flags.skip, "No taps whose layer path or name matches a glob");
  command.add_option("--seed", flags.seed, "Of generated inputs and of random operators")
      ->capture_default_str();
}

pipeline::TapChoice tap_choice_of(const CaseFlags& flags) {
  check_globs("--layers", flags.layers);
  check_globs("--skip", flags.skip);
  return {flags.layers, flags.skip};
}

run::Settings settings_of(const RunFlags& run, const CaseFlags& flags) {
  run::Settings settings = settings_of(run);
  settings.taps = tap_depth_of(flags.taps);
  settings.seed = seed_of(flags.seed);
  return settings;
}

std::vector<pipeline::CaseInput> cases_of(const CaseFlags& flags) {
  std::vector<pipeline::CaseInput> cases;
  for (const std::string& text : flags.inputs) cases.push_back(case_input_of(text));
  const std::string sample(pipeline::kSampleInputs);
  if (cases.empty()) cases.push_back({sample, sample});
  return cases;
}

std::vector<FlaggedPath> files_read(const RunFlags& run,
                                    const std::vector<pipeline::CaseInput>& cases) {
  std::vector<FlaggedPath> files = {{"--model", run.model}, {"--config", run.config}};
  for (const std::string& library : run.libraries) files.push_back({"--library", library});
  for (const pipeline::CaseInput& input : cases) files.push_back({"--inputs", input.spec});
  return files;
}

}  // namespace parity::cli
