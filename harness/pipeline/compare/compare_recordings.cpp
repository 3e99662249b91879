// Offline comparison: both sides come from files, tap by tap, in constant memory.
#include <chrono>

#include "golden_store/golden_reader.h"
#include "pipeline/compare/case_comparison.h"
#include "pipeline/compare/case_lookup.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/decode_facts.h"
#include "pipeline/compare/map_in_report.h"
#include "pipeline/compare/mapped_taps.h"
#include "pipeline/compare/one_sided_case.h"
#include "pipeline/compare/report_assembly.h"
#include "pipeline/compare/side_digests.h"
#include "pipeline/compare/truth_source.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/judge/policy_check.h"
#include "pipeline/shard/part_remark.h"
#include "run/timeline.h"

namespace parity::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

class OfflineComparison {
 public:
  OfflineComparison(const golden_store::GoldenReader& reference,
                    const golden_store::GoldenReader& candidate, const TapChoice& taps,
                    const TruthSource& truth, const CompareChoice& choice,
                    const name_map::NameMap* map, Progress& progress)
      : reference_(reference),
        candidate_(candidate),
        truth_(truth),
        filter_(taps.layers, taps.skip),
        choice_(choice),
        map_(map),
        progress_(progress) {}

  void compare_all(report::Report& report);
  [[nodiscard]] std::vector<std::string> unmatched_globs() const { return filter_.unmatched(); }
  [[nodiscard]] std::string remark() const { return filter_.remark(); }

 private:
  [[nodiscard]] report::Case compare_case(std::size_t reference_case, std::size_t candidate_case,
                                          report::Report& report);

  [[nodiscard]] tensor::HostTensor read_candidate(std::size_t case_index,
                                                  std::size_t tap_index) const;

  const golden_store::GoldenReader& reference_;
  const golden_store::GoldenReader& candidate_;
  const TruthSource& truth_;
  capture::TapFilter filter_;
  const CompareChoice choice_;
  const name_map::NameMap* map_;  ///< nullptr: names are as they are
  Progress& progress_;
};

tensor::HostTensor OfflineComparison::read_candidate(std::size_t case_index,
                                                     std::size_t tap_index) const {
  const run::WorkSpan span("read the candidate");
  return candidate_.read_tap(case_index, tap_index);
}

report::Case OfflineComparison::compare_case(std::size_t reference_case, std::size_t candidate_case,
                                             report::Report& report) {
  ReferenceTaps reference(reference_, reference_case);
  const std::optional<TruthTaps> truth = truth_.of_case(reference.record().name);
  const tensor::Value inputs = reference_.read_inputs(reference_case);
  CaseComparison comparison(reference, truth ? &*truth : nullptr, filter_, choice_);
  progress_.begin("compare " + reference_.cases()[reference_case].name, comparison.wanted_taps());
  const run::CaseRecord& other = candidate_.cases()[candidate_case];
  MappedTaps mapped({map_, report.name_map ? &*report.name_map : nullptr}, reference.record(),
                    comparison, filter_);
  mapped.add_remarks(other.skipped, other.notes);
  const std::vector<run::TapRecord>& taps = other.taps;
  for (std::size_t i = 0; i < taps.size(); ++i) {
    if (!mapped.wants(taps[i].id)) {
      mapped.pass_over(taps[i].id);
      continue;
    }
    const tensor::HostTensor stored = read_candidate(candidate_case, i);
    mapped.add({taps[i], stored.view()});
    progress_.tap_done(2 * stored.bytes().size());
  }
  mapped.finish();
  progress_.end();
  report.timing.compare_s += comparison.compare_s();
  report.totals.bytes += comparison.size_bytes();
  report::Case compared = comparison.finish();
  add_decode({{inputs}, {candidate_.read_inputs(candidate_case)}},
             passes_of(inputs, reference.record()), compared);
  return compared;
}

void OfflineComparison::compare_all(report::Report& report) {
  for (std::size_t i = 0; i < reference_.cases().size(); ++i) {
    const run::CaseRecord& record = reference_.cases()[i];
    const std::optional<std::size_t> other = find_case(candidate_, record.name);
    report.cases.push_back(other ? compare_case(i, *other, report)
                                 : one_sided_case(record, gate::Unpaired::missing, filter_));
  }
  for (const run::CaseRecord& record : candidate_.cases()) {
    if (find_case(reference_, record.name)) continue;
    report.cases.push_back(one_sided_case(record, gate::Unpaired::additional, filter_));
  }
}

}  // namespace

report::Report compare_recordings(const CompareRequest& request,
                                  const std::filesystem::path& candidate_path, Progress& progress) {
  const Clock::time_point start = Clock::now();
  const name_map::NameMap* map = request.map ? &*request.map : nullptr;
  const golden_store::GoldenReader reference(request.golden);
  const golden_store::GoldenReader candidate(candidate_path);
  const std::vector<std::string> weight_notes =
      check_mapped_weights(compare::Reference{reference.header().model},
                           compare::Candidate{candidate.header().model}, map, request.weights);
  const TruthSource truth(reference, request.truth, request.weights);
  check_policy(request.policy, reference, "", {gate::Measured::no, measured_against(truth.file())});
  report::Report report = begin_report({request.golden.string(), reference.header(),
                                        candidate_path.string(), candidate.header().provenance},
                                       request.command);
  if (map != nullptr) report.name_map = begin_mapping(*map);
  report.truth_file = truth.file();
  for (const golden_store::GoldenReader* side : {&reference, &candidate}) {
    if (const std::string text = part_remark(*side); !text.empty()) report.notes.push_back(text);
  }
  for (const std::string& note : weight_notes) report.notes.push_back(note);
  for (const std::string& note : truth.notes()) report.notes.push_back(note);
  for (const std::string& note : candidate.header().notes)
    report.notes.push_back("candidate: " + note);

  const CompareChoice choice{request.worst_count, compare_threads()};
  const TapChoice taps{request.overrides.layers.value_or(std::vector<std::string>{}),
                       request.overrides.skip.value_or(std::vector<std::string>{})};
  OfflineComparison comparison(reference, candidate, taps, truth, choice, map, progress);
  comparison.compare_all(report);
  report.reference.digests = digests_of(reference);
  report.candidate.digests = digests_of(candidate);
  refuse_unmatched_globs(comparison.unmatched_globs());
  if (const std::string text = comparison.remark(); !text.empty()) report.notes.push_back(text);
  add_mapping_notes(report);
  add_noise_summary(report);
  judge_report(report, request.policy, request.strictness);
  report.timing.total_s = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace parity::pipeline
