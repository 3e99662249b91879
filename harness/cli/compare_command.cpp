// `parity compare`

#include "name_map/name_map_file.h"
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/flag_texts.h"
#include "cli/output_paths.h"
#include "cli/policy_flag.h"
#include "cli/report_flags.h"
#include "cli/run_flags.h"
#include "cli/terminal.h"
#include "cli/trace_file.h"
#include "error/error.h"
#include "pipeline/attribute/reproducer.h"
#include "pipeline/compare/compare.h"
#include "report/words/text.h"

namespace parity::cli {
namespace {

struct CompareFlags {
  RunFlags run;
  std::string golden;
  std::string candidate;
  std::string taps;
  std::vector<std::string> layers;
  std::vector<std::string> skip;
  std::string seed;
  std::string save;
  std::string trace;
  std::string truth;
  std::string map;
  std::string policy;
  std::string weights = "same";
  bool strict = false;
  bool attribute = false;
  bool no_probes = false;
  std::string repro;
  ReportFlags report;
  // Which flags were typed; absent ones come from the golden.
  CLI::App* command = nullptr;

  [[nodiscard]] bool typed(const char* flag) const { return command->count(flag) > 0; }
};

pipeline::CompareRequest request_of(const CompareFlags& flags, const CommonFlags& common) {
  pipeline::CompareRequest request;
  request.golden = flags.golden;
  if (flags.typed("--dtype")) request.overrides.dtype = pipeline::DtypeSource::settings;
  if (flags.typed("--taps")) request.overrides.taps = tap_depth_of(flags.taps);
  if (flags.typed("--layers")) request.overrides.layers = flags.layers;
  if (flags.typed("--skip")) request.overrides.skip = flags.skip;
  if (flags.typed("--seed")) request.overrides.seed = seed_of(flags.seed);
  if (!flags.truth.empty()) request.truth = flags.truth;
  if (!flags.map.empty()) request.map = name_map::read_name_map(flags.map);
  request.weights =
      flags.weights == "any" ? pipeline::WeightsRule::any : pipeline::WeightsRule::same;
  request.policy = policy_of(flags.policy);
  request.strictness = flags.strict ? run::Strictness::strict : run::Strictness::normal;
  request.worst_count = worst_kept(flags.report);
  request.command = common.command;
  return request;
}

void check_combination(const CompareFlags& flags) {
  const bool replays = !flags.run.model.empty();
  if (replays && !flags.candidate.empty()) {
    throw Error(
        ErrorKind::usage,
        "give either --model (replay on this host) or a second golden to compare with, not both");
  }
  if (!replays && flags.candidate.empty()) {
    throw Error(ErrorKind::usage, "nothing to compare " + flags.golden +
                                      " with: give --model FILE to replay it on this host, or a "
                                      "second golden");
  }
  if (flags.typed("--repro") && !flags.attribute) {
    throw Error(ErrorKind::usage,
                "--repro writes the operators that --attribute blames: give both");
  }
  if (replays) return;
  for (const char* flag : {"--config", "--state-key", "--method", "--library", "--device",
                           "--dtype", "--fp32-precision", "--sdpa", "--threads", "--deterministic",
                           "--taps", "--seed", "--save", "--attribute", "--repro", "--no-probes"}) {
    if (flags.typed(flag)) {
      throw Error(ErrorKind::usage, std::string(flag) +
                                        " belongs to a replay and needs --model; two goldens are "
                                        "compared as they were recorded");
    }
  }
}

report::Report make_report(const CompareFlags& flags, const CommonFlags& common) {
  const std::unique_ptr<pipeline::Progress> progress = common.progress();
  if (flags.run.model.empty()) {
    return pipeline::compare_recordings(request_of(flags, common), flags.candidate, *progress);
  }
  pipeline::ReplayRequest request;
  request.compare = request_of(flags, common);
  request.source = source_of(flags.run);
  request.settings = settings_of(flags.run);
  if (!flags.save.empty()) request.save = flags.save;
  request.probing = flags.no_probes ? run::Probing::off : run::Probing::on;
  if (flags.attribute) request.attribution = pipeline::AttributionPass::forced;
  if (!flags.repro.empty()) request.reproducer = flags.repro;
  return pipeline::compare_replay(request, *progress);
}

void check_paths(const CompareFlags& flags) {
  std::vector<FlaggedPath> inputs = {
      {"the golden", flags.golden},  {"the candidate", flags.candidate},
      {"--truth", flags.truth},      {"--policy", flags.policy},
      {"--map", flags.map},          {"--model", flags.run.model},
      {"--config", flags.run.config}};
  for (const std::string& library : flags.run.libraries) inputs.push_back({"--library", library});
  check_outputs({{"--save", flags.save}, {"--trace", flags.trace}}, inputs);
  std::vector<FlaggedPath> taken = inputs;
  taken.push_back({"--save", flags.save});
  taken.push_back({"--trace", flags.trace});
  check_report_files(flags.report, taken);
  for (const FlaggedPath& file : report_files(flags.report)) taken.push_back(file);
  check_new_folder({"--repro", flags.repro}, taken);
}

int run_compare(const CompareFlags& flags, const CommonFlags& common) {
  check_combination(flags);
  check_globs("--layers", flags.layers);
  check_globs("--skip", flags.skip);
  check_paths(flags);
  TraceFile trace(flags.trace);
  const report::Report report = make_report(flags, common);
  trace.write();
  const int code = show(report, flags.report, common);
  if (report.reproducer_failure.empty()) return code;
  const std::string text =
      "the report stands, but " + pipeline::wrote_no_reproducer(report.reproducer_failure);
  if (code == 0) throw Error(ErrorKind::resource, text);
  // A gate that failed is what a script has to hear of, and what the report says.
  warn("parity: " + report::clean(text));
  return code;
}

}  // namespace

Action add_compare_command(CLI::App& command) {
  const auto flags = std::make_shared<CompareFlags>();
  flags->command = &command;
  command.add_option("golden", flags->golden, "Golden of the reference")->required();
  command.add_option("candidate", flags->candidate,
                     "Golden of the candidate; without it --model is replayed");
  command.add_option("--model", flags->run.model,
                     "Model to replay: the same weights as the golden's");
  add_run_flags(command, flags->run);
  command.add_option("--taps", flags->taps, "modules or ops (default: the golden's)")
      ->check(CLI::IsMember({"modules", "ops"}));
  command.add_option("--layers", flags->layers,
                     "Compare only taps whose layer path or name matches a glob");
  command.add_option("--skip", flags->skip,
                     "Leave out taps whose layer path or name matches a glob");
  command.add_option("--seed", flags->seed, "Of random operators (default: the golden's)");
  command.add_option("--save", flags->save, "Write the candidate's run as a golden");
  add_trace_flag(command, flags->trace);
  command.add_flag("--no-probes", flags->no_probes, kNoProbesText);
  command
      .add_option("--weights", flags->weights,
                  "same: refuse other weights than the golden's; any: allow them")
      ->check(CLI::IsMember({"same", "any"}))
      ->capture_default_str();
  command.add_option("--truth", flags->truth,
                     "Golden of the same model and inputs in higher precision, the judge between "
                     "both sides (default: the truth in the golden, if it has one)");
  command.add_option(
      "--map", flags->map,
      "TOML file that says which tap of the golden a candidate's is that has another "
      "name, or is fused with others (docs/name-map.md)");
  add_policy_flag(command, flags->policy,
                  "TOML file with the bounds to judge by (default: the built-in policy; parity "
                  "policy show prints it)");
  command.add_flag("--strict", flags->strict, "A suspect tap fails");
  command.add_flag(
      "--attribute", flags->attribute,
      "A second pass, each layer fed with the golden's values: which layer creates the "
      "difference");
  command.add_option("--repro", flags->repro,
                     "With --attribute: write the blamed operators alone, with inputs and the "
                     "golden's value, into a new folder");
  add_report_flags(command, flags->report, "all");
  command.footer(
      "Examples:\n"
      "  parity compare golden.h5 --model model.pt --json report.json\n"
      "  parity compare golden.h5 --model model.pt --junit report.xml --markdown report.md\n"
      "  parity compare golden.h5 --model model.pt --attribute\n"
      "  parity compare golden.h5 --model model.pt --truth float64.h5\n"
      "  parity compare golden.h5 --model model.pt --policy nightly.toml\n"
      "  parity compare golden.h5 candidate.h5 --show failing\n"
      "  parity compare golden.h5 vllm.h5 --map vllm.toml");
  return [flags](const CommonFlags& common) { return run_compare(*flags, common); };
}

}  // namespace parity::cli
