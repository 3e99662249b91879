// One case: candidate taps are aligned with the golden's by name as they come, and nothing is
// dropped silently.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/tap_filter.h"
#include "pipeline/compare/reference_taps.h"
#include "pipeline/compare/tap_comparison.h"
#include "pipeline/compare/truth_source.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// Holds one reference tap and one truth tap in memory at a time.
class CaseComparison {
 public:
  /// Reference taps that `filter` does not keep are left out of the comparison. `truth`: nullptr
  /// where the case has none.
  CaseComparison(ReferenceTaps& reference, const TruthTaps* truth, capture::TapFilter& filter,
                 const CompareChoice& choice);

  /// Whether the reference needs the candidate's digest to compare this tap.
  [[nodiscard]] bool needs_digest(const run::TapId& id) const;

  /// Compares one candidate tap with the reference tap of the same name, or lists it as additional.
  void add(const TapData& candidate);

  /// Leaves a tap of the reference out, before any tap of the candidate comes.
  void leave_out(const run::TapId& id);

  /// The same for a tap of which it is known what comes of comparing it.
  void add_compared(const run::TapRecord& candidate, const ComparedTap& known);

  /// Lists a tap of the candidate that is none of the reference's.
  void add_additional(const run::TapRecord& candidate);

  /// Why the candidate has no such tap, should it turn out to be missing.
  void note_missing(const run::TapId& id, const std::string& reason);

  /// What would come of `candidate` against the reference tap at `place`, of which `stored` is the
  /// stored part; keeps nothing.
  [[nodiscard]] ComparedTap probe(std::size_t place, const tensor::HostTensor& stored,
                                  const TapData& candidate) const;

  /// What the candidate's side has to say besides its taps: why a tap could not be captured, and
  /// remarks.
  void add_remarks(const std::vector<run::SkippedTap>& skipped,
                   const std::vector<std::string>& notes);

  /// The case with every reference tap in execution order, those that never came as missing,
  /// additional ones last.
  [[nodiscard]] report::Case finish();

  [[nodiscard]] std::uint64_t wanted_taps() const { return index_.size(); }
  [[nodiscard]] double compare_s() const { return compare_s_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  [[nodiscard]] const run::CaseRecord& record() const { return reference_.record(); }
  /// Of the reference's tap of that name; nullopt, and listed as additional, where there is none or
  /// it came already.
  [[nodiscard]] std::optional<std::size_t> aligned(const run::TapRecord& candidate);
  [[nodiscard]] ComparedTap compared(const TapData& reference, const TapData& candidate) const;

  ReferenceTaps& reference_;
  const TruthTaps* truth_;
  const CompareChoice choice_;
  std::vector<std::optional<tensor::DType>> inherited_;  ///< by place
  std::vector<run::TapNoise> noise_;                     ///< by place; empty where not recorded
  std::map<run::TapId, double> own_errors_;              ///< of the reference, where known
  std::map<run::TapId, std::size_t> index_;           ///< each tap's place in the reference's order
  std::vector<std::optional<ComparedTap>> compared_;  ///< by place
  std::vector<report::Tap> additional_;
  std::map<run::TapId, std::string> candidate_skipped_;
  std::vector<std::string> candidate_notes_;
  double compare_s_ = 0;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace parity::pipeline
