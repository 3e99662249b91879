// Reports of a tap or two as they are before they are judged, and policies of one rule.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gate/policy_file.h"
#include "report/data/report.h"

namespace parity::pipeline::test {

/// A float32 tap of four elements whose norms differ by `nrmse`.
inline report::Tap tap_of(const std::string& path, double nrmse) {
  report::Tap tap;
  tap.id.path = path;
  tap.dtype = "float32";
  tap.shape = {4};
  tap.elements = 4;
  tap.outcome = report::Outcome::compared;
  tap.facts.emplace();
  tap.facts->shape = {4};
  tap.facts->elements = 4;
  tap.facts->classes.finite = 4;
  tap.facts->classes.equal_bits = nrmse == 0 ? 4 : 0;
  tap.facts->nrmse = nrmse;
  tap.facts->ulp.max = nrmse == 0 ? 0 : 1;
  tap.facts->reference_rms = 1;
  return tap;
}

inline report::Report report_of(std::vector<report::Tap> taps) {
  report::Report report;
  report::Case item;
  item.name = "prose";
  item.taps = std::move(taps);
  report.cases.push_back(std::move(item));
  return report;
}

inline const std::string kBound = "\n[[rule.bound]]\nmetric = \"nrmse\"\nwarn = 0.25\nfail = 0.5\n";

/// One rule with these keys and bounds.
inline gate::RuleBook policy_of(const std::string& keys, const std::string& bounds = kBound) {
  return gate::parse_policy("name = \"p\"\n[[rule]]\nreason = \"r\"\n" + keys + bounds + "\n",
                            "p.toml");
}

}  // namespace parity::pipeline::test
