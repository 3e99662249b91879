#include "pipeline/compare/truth_source.h"

#include <algorithm>

#include "error/error.h"
#include "pipeline/compare/case_lookup.h"
#include "pipeline/compare/same_inputs.h"
#include "pipeline/compare/tap_truth.h"
#include "pipeline/record/run_provenance.h"

namespace parity::pipeline {
namespace {

bool any_truth(const golden_store::GoldenReader& golden) {
  return std::any_of(golden.cases().begin(), golden.cases().end(),
                     [](const run::CaseRecord& one) { return one.truth.has_value(); });
}

/// The dtype that weights and inputs were cast to; nullopt for the file's own.
std::optional<tensor::DType> recorded_dtype(const golden_store::GoldenReader& golden) {
  return tensor::dtype_from_name(golden.header().provenance.get("switch.dtype"));
}

/// Taps of `truth` that are more precise than the same tap of `record`.
std::size_t more_precise(const TruthTaps& truth, const run::CaseRecord& record) {
  return static_cast<std::size_t>(
      std::count_if(record.taps.begin(), record.taps.end(), [&](const run::TapRecord& tap) {
        const run::TapRecord* found = truth.find(tap.id);
        return found != nullptr && is_more_precise(found->dtype, tap.dtype);
      }));
}

}  // namespace

TruthTaps::TruthTaps(const golden_store::GoldenReader& golden, std::size_t case_index)
    : golden_(golden), case_index_(case_index), places_(places_of(taps())) {}

const std::vector<run::TapRecord>& TruthTaps::taps() const {
  return record().truth ? record().truth->taps : record().taps;
}

const run::TapRecord* TruthTaps::find(const run::TapId& id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &taps()[found->second];
}

tensor::HostTensor TruthTaps::read(const run::TapId& id) const {
  const std::size_t place = places_.at(id);
  return record().truth ? golden_.read_truth_tap(case_index_, place)
                        : golden_.read_tap(case_index_, place);
}

std::vector<std::string> TruthTaps::notes() const {
  return record().truth ? record().truth->notes : record().notes;
}

TruthSource::TruthSource(const golden_store::GoldenReader& golden,
                         const std::optional<std::filesystem::path>& file, WeightsRule weights) {
  if (!file) {
    if (any_truth(golden)) reader_ = &golden;
    return;
  }
  own_ = std::make_unique<golden_store::GoldenReader>(*file);
  reader_ = own_.get();
  check(golden, weights);
}

void TruthSource::check(const golden_store::GoldenReader& golden, WeightsRule weights) {
  try {
    const std::vector<std::string> notes =
        check_weights(compare::Reference{golden.header().model},
                      compare::Candidate{reader_->header().model}, weights);
    for (const std::string& note : notes) notes_.push_back("truth: " + note);
  } catch (const Error& error) {
    throw Error(error.kind(), "the truth in " + file() + " is no judge: " + error.what());
  }
  if (drew_random_numbers(reader_->header().provenance)) {
    throw Error(ErrorKind::incompatible,
                "the truth in " + file() +
                    " is no judge: the model drew random numbers, which are others in every dtype");
  }
  check_cases(golden);
  note_other_rounding(golden);
}

void TruthSource::check_cases(const golden_store::GoldenReader& golden) const {
  std::size_t shared = 0;
  std::size_t usable = 0;
  for (std::size_t i = 0; i < golden.cases().size(); ++i) {
    const run::CaseRecord& record = golden.cases()[i];
    const std::optional<std::size_t> place = find_case(*reader_, record.name);
    if (!place) continue;
    ++shared;
    if (!same_inputs(golden.read_inputs(i), reader_->read_inputs(*place))) {
      throw Error(ErrorKind::incompatible, "the truth in " + file() +
                                               " has other inputs in case '" + record.name +
                                               "' than the golden; record it from the same");
    }
    usable += more_precise(TruthTaps(*reader_, *place), record);
  }
  if (shared == 0) {
    throw Error(ErrorKind::incompatible, "the truth in " + file() +
                                             " shares no case with the golden; give the same names "
                                             "to --inputs when recording it");
  }
  if (usable == 0) {
    throw Error(ErrorKind::incompatible,
                file() +
                    " holds no tap that is more precise than the golden's, so it is no truth; "
                    "record it with --dtype float64 or --truth float64");
  }
}

/// A truth of weights that were never rounded judges another model than the one that ran.
void TruthSource::note_other_rounding(const golden_store::GoldenReader& golden) {
  const std::optional<tensor::DType> ran = recorded_dtype(golden);
  if (!ran) return;
  const bool rounds = std::any_of(
      golden.header().model.weights.begin(), golden.header().model.weights.end(),
      [&](const run::WeightDigest& weight) { return is_more_precise(weight.dtype, *ran); });
  if (!rounds || (any_truth(*reader_) && recorded_dtype(*reader_) == ran)) return;
  notes_.push_back("truth: it ran weights that are not rounded to the golden's " +
                   std::string(tensor::name(*ran)) +
                   ", so the error of that rounding is in both sides' figures and hides smaller "
                   "ones; record --truth beside the golden to leave it out");
}

std::optional<TruthTaps> TruthSource::of_case(const std::string& name) const {
  if (reader_ == nullptr) return std::nullopt;
  const std::optional<std::size_t> place = find_case(*reader_, name);
  if (!place) return std::nullopt;
  // The golden's own taps are no truth of themselves.
  if (own_ == nullptr && !reader_->cases()[*place].truth) return std::nullopt;
  return TruthTaps(*reader_, *place);
}

std::string TruthSource::file() const {
  return reader_ == nullptr ? std::string{} : reader_->path().string();
}

}  // namespace parity::pipeline
