#include "pipeline/calibrate/calibrate.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "compare/sides.h"
#include "error/error.h"
#include "gate/calibration_remarks.h"
#include "gate/policy_file.h"
#include "gate/policy_text.h"
#include "golden_store/golden_reader.h"
#include "pipeline/attribute/forced_run.h"
#include "pipeline/calibrate/calibration_spreads.h"
#include "pipeline/calibrate/calibration_summary.h"
#include "pipeline/calibrate/varied_runs.h"
#include "pipeline/compare/case_lookup.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/same_inputs.h"
#include "pipeline/compare/weights_check.h"
#include "pipeline/judge/policy_check.h"
#include "report/words/environment.h"
#include "report/words/text.h"

namespace parity::pipeline {
namespace {

using gate::Variation;

[[noreturn]] void refuse(const std::string& text) { throw Error(ErrorKind::incompatible, text); }

/// Taps that both have, of one case.
std::size_t count_common(const run::CaseRecord& reference, const run::CaseRecord& candidate,
                         const std::string& file) {
  std::map<run::TapId, tensor::DType> dtypes;
  for (const run::TapRecord& tap : reference.taps) dtypes.emplace(tap.id, tap.dtype);
  std::size_t common = 0;
  for (const run::TapRecord& tap : candidate.taps) {
    const auto known = dtypes.find(tap.id);
    if (known == dtypes.end()) continue;
    ++common;
    if (known->second == tap.dtype) continue;
    refuse(fmt::format(
        "{} of {} is {}, and {} in the reference: a policy is for one arithmetic, so "
        "calibrate each dtype by itself",
        run::to_string(tap.id), file, tensor::name(tap.dtype), tensor::name(known->second)));
  }
  return common;
}

/// Throws unless the two are runs of the same model and inputs in the same dtype.
void require_same_run(const golden_store::GoldenReader& reference,
                      const std::filesystem::path& path) {
  const golden_store::GoldenReader candidate(path);
  const std::string file = path.string();
  try {
    (void)check_weights(compare::Reference{reference.header().model},
                        compare::Candidate{candidate.header().model}, WeightsRule::same);
  } catch (const Error& error) {
    throw Error(error.kind(), file + ": " + error.what());
  }
  std::size_t cases = 0;
  std::size_t taps = 0;
  for (std::size_t i = 0; i < reference.cases().size(); ++i) {
    const run::CaseRecord& record = reference.cases()[i];
    const std::optional<std::size_t> other = find_case(candidate, record.name);
    if (!other) continue;
    ++cases;
    if (!same_inputs(reference.read_inputs(i), candidate.read_inputs(*other))) {
      refuse(
          fmt::format("case '{}' of {} has other inputs than that of {}; record both with the "
                      "same",
                      record.name, file, reference.path().string()));
    }
    taps += count_common(record, candidate.cases()[*other], file);
  }
  if (cases == 0) {
    refuse(fmt::format("{} and {} have no case of the same name", reference.path().string(), file));
  }
  if (taps == 0)
    refuse(fmt::format("{} and {} have no tap in common", reference.path().string(), file));
}

/// What a run was made on: device, versions and the settings that calibrations vary.
std::string made_on(const report::Side& side) {
  std::string text = report::device_text(side);
  const std::vector<std::pair<const char*, const char*>> facts = {
      {"library.torch", "PyTorch"}, {"library.cuda", "CUDA"},      {"library.hip", "HIP"},
      {"device.driver", "driver"},  {"switch.threads", "threads"}, {"switch.sdpa", "sdpa"}};
  for (const auto& [key, word] : facts) {
    const std::string_view value = side.provenance.get(key);
    if (!value.empty()) text += fmt::format(", {} {}", word, value);
  }
  return report::clean(text);
}

/// Switches of the numbers that are no variation of a calibration.
std::vector<std::string> other_switches(const report::Report& report, const std::string& label) {
  std::vector<std::string> notes;
  for (const run::Difference& difference : report.environment_diff) {
    const std::string& key = difference.key;
    const bool varied = key == "switch.threads" || key.rfind("switch.sdpa", 0) == 0;
    if (varied || !report::changes_numbers(report, difference)) continue;
    notes.push_back(fmt::format("{} differs in {} ({} -> {}), which the bounds now accept", label,
                                key, difference.reference, difference.candidate));
  }
  return notes;
}

class Calibration {
 public:
  Calibration(const CalibrateRequest& request, Progress& progress)
      : request_(request), progress_(progress), reference_(request.goldens.front()) {}

  [[nodiscard]] CalibratedPolicy make();

 private:
  [[nodiscard]] report::Report compare(const std::filesystem::path& golden,
                                       const std::filesystem::path& candidate);
  std::size_t add_run(Variation variation, const std::string& label, const report::Side& side);
  void add_compared(Variation variation, const std::string& label, const report::Report& report);
  void add_own(const golden_store::GoldenReader& golden);
  void measure();
  void note_what_is_not_measured();

  const CalibrateRequest& request_;
  Progress& progress_;
  const golden_store::GoldenReader reference_;
  gate::CalibrationInput input_;
  std::vector<std::string> notes_;
  std::vector<std::string> not_run_;
  report::Devices devices_ = report::Devices::same;
};

report::Report Calibration::compare(const std::filesystem::path& golden,
                                    const std::filesystem::path& candidate) {
  CompareRequest request;
  request.golden = golden;
  request.truth = request_.truth;
  request.worst_count = 0;
  request.command = request_.command;
  return compare_recordings(request, candidate, progress_);
}

std::size_t Calibration::add_run(Variation variation, const std::string& label,
                                 const report::Side& side) {
  input_.runs.push_back({variation, report::clean(label), made_on(side)});
  return input_.runs.size() - 1;
}

void Calibration::add_compared(Variation variation, const std::string& label,
                               const report::Report& report) {
  const std::size_t run = add_run(variation, label, report.candidate);
  if (report.devices == report::Devices::different) devices_ = report::Devices::different;
  for (std::string& note : add_spreads(report, run, input_)) notes_.push_back(std::move(note));
  for (std::string& note : other_switches(report, label)) notes_.push_back(std::move(note));
}

/// Noise and truth that a golden holds: from a comparison with itself, which differs in no bit.
void Calibration::add_own(const golden_store::GoldenReader& golden) {
  const auto any = [&](auto&& has) {
    return std::any_of(golden.cases().begin(), golden.cases().end(), has);
  };
  const bool repeated = any([](const run::CaseRecord& one) { return one.noise.has_value(); });
  const bool has_truth =
      request_.truth || any([](const run::CaseRecord& one) { return one.truth.has_value(); });
  if (!repeated && !has_truth) return;
  const report::Report report = compare(golden.path(), golden.path());
  const std::string file = golden.path().string();
  if (repeated) {
    add_own_noise(report, add_run(Variation::repeat, "repeats in " + file, report.reference),
                  input_);
  }
  if (has_truth) {
    add_own_truth(report,
                  add_run(Variation::truth, "sqrt(2) x the error of " + file + " against its truth",
                          report.reference),
                  input_);
  }
}

void Calibration::measure() {
  const std::string file = reference_.path().string();
  input_.reference =
      report::clean(fmt::format("{}: {}", file, made_on({file, reference_.header().provenance})));
  const std::vector<std::filesystem::path> others(request_.goldens.begin() + 1,
                                                  request_.goldens.end());
  for (const std::filesystem::path& other : others) require_same_run(reference_, other);
  add_own(reference_);
  for (const std::filesystem::path& other : others) {
    add_compared(Variation::recording, other.string(), compare(reference_.path(), other));
    add_own(golden_store::GoldenReader(other));
  }
  if (request_.model) {
    not_run_ = make_varied_runs(
        request_, reference_, progress_,
        [&](Variation variation, const std::string& label, const report::Report& report) {
          add_compared(variation, label, report);
        });
  }
  if (devices_ == report::Devices::same) {
    notes_.emplace_back(
        "every run was made on the device of the reference: another device may well be further "
        "off");
  }
  note_what_is_not_measured();
}

/// Why the policy has no bound on what a layer introduces, or on its distance from the truth.
void Calibration::note_what_is_not_measured() {
  const auto measures = [&](std::string_view prefix) {
    return std::any_of(input_.taps.begin(), input_.taps.end(), [&](const gate::Spread& spread) {
      return std::any_of(spread.late.begin(), spread.late.end(), [&](const auto& figure) {
        return std::string_view(figure.metric).substr(0, prefix.size()) == prefix;
      });
    });
  };
  if (!measures(gate::kIntroducedPrefix)) {
    const std::string why = request_.model ? why_not_forced(reference_) : std::string{};
    notes_.push_back("no bound on introduced.*: " +
                     (why.empty() ? "it is measured in runs on this host (--model), and beside a "
                                    "truth that was recorded with --store full"
                                  : why));
  }
  if (!measures(gate::kTruthRatio)) {
    notes_.emplace_back(
        "no bound on truth.ratio: no golden here has a truth; record one with --truth, or give "
        "--truth GOLDEN");
  }
}

void clean_all(std::vector<std::string>& lines) {
  for (std::string& line : lines) line = report::clean(line);
}

void clean_all(gate::PolicyRemarks& remarks) {
  clean_all(remarks.head);
  for (auto* rules : {&remarks.taps, &remarks.logits}) {
    for (gate::RuleRemarks& rule : *rules) {
      clean_all(rule.rule);
      for (std::vector<std::string>& bound : rule.bounds) clean_all(bound);
    }
  }
}

CalibratedPolicy Calibration::make() {
  measure();
  const gate::Calibration found = gate::calibrate(input_, request_.choice);
  std::vector<std::string> notes = notes_;
  for (const std::string& text : not_run_) notes.push_back("not run: " + text);
  gate::PolicyRemarks remarks = gate::remarks_on(found, input_, request_.command, notes);
  clean_all(remarks);
  CalibratedPolicy made;
  made.text = gate::to_toml(found.book, remarks);
  // Nothing leaves here that --policy would refuse.
  check_policy(gate::parse_policy(made.text, request_.choice.name), reference_, "", {});
  made.summary = summary_of(found, input_);
  made.summary.reference = reference_.path().string();
  made.summary.made_on = made_on({"", reference_.header().provenance});
  made.summary.command = request_.command;
  made.summary.not_run = not_run_;
  made.summary.notes = notes_;
  return made;
}

}  // namespace

CalibratedPolicy calibrate(const CalibrateRequest& request, Progress& progress) {
  return Calibration(request, progress).make();
}

}  // namespace parity::pipeline
