// `parity calibrate`
#include <algorithm>
#include <filesystem>
#include <set>

#include <CLI/CLI.hpp>

#include "cli/case_flags.h"
#include "cli/commands.h"
#include "cli/file_kinds.h"
#include "cli/flag_texts.h"
#include "cli/output_paths.h"
#include "cli/results.h"
#include "cli/run_flags.h"
#include "cli/terminal.h"
#include "error/error.h"
#include "gate/calibration_remarks.h"
#include "pipeline/calibrate/calibrate.h"
#include "report/data/calibration.h"
#include "report/words/text.h"

namespace parity::cli {
namespace {

constexpr int kMostRows = 4096;
constexpr int kMostRules = 1000;
constexpr double kMostHeadroom = 1000;

struct CalibrateFlags {
  RunFlags run;
  std::vector<std::string> goldens;
  std::string out;
  std::string json;
  std::string truth;
  std::string name;
  std::vector<std::string> vary = {"threads", "sdpa", "batch", "repeat"};
  int repeat = 3;
  int rows = 4;
  int rules = static_cast<int>(gate::kDefaultRules);
  std::optional<double> headroom;
  bool tighten_only = false;
  CLI::App* command = nullptr;

  [[nodiscard]] bool typed(const char* flag) const { return command->count(flag) > 0; }
};

void check_combination(const CalibrateFlags& flags) {
  if (flags.typed("--dtype")) {
    throw Error(ErrorKind::usage,
                "--dtype cannot be another than the golden's here: a policy is for one arithmetic; "
                "record a golden in the other dtype and calibrate from that");
  }
  if (flags.rows == 1) {
    throw Error(ErrorKind::usage, "--rows 1 makes no batch: give 2 or more");
  }
  if (flags.headroom && !(*flags.headroom >= 1 && *flags.headroom <= kMostHeadroom)) {
    throw Error(ErrorKind::usage,
                "--headroom is how many times what was measured a limit is: from 1 to 1000");
  }
  if (!flags.run.model.empty()) return;
  for (const char* flag :
       {"--vary", "--repeat", "--rows", "--config", "--state-key", "--method", "--library",
        "--device", "--fp32-precision", "--sdpa", "--threads", "--deterministic"}) {
    if (flags.typed(flag)) {
      throw Error(ErrorKind::usage, std::string(flag) +
                                        " is for runs on this host and needs --model; goldens are "
                                        "compared as they were recorded");
    }
  }
}

/// A golden does not differ from itself.
void check_each_once(const std::vector<std::string>& goldens) {
  for (std::size_t i = 0; i < goldens.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code ignored;
      if (!std::filesystem::equivalent(goldens[i], goldens[j], ignored)) continue;
      throw Error(ErrorKind::usage, "the golden " + goldens[i] + " is given twice; name each once");
    }
  }
}

void check_paths(const CalibrateFlags& flags) {
  std::vector<FlaggedPath> inputs = {
      {"--truth", flags.truth}, {"--model", flags.run.model}, {"--config", flags.run.config}};
  for (const std::string& golden : flags.goldens) inputs.push_back({"a golden", golden});
  for (const std::string& library : flags.run.libraries) inputs.push_back({"--library", library});
  const FlaggedPath out = {"--out", flags.out};
  const FlaggedPath json = {"--json", flags.json};
  check_outputs({out, json}, inputs);
  static_assert(kPolicyFile.start.substr(2) == gate::kCalibratedPolicy);
  check_replaces(out, kPolicyFile);
  check_replaces(json, kCalibrationFile);
}

std::set<gate::Variation> variations_of(const std::vector<std::string>& names) {
  std::set<gate::Variation> variations;
  for (const gate::Variation variation : {gate::Variation::threads, gate::Variation::sdpa,
                                          gate::Variation::batch, gate::Variation::repeat}) {
    if (std::find(names.begin(), names.end(), gate::name(variation)) != names.end())
      variations.insert(variation);
  }
  return variations;
}

std::string policy_name(const CalibrateFlags& flags) {
  // A policy file is UTF-8, which a file's name need not be.
  if (!flags.name.empty()) return report::clean(flags.name);
  const std::string stem = report::clean(std::filesystem::path(flags.out).stem().string());
  return flags.out == "-" || stem.empty() ? "calibrated" : stem;
}

pipeline::CalibrateRequest request_of(const CalibrateFlags& flags, const CommonFlags& common) {
  pipeline::CalibrateRequest request;
  request.goldens.assign(flags.goldens.begin(), flags.goldens.end());
  if (!flags.truth.empty()) request.truth = flags.truth;
  request.choice.name = policy_name(flags);
  request.choice.headroom = flags.headroom;
  request.choice.rules = static_cast<std::size_t>(flags.rules);
  if (flags.tighten_only) request.choice.width = gate::Width::built_in_at_most;
  request.command = common.command;
  if (flags.run.model.empty()) return request;
  pipeline::VariedRuns runs;
  runs.source = source_of(flags.run);
  runs.settings = settings_of(flags.run);
  runs.vary = variations_of(flags.vary);
  runs.threads = {1, 2, static_cast<int>(available_cores())};
  runs.repeats = flags.repeat;
  runs.rows = flags.rows;
  request.model = std::move(runs);
  return request;
}

int run_calibrate(const CalibrateFlags& flags, const CommonFlags& common) {
  check_combination(flags);
  check_each_once(flags.goldens);
  check_paths(flags);
  const pipeline::CalibratedPolicy made =
      pipeline::calibrate(request_of(flags, common), *common.progress());
  write_results({{flags.out, [&] { return made.text; }},
                 {flags.json, [&] { return report::to_json(made.summary); }}},
                common, [&] {
                  return report::to_text(
                      made.summary,
                      {report::Show::all, output_color(common.color()), output_width(), 0});
                });
  return 0;
}

}  // namespace

Action add_calibrate_command(CLI::App& command) {
  const auto flags = std::make_shared<CalibrateFlags>();
  flags->command = &command;
  command
      .add_option("goldens", flags->goldens,
                  "Goldens of one model and its inputs, all of them right; the first is the "
                  "reference")
      ->required();
  command.add_option("--out", flags->out, "Policy file to write; - for standard output")
      ->required();
  command.add_option("--json", flags->json,
                     "Write what each bound was made from as JSON; - for standard output");
  command.add_option("--truth", flags->truth,
                     "Golden of the same model and inputs in higher precision (default: the truth "
                     "in the goldens, where they have one)");
  command.add_option("--headroom", flags->headroom,
                     "Fail limit over the worst that was measured, 1 to 1000; warn is at its "
                     "square root (default: 8.5 from one run, 5.3 from three, 3.4 from ten)");
  command.add_flag("--tighten-only", flags->tighten_only,
                   "No bound is wider than the built-in policy's");
  command
      .add_option("--rules", flags->rules,
                  "At most so many rules for taps, and one for all others of a dtype")
      ->check(CLI::Range(1, kMostRules))
      ->capture_default_str();
  command.add_option("--name", flags->name, "Of the policy (default: that of the file)");
  command.add_option("--model", flags->run.model,
                     "Run this model as well, on this host: once, and once for each variation");
  command
      .add_option("--vary", flags->vary,
                  "With --model, what is varied: threads, sdpa, batch (rows alone), repeat")
      ->delimiter(',')
      ->check(CLI::IsMember({"threads", "sdpa", "batch", "repeat"}))
      ->capture_default_str();
  command.add_option("--repeat", flags->repeat, "Further runs of each case, of --vary repeat")
      ->check(CLI::Range(1, kMostRepeats))
      ->capture_default_str();
  command
      .add_option("--rows", flags->rows,
                  "Rows of the batch that is made of inputs with one row, of --vary batch")
      ->check(CLI::Range(1, kMostRows))
      ->capture_default_str();
  add_run_flags(command, flags->run);
  command.footer(
      "Examples:\n"
      "  parity calibrate h100.h5 a100.h5 mi300.h5 --out policy.toml\n"
      "  parity calibrate golden.h5 --model model.pt --vary threads,sdpa,batch --out policy.toml\n"
      "  parity compare golden.h5 --model model.pt --policy policy.toml");
  return [flags](const CommonFlags& common) { return run_calibrate(*flags, common); };
}

}  // namespace parity::cli
