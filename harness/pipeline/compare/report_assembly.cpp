#include "pipeline/compare/report_assembly.h"

#include <optional>
#include <utility>

#include "gate/noise.h"

namespace parity::pipeline {

report::Report begin_report(const Sides& sides, const std::string& command) {
  report::Report report;
  report.model_file = sides.reference.model.file_name;
  report.model_kind = sides.reference.model.kind;
  report.reference = {sides.reference_file, sides.reference.provenance};
  report.candidate.file = sides.candidate_file;
  set_candidate(report, sides.candidate);
  for (const std::string& note : sides.reference.notes)
    report.notes.push_back("reference: " + note);
  report.repro = command;
  return report;
}

void set_candidate(report::Report& report, run::Provenance candidate) {
  const run::Provenance& reference = report.reference.provenance;
  report.environment_diff = run::differences(reference, candidate);
  report.devices =
      run::same_device(reference, candidate) ? report::Devices::same : report::Devices::different;
  report.candidate.provenance = std::move(candidate);
}

void add_noise_summary(report::Report& report) {
  std::vector<gate::NoiseEntry> entries;
  for (const report::Case& one : report.cases) {
    for (const report::Tap& tap : one.taps) {
      if (tap.noise) entries.push_back({one.name, tap.id, *tap.noise});
    }
  }
  if (entries.empty()) return;
  const gate::NoiseSummary found = gate::summarize_noise(entries);
  report::NoiseSummary summary{found.repeats, found.taps, found.differing, std::nullopt, ""};
  if (found.first) {
    summary.first = report::Place{entries[*found.first].case_name, entries[*found.first].tap};
    summary.sentence = "the reference is not deterministic: " + found.sentence;
  }
  report.noise = std::move(summary);
}

}  // namespace parity::pipeline
