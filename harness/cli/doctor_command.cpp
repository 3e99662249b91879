// `parity doctor`
#include <algorithm>
#include <chrono>

#include <CLI/CLI.hpp>

#include "cli/case_flags.h"
#include "cli/case_input.h"
#include "cli/commands.h"
#include "cli/file_kinds.h"
#include "cli/output_paths.h"
#include "cli/results.h"
#include "cli/terminal.h"
#include "error/error.h"
#include "pipeline/doctor/doctor.h"
#include "report/ci/annotations.h"
#include "report/data/diagnosis.h"
#include "report/words/text.h"

namespace parity::cli {
namespace {

struct DoctorFlags {
  RunFlags run;
  CaseFlags cases;
  std::string out;
  std::string json;
  std::string show = "all";
  int time_limit_s = 60;
  bool probe = false;
  std::string inside;  ///< not for users: what a process of the doctor's own does
};

constexpr const char* kEstimate = "estimate";

std::vector<pipeline::CaseInput> cases_of(const DoctorFlags& flags) {
  std::vector<pipeline::CaseInput> cases;
  for (const std::string& text : flags.cases.inputs) cases.push_back(case_input_of(text));
  return cases;
}

run::Probing probing_of(const DoctorFlags& flags) {
  return flags.probe ? run::Probing::on : run::Probing::off;
}

/// A process that another doctor watches: every line is out before the next step begins.
int run_inside(const DoctorFlags& flags) {
  const run::Say say = [](const std::string& line) { print(report::clean(line) + "\n"); };
  try {
    if (flags.inside == kEstimate) {
      pipeline::estimate_recording(source_of(flags.run), settings_of(flags.run, flags.cases),
                                   cases_of(flags), tap_choice_of(flags.cases), say);
    } else {
      pipeline::doctor_inside(flags.inside, probing_of(flags), say);
    }
    return 0;
  } catch (const Error& error) {
    say(std::string(run::kFailed) + error.what());
    return exit_code(error.kind());
  }
}

/// The flags of a recording, as this program takes them when it is started again.
std::vector<std::string> estimate_arguments(const CLI::App& command, const DoctorFlags& flags) {
  if (flags.run.model.empty()) return {};
  std::vector<std::string> arguments = {"doctor", "--inside", kEstimate};
  for (const CLI::Option* option : command.get_options()) {
    const std::string& name = option->get_name();
    static const std::vector<std::string> kOurs = {"--out",        "--json",   "--show", "--probe",
                                                   "--time-limit", "--inside", "--help"};
    if (option->count() == 0 || std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end())
      continue;
    const bool is_flag = option->get_expected_min() == 0;
    if (is_flag && option->results() == std::vector<std::string>{"true"}) {
      arguments.push_back(name);
      continue;
    }
    for (const std::string& value : option->results()) {
      // With the sign, values that begin with a dash stay values.
      arguments.push_back(std::string(name).append("=").append(value));
    }
  }
  return arguments;
}

void check_device(const std::string& device) {
  const bool index = device.rfind("cuda:", 0) == 0 && device.size() > 5 && device.size() <= 8 &&
                     device.find_first_not_of("0123456789", 5) == std::string::npos;
  if (device == "auto" || device == "cpu" || device == "cuda" || index) return;
  throw Error(ErrorKind::usage,
              "--device takes auto, cpu, cuda or cuda:N (ROCm devices are called cuda too), not '" +
                  device + "'");
}

/// Flags of a recording that is not named would be read by nobody. The trial of a device takes none
/// of the switches: it runs with those in force.
void check_nothing_idle(const CLI::App& command) {
  static const std::vector<std::string> kOwn = {"--device", "--out",        "--json",   "--show",
                                                "--probe",  "--time-limit", "--inside", "--help",
                                                "--quiet",  "--no-color",   "--verbose"};
  std::string idle;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end())
      idle.append(idle.empty() ? "" : ", ").append(name);
  }
  if (idle.empty()) return;
  throw Error(ErrorKind::usage, "of no use without a recording that is planned: " + idle +
                                    "; give --model and --inputs, too");
}

void check_flags(const DoctorFlags& flags, const CLI::App& command) {
  check_device(flags.run.device);
  if (flags.run.model.empty() != flags.cases.inputs.empty()) {
    throw Error(ErrorKind::usage,
                "--model and --inputs together say what is to be recorded: give both or neither");
  }
  if (flags.run.model.empty()) check_nothing_idle(command);
  check_outputs({{"--json", flags.json}}, files_read(flags.run, cases_of(flags)));
  check_replaces({"--json", flags.json}, kDoctorFile);
}

report::Show show_of(const std::string& text) {
  if (text == "failing") return report::Show::failing;
  return text == "summary" ? report::Show::summary : report::Show::all;
}

int run_doctor(const CLI::App& command, const DoctorFlags& flags, const CommonFlags& common) {
  if (!flags.inside.empty()) return run_inside(flags);
  check_flags(flags, command);
  pipeline::DoctorRequest request;
  request.device = flags.run.device;
  request.out = flags.out;
  request.time_limit = std::chrono::seconds(flags.time_limit_s);
  request.probing = probing_of(flags);
  request.estimate_arguments = estimate_arguments(command, flags);
  const run::Diagnosis diagnosis = pipeline::doctor(request);
  write_results({{flags.json, [&] { return report::to_json(diagnosis); }}}, common, [&] {
    const std::string text = report::to_text(
        diagnosis, {show_of(flags.show), output_color(common.color()), output_width(), 0});
    return is_github_job() ? report::without_commands(text) : text;
  });
  return report::exit_code_of(diagnosis);
}

}  // namespace

Action add_doctor_command(CLI::App& command) {
  const auto flags = std::make_shared<DoctorFlags>();
  command.add_option("--model", flags->run.model,
                     "With --inputs: what is to be recorded, to see whether it runs and has room");
  add_run_flags(command, flags->run);
  add_case_flags(command, flags->cases);
  command.add_option("--out", flags->out, "Folder that goldens are to go to (default: this one)");
  command.add_option("--json", flags->json, "Write the findings as JSON; - for standard output");
  command.add_option("--show", flags->show, "Findings shown: all, failing or summary")
      ->check(CLI::IsMember({"all", "failing", "summary"}))
      ->capture_default_str();
  command.add_option("--time-limit", flags->time_limit_s, "Seconds that each device may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command.add_flag(
      "--probe", flags->probe,
      "Probe the arithmetic of every device: accumulation, rounding, subnormals, TF32, "
      "and how it compares with what is published of it");
  command.add_option("--inside", flags->inside, "")->group("");
  command.footer(
      "Examples:\n"
      "  parity doctor                                  # what is here, and does it work?\n"
      "  parity doctor --device cuda --json doctor.json # a GPU is needed\n"
      "  parity doctor --model model.pt --inputs prompts.pt --out goldens\n"
      "  parity doctor --probe                          # which arithmetic does each device do?\n"
      "Exit codes: 0 ready (warnings are listed), 2 usage, 3 not ready.");
  return
      [flags, &command](const CommonFlags& common) { return run_doctor(command, *flags, common); };
}

}  // namespace parity::cli
