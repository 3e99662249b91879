#include "pipeline/compare/case_comparison.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "pipeline/compare/inherited_dtypes.h"
#include "pipeline/record/uncaptured.h"
#include "run/timeline.h"

namespace parity::pipeline {
namespace {

/// What the recording is wrong by itself at each tap, measured beside its own truth.
std::map<run::TapId, double> own_errors_of(const run::CaseRecord& record) {
  std::map<run::TapId, double> errors;
  if (!record.truth || record.truth->introduced_nrmse.empty()) return errors;
  for (std::size_t place = 0; place < record.truth->taps.size(); ++place) {
    const double error = record.truth->introduced_nrmse[place];
    if (std::isfinite(error)) errors.emplace(record.truth->taps[place].id, error);
  }
  return errors;
}

}  // namespace

CaseComparison::CaseComparison(ReferenceTaps& reference, const TruthTaps* truth,
                               capture::TapFilter& filter, const CompareChoice& choice)
    : reference_(reference),
      truth_(truth),
      choice_(choice),
      inherited_(inherited_dtypes(record().taps)),
      own_errors_(own_errors_of(record())),
      compared_(record().taps.size()) {
  for (std::size_t place = 0; place < record().taps.size(); ++place) {
    const run::TapId& id = record().taps[place].id;
    if (filter.keeps(id)) index_.emplace(id, place);
    if (record().noise) noise_.push_back(run::noise_of(*record().noise, place));
  }
}

bool CaseComparison::needs_digest(const run::TapId& id) const {
  const auto found = index_.find(id);
  return found != index_.end() && record().taps[found->second].mode != run::StoreMode::full;
}

std::optional<std::size_t> CaseComparison::aligned(const run::TapRecord& candidate) {
  const auto found = index_.find(candidate.id);
  if (found != index_.end() && !compared_[found->second]) return found->second;
  add_additional(candidate);
  return std::nullopt;
}

void CaseComparison::leave_out(const run::TapId& id) { index_.erase(id); }

void CaseComparison::add_additional(const run::TapRecord& candidate) {
  additional_.push_back(additional_tap(candidate));
}

void CaseComparison::note_missing(const run::TapId& id, const std::string& reason) {
  candidate_skipped_[id] = reason;
}

void CaseComparison::add_compared(const run::TapRecord& candidate, const ComparedTap& known) {
  if (const std::optional<std::size_t> place = aligned(candidate)) compared_[*place] = known;
}

void CaseComparison::add(const TapData& candidate) {
  const std::optional<std::size_t> place = aligned(candidate.record);
  if (!place) return;
  const tensor::HostTensor stored = reference_.take(*place);
  const auto start = std::chrono::steady_clock::now();
  {
    const run::WorkSpan span("compare", stored.bytes().size() + candidate.stored.bytes.size());
    compared_[*place] = probe(*place, stored, candidate);
  }
  compare_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  size_bytes_ += stored.bytes().size() + candidate.stored.bytes.size();
}

ComparedTap CaseComparison::probe(std::size_t place, const tensor::HostTensor& stored,
                                  const TapData& candidate) const {
  return compared({record().taps[place], stored.view(), inherited_[place],
                   noise_.empty() ? nullptr : &noise_[place]},
                  candidate);
}

ComparedTap CaseComparison::compared(const TapData& reference, const TapData& candidate) const {
  const compare::Reference of_reference{reference};
  const compare::Candidate of_candidate{candidate};
  const run::TapRecord* record = truth_ == nullptr ? nullptr : truth_->find(reference.record.id);
  if (record == nullptr) return compare_tap(of_reference, of_candidate, choice_);
  const tensor::HostTensor stored = truth_->read(record->id);
  const TapData truth{*record, stored.view()};
  ComparedTap result = compare_tap(of_reference, of_candidate, choice_, &truth);
  const auto own = own_errors_.find(record->id);
  if (result.tap.truth && own != own_errors_.end())
    result.tap.truth->reference_introduced_nrmse = own->second;
  return result;
}

void CaseComparison::add_remarks(const std::vector<run::SkippedTap>& skipped,
                                 const std::vector<std::string>& notes) {
  for (const run::SkippedTap& tap : skipped) candidate_skipped_[tap.id] = tap.reason;
  candidate_notes_ = notes;
}

report::Case CaseComparison::finish() {
  report::Case result;
  result.name = record().name;
  for (std::size_t place = 0; place < compared_.size(); ++place) {
    const run::TapRecord& wanted = record().taps[place];
    if (std::optional<ComparedTap>& compared = compared_[place]) {
      result.taps.push_back(std::move(compared->tap));
      if (compared->logits) result.logits.push_back(std::move(*compared->logits));
    } else if (index_.count(wanted.id) != 0) {
      result.taps.push_back(missing_tap(wanted, inherited_[place]));
      const auto skipped = candidate_skipped_.find(wanted.id);
      if (skipped != candidate_skipped_.end()) result.taps.back().not_captured = skipped->second;
    } else {
      result.left_out.push_back(left_out_tap(wanted, inherited_[place]));
    }
  }
  for (report::Tap& tap : additional_) result.taps.push_back(std::move(tap));
  for (const std::string& note : record().notes) result.notes.push_back("reference: " + note);
  for (const run::SkippedTap& skipped : record().skipped) {
    result.notes.push_back("not in the reference: " + run::to_string(skipped.id) + ": " +
                           skipped.reason);
  }
  result.untested_output = lacks_output(record());
  if (truth_ != nullptr) {
    for (const std::string& note : truth_->notes()) result.notes.push_back("truth: " + note);
  }
  for (const std::string& note : candidate_notes_) result.notes.push_back("candidate: " + note);
  return result;
}

}  // namespace parity::pipeline
