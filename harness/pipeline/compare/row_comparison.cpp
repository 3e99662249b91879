#include "pipeline/compare/row_comparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "pipeline/compare/batch_rows.h"
#include "pipeline/compare/comparing_sink.h"
#include "pipeline/compare/inherited_dtypes.h"
#include "pipeline/compare/tap_places.h"
#include "pipeline/record/tapped_run.h"
#include "pipeline/record/uncaptured.h"

namespace parity::pipeline {
namespace {

class RowSink final : public capture::TapConsumer {
 public:
  RowSink(const golden_store::GoldenReader& golden, const BatchRow& row,
          const CompareChoice& choice, Progress& progress)
      : golden_(golden),
        row_(row),
        choice_(choice),
        progress_(progress),
        inherited_(inherited_dtypes(taps())),
        places_(places_of(taps())),
        compared_(taps().size()) {}

  void consume(const capture::CapturedTap& captured) override;
  [[nodiscard]] capture::DigestWish digest_wish(const run::TapId& /*id*/) const override {
    return capture::DigestWish::none;
  }

  [[nodiscard]] report::Case finish();

 private:
  [[nodiscard]] const std::vector<run::TapRecord>& taps() const {
    return golden_.cases()[row_.case_index].taps;
  }

  const golden_store::GoldenReader& golden_;
  const BatchRow row_;
  const CompareChoice choice_;
  Progress& progress_;
  const std::vector<std::optional<tensor::DType>> inherited_;  // by place
  const TapPlaces places_;
  std::vector<std::optional<ComparedTap>> compared_;  // by place
  std::vector<report::Tap> additional_;
  std::map<std::size_t, std::string> without_row_;  // by place: both shapes
  bool compared_output_ = false;
};

void RowSink::consume(const capture::CapturedTap& captured) {
  const run::TapRecord candidate = record_of(captured);
  const auto found = places_.find(candidate.id);
  if (found == places_.end()) {
    additional_.push_back(additional_tap(candidate));
    return;
  }
  const std::size_t place = found->second;
  const tensor::HostTensor whole = golden_.read_tap(row_.case_index, place);
  const std::optional<tensor::HostTensor> part =
      row_of_batch(whole.view(), candidate.shape, row_.batch, row_.row);
  progress_.tap_done(captured.size_bytes);
  // A tap as large for one row as for all is shared by them, or made from all of them: a sum over
  // the batch is no fault.
  const bool is_whole = part && whole.shape() == candidate.shape;
  const bool differs =
      is_whole && !std::equal(whole.bytes().begin(), whole.bytes().end(),
                              captured.value.bytes.begin(), captured.value.bytes.end());
  if (!part || differs) {
    without_row_[place] =
        fmt::format("{} ({} of the batch, {} alone)", run::to_string(candidate.id),
                    tensor::to_string(whole.shape()), tensor::to_string(candidate.shape));
    return;
  }
  compared_output_ = compared_output_ || candidate.id.kind == run::TapKind::output;
  run::TapRecord reference = taps()[place];
  reference.shape = candidate.shape;
  compared_[place] =
      compare_tap(compare::Reference{TapData{reference, part->view(), inherited_[place]}},
                  compare::Candidate{TapData{candidate, captured.value}}, choice_);
}

report::Case RowSink::finish() {
  report::Case result;
  result.recorded_as = golden_.cases()[row_.case_index].name;
  for (std::size_t place = 0; place < compared_.size(); ++place) {
    if (std::optional<ComparedTap>& compared = compared_[place]) {
      result.taps.push_back(std::move(compared->tap));
      if (compared->logits) result.logits.push_back(std::move(*compared->logits));
    } else if (without_row_.count(place) == 0) {
      result.taps.push_back(missing_tap(taps()[place], inherited_[place]));
    } else {
      result.left_out.push_back(left_out_tap(taps()[place], inherited_[place]));
    }
  }
  for (report::Tap& tap : additional_) result.taps.push_back(std::move(tap));
  for (const auto& [place, text] : without_row_)
    result.notes.push_back("a row of the batch has no part of its own in " + text);
  result.untested_output = lacks_output(golden_.cases()[row_.case_index]);
  if (result.untested_output.empty() && !compared_output_)
    result.untested_output = "a row of the batch has no part of its own in it";
  return result;
}

}  // namespace

report::Case compare_row(model::Model& model, const tensor::Value& inputs,
                         const golden_store::GoldenReader& golden, const BatchRow& row,
                         capture::TapFilter& filter, const CompareChoice& choice,
                         Progress& progress) {
  RowSink sink(golden, row, choice, progress);
  // What could not be captured of the batch could not be captured of the row.
  (void)run_tapped(model, inputs, model::Instrumentation::taps, filter, sink);
  return sink.finish();
}

}  // namespace parity::pipeline
