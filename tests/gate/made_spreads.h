// Spreads made by hand, and what calibrate() needs beside them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "gate/calibration.h"
#include "gate/calibration_remarks.h"
#include "gate/made_facts.h"
#include "gate/policy_file.h"

namespace parity::gate {

inline run::TapId module(const std::string& path) {
  return {run::TapKind::module, path, "", 0, ""};
}

inline Spread spread(std::size_t run, const run::TapId& tap, double nrmse,
                     tensor::DType dtype = tensor::DType::float32) {
  Spread spread;
  spread.run = run;
  spread.case_name = "prose";
  spread.tap = tap;
  spread.dtype = dtype;
  spread.elements = 1000;
  if (nrmse > 0) {
    spread.figures = {
        {"nrmse", nrmse}, {"max_error_over_rms", 4 * nrmse}, {"where.share", 0}, {"ulp.p99", 5}};
  }
  return spread;
}

inline CalibrationInput two_runs() {
  return {"a.h5: a device",
          {{Variation::recording, "b.h5", "another device"}, {Variation::threads, "1 thread", "x"}},
          {},
          {}};
}

inline CalibrationChoice choice() {
  CalibrationChoice choice;
  choice.name = "made";
  return choice;
}

inline const Bound& bound_on(const Rule& rule, const std::string& metric) {
  const auto found = std::find_if(rule.bounds.begin(), rule.bounds.end(),
                                  [&](const Bound& bound) { return bound.metric == metric; });
  EXPECT_NE(found, rule.bounds.end()) << "no bound on " << metric;
  return *found;
}

inline RuleBook read_back(const Calibration& made, const CalibrationInput& input) {
  return parse_policy(to_toml(made.book, remarks_on(made, input, "parity calibrate a.h5", {})),
                      "made.toml");
}

/// The figures of a spread as the facts of a comparison.
inline compare::TensorComparison facts_of(const Spread& spread) {
  compare::TensorComparison facts = spread.figures.empty()
                                        ? gate_test::identical_facts(spread.dtype)
                                        : gate_test::noisy_facts(0, spread.dtype);
  for (const run::NoiseFigure& figure : spread.figures) {
    if (figure.metric == "nrmse") facts.nrmse = figure.value;
    if (figure.metric == "max_error_over_rms") facts.max_error_over_rms = figure.value;
    if (figure.metric == "where.share") facts.where.share = figure.value;
    if (figure.metric == "ulp.p99") facts.ulp.quantiles.p99 = figure.value;
  }
  return facts;
}

inline run::Verdict verdict_of(const RuleBook& book, const Spread& spread) {
  const Limits limits = limits_for(book, {spread.tap, spread.dtype, spread.case_name});
  return judge(facts_of(spread), spread.tap.kind, limits.policy).verdict;
}

}  // namespace parity::gate
