#include "pipeline/selftest/selftest_case.h"

#include <optional>
#include <utility>
#include <vector>

#include "pipeline/compare/case_comparison.h"
#include "pipeline/compare/decode_facts.h"
#include "pipeline/compare/one_sided_case.h"
#include "pipeline/record/uncaptured.h"
#include "pipeline/selftest/selftest_lanes.h"
#include "pipeline/selftest/selftest_structure.h"
#include "pipeline/selftest/selftest_taps.h"

namespace parity::pipeline {
namespace {

class CaseTrial {
 public:
  CaseTrial(const SelftestSetting& setting, std::size_t case_index, SelftestTally& tally)
      : setting_(setting),
        case_index_(case_index),
        tally_(tally),
        inputs_(setting.golden.read_inputs(case_index)),
        truth_(setting.truth.of_case(record().name)),
        reference_(setting.golden, case_index),
        passes_(passes_of(inputs_, record())),
        choice_{0, compare_threads()},
        comparison_(reference_, truth_ ? &*truth_ : nullptr, setting.filter, choice_) {
    for (std::size_t place = 0; place < record().taps.size(); ++place) {
      if (setting.filter.keeps(record().taps[place].id)) places_.push_back(place);
    }
  }

  void run();

 private:
  [[nodiscard]] const run::CaseRecord& record() const {
    return setting_.golden.cases()[case_index_];
  }
  [[nodiscard]] const TruthTaps* truth() const { return truth_ ? &*truth_ : nullptr; }
  [[nodiscard]] RecordedTap read(std::size_t place) const {
    return {place, &record().taps[place], setting_.golden.read_tap(case_index_, place)};
  }
  [[nodiscard]] report::Case untouched_outputs() const;
  void lose_the_case();

  const SelftestSetting& setting_;
  const std::size_t case_index_;
  SelftestTally& tally_;
  const tensor::Value inputs_;
  const std::optional<TruthTaps> truth_;
  ReferenceTaps reference_;
  const Passes passes_;
  const CompareChoice choice_;
  CaseComparison comparison_;
  std::vector<std::size_t> places_;
};

/// A gate looks at whether outputs were compared at all.
report::Case CaseTrial::untouched_outputs() const {
  report::Case outputs;
  outputs.name = record().name;
  outputs.untested_output = lacks_output(record());
  for (const std::size_t place : places_) {
    if (record().taps[place].id.kind != run::TapKind::output) continue;
    const RecordedTap tap = read(place);
    ComparedTap compared = comparison_.probe(place, tap.stored, {*tap.record, tap.stored.view()});
    outputs.taps.push_back(std::move(compared.tap));
    if (compared.logits) outputs.logits.push_back(std::move(*compared.logits));
  }
  return outputs;
}

void CaseTrial::lose_the_case() {
  const auto lose = [&](std::string_view fault, gate::Unpaired side) {
    std::vector<report::Case> cases;
    cases.push_back(one_sided_case(record(), side, setting_.filter));
    const GateAnswer answer = setting_.gate.ask(std::move(cases));
    report::FaultPlace place;
    place.case_name = record().name;
    if (!answer.failing.empty()) place.said = answer.failing.front().said;
    tally_.injected(fault, {std::move(place), Weight::gross, answer.light});
  };
  lose(kMissingCase, gate::Unpaired::missing);
  lose(kAdditionalCase, gate::Unpaired::additional);
}

void CaseTrial::run() {
  report::Case outputs = untouched_outputs();
  const GateAnswer untouched = setting_.gate.ask(outputs, {inputs_, passes_});
  SelftestLanes lanes(reference_, truth(), setting_.filter, choice_);
  TapFaults faults(comparison_, record(), std::move(outputs), {inputs_, passes_}, setting_.gate,
                   tally_);
  setting_.progress.begin("spoil " + record().name, places_.size());
  for (const std::size_t place : places_) {
    const RecordedTap tap = read(place);
    lanes.add(tap);
    // Where the gate is red of its own, a fault cannot turn it red.
    if (untouched.light == Light::green) faults.inject(tap);
    setting_.progress.tap_done(tap.stored.bytes().size());
  }
  setting_.progress.end();
  const report::Case measured = lanes.finish(setting_.gate, {inputs_, passes_}, tally_);
  if (untouched.light == Light::green) {
    StructureFaults({reference_, setting_.filter, places_}, measured, setting_.gate, tally_)
        .inject();
  }
  lose_the_case();
}

}  // namespace

void selftest_case(const SelftestSetting& setting, std::size_t case_index, SelftestTally& tally) {
  CaseTrial(setting, case_index, tally).run();
}

}  // namespace parity::pipeline
