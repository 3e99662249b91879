#include "pipeline/bless/bless.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "gate/attribution.h"
#include "gate/noise.h"
#include "gate/truth.h"
#include "golden_store/golden_reader.h"
#include "pipeline/bless/golden_changes.h"
#include "pipeline/compare/compare.h"
#include "report/words/numbers.h"

namespace parity::pipeline {
namespace {

/// Which taps of which cases the old golden's truth may judge.
struct TruthReach {
  std::set<std::string> other_inputs;
  bool same_weights = true;

  [[nodiscard]] bool holds(const std::string& case_name) const {
    return same_weights && other_inputs.count(case_name) == 0;
  }
};

/// Not comparable is as far as can be.
double as_large(double nrmse) {
  return std::isnan(nrmse) ? std::numeric_limits<double>::infinity() : nrmse;
}

void add_truth(const report::Tap& tap, report::ValueChange& change) {
  const gate::TruthRule rule{1, tensor::unit_roundoff(tensor::component(tap.facts->ulp.dtype))};
  const double before = tap.truth->reference_nrmse;
  const double after = tap.truth->candidate_nrmse;
  ++change.with_truth;
  if (!rule.no_further(before, after)) ++change.better;
  if (!rule.no_further(after, before)) ++change.worse;
}

void add_figures(const std::string& case_name, const report::Tap& tap, const TruthReach& reach,
                 report::ValueChange& change) {
  const compare::TensorComparison& facts = *tap.facts;
  const bool is_first = change.measured++ == 0;
  if (is_first || as_large(facts.nrmse) > as_large(change.nrmse)) {
    change.nrmse = facts.nrmse;
    change.nrmse_at = {case_name, tap.id};
  }
  if (is_first || facts.ulp.max > change.max_ulp) {
    change.max_ulp = facts.ulp.max;
    change.max_ulp_at = {case_name, tap.id};
  }
  if (tap.truth && reach.holds(case_name)) add_truth(tap, change);
}

/// What the taps' own section says already.
bool is_structural(run::Verdict verdict) {
  return verdict == run::Verdict::missing || verdict == run::Verdict::additional ||
         verdict == run::Verdict::shape_differs;
}

void add_values(const report::Report& report, const TruthReach& reach, report::Blessing& blessing) {
  using Key = std::tuple<run::Verdict, std::string, tensor::DType>;
  std::map<Key, report::ValueChange> groups;
  for (const report::Case& item : report.cases) {
    for (const report::Tap& tap : item.taps) {
      if (is_structural(tap.verdict)) continue;
      ++blessing.compared;
      if (tap.verdict == run::Verdict::identical) {
        ++blessing.identical;
        continue;
      }
      const tensor::DType dtype =
          tap.facts ? tap.facts->ulp.dtype : tensor::dtype_from_name(tap.dtype).value();
      const std::string layers = gate::peer_name(tap.id);
      report::ValueChange& change = groups[{tap.verdict, layers, dtype}];
      change.verdict = tap.verdict;
      change.layers = layers;
      change.dtype = dtype;
      ++change.taps;
      if (tap.facts) add_figures(item.name, tap, reach, change);
      const auto noise = gate::noise_figure(tap.noise ? &*tap.noise : nullptr, "nrmse");
      if (tap.noise)
        change.noise_nrmse = std::max(change.noise_nrmse.value_or(0), noise.value_or(0));
    }
  }
  for (auto& [key, change] : groups) blessing.values.push_back(std::move(change));
  std::stable_sort(blessing.values.begin(), blessing.values.end(),
                   [](const report::ValueChange& one, const report::ValueChange& other) {
                     if (one.verdict != other.verdict) return one.verdict > other.verdict;
                     return as_large(one.nrmse) > as_large(other.nrmse);
                   });
}

void add_logits(const report::Report& report, report::Blessing& blessing) {
  for (const report::Case& item : report.cases) {
    for (const report::Logits& logits : item.logits) {
      const compare::LogitsComparison& facts = logits.facts;
      const bool same = facts.flips == 0 && facts.kl.max == 0 && facts.max_logprob_change == 0 &&
                        logits.verdict == run::Verdict::within;
      if (same) continue;
      blessing.logits.push_back({{item.name, logits.id},
                                 logits.verdict,
                                 facts.positions,
                                 facts.flips,
                                 facts.decided_flips,
                                 facts.kl.mean,
                                 facts.kl.max});
    }
  }
}

template <typename Change>
std::uint64_t count_of(const std::vector<Change>& changes, const std::string& what) {
  return static_cast<std::uint64_t>(std::count_if(
      changes.begin(), changes.end(), [&](const Change& change) { return change.what == what; }));
}

std::uint64_t taps_of(const std::vector<report::TapChange>& changes, const std::string& what) {
  std::uint64_t taps = 0;
  for (const report::TapChange& change : changes) taps += change.what == what ? change.taps : 0;
  return taps;
}

/// Everything that no policy lets pass.
std::vector<std::string> structural_reasons(const report::Blessing& blessing) {
  std::vector<std::string> reasons;
  if (blessing.before.model_kind != blessing.after.model_kind)
    reasons.push_back("the model is of another kind");
  std::uint64_t weights = 0;
  for (const report::WeightChange& change : blessing.weights) weights += change.count;
  if (weights > 0) reasons.push_back(report::plural(weights, "weight") + " not the same");
  const auto add = [&](std::uint64_t count, const std::string& noun, const std::string& text) {
    if (count > 0) reasons.push_back(report::plural(count, noun) + " " + text);
  };
  add(count_of(blessing.cases, "added"), "case", "added");
  add(count_of(blessing.cases, "removed"), "case", "removed");
  add(count_of(blessing.cases, "inputs"), "case", "with other inputs");
  add(taps_of(blessing.taps, "added"), "tap", "added");
  add(taps_of(blessing.taps, "removed"), "tap", "removed");
  add(taps_of(blessing.taps, "reshaped"), "tap", "reshaped");
  add(taps_of(blessing.taps, "dtype"), "tap", "of another dtype");
  add(taps_of(blessing.taps, "order"), "tap", "in another order");
  return reasons;
}

/// Verdicts that fail, which are in no other reason.
void add_verdict_reasons(const report::Report& report, run::Strictness strictness,
                         std::vector<std::string>& reasons) {
  std::map<run::Verdict, std::uint64_t> taps;
  std::map<run::Verdict, std::uint64_t> logits;
  for (const report::Case& item : report.cases) {
    for (const report::Tap& tap : item.taps) {
      const bool is_told = is_structural(tap.verdict) || tap.verdict == run::Verdict::dtype_differs;
      if (!is_told && !run::passes(tap.verdict, strictness)) ++taps[tap.verdict];
    }
    for (const report::Logits& each : item.logits)
      if (!run::passes(each.verdict, strictness)) ++logits[each.verdict];
    if (item.decode && !run::passes(item.decode->verdict, strictness))
      ++logits[item.decode->verdict];
  }
  for (auto entry = taps.rbegin(); entry != taps.rend(); ++entry)
    reasons.push_back(report::plural(entry->second, "tap") + " " +
                      std::string(run::name(entry->first)));
  for (auto entry = logits.rbegin(); entry != logits.rend(); ++entry)
    reasons.push_back("logits of " + report::plural(entry->second, "output") + " " +
                      std::string(run::name(entry->first)));
}

/// "recorded again, values unchanged", or what is to be said of them.
std::string headline(const report::Blessing& blessing) {
  if (!blessing.reasons.empty()) return "recorded anew";
  return blessing.identical == blessing.compared ? "recorded again, values unchanged"
                                                 : "recorded again, values within the policy";
}

std::string entry_of(const report::Blessing& blessing, const run::Provenance& provenance) {
  std::string what;
  for (const std::string& reason : blessing.reasons) what += (what.empty() ? "" : ", ") + reason;
  what += what.empty() ? "" : "; ";
  const std::string where = std::string(provenance.get("device.name")) + ", PyTorch " +
                            std::string(provenance.get("library.torch"));
  return fmt::format(
      "## {}: {}\n\n- **What.** {}{} of {} identical by `parity bless` under policy {}.\n"
      "- **Where.** {}.\n",
      std::filesystem::path(blessing.after.file).filename().string(), headline(blessing), what,
      blessing.identical, report::plural(blessing.compared, "tap"), blessing.policy_name, where);
}

report::BlessedFile described(const golden_store::GoldenReader& golden) {
  return {golden.path().string(), golden.header().model.file_name, golden.header().model.kind,
          golden.header().provenance};
}

}  // namespace

report::Blessing bless(const BlessRequest& request, Progress& progress) {
  const golden_store::GoldenReader before(request.before);
  const golden_store::GoldenReader after(request.after);
  report::Blessing blessing;
  blessing.before = described(before);
  blessing.after = described(after);
  blessing.policy_name = request.policy.name;
  blessing.environment_diff =
      run::differences(blessing.before.provenance, blessing.after.provenance);
  blessing.weights = weight_changes(before.header().model, after.header().model);
  blessing.cases = case_changes(before, after);
  blessing.taps = tap_changes(before, after);
  blessing.repro = request.command;

  CompareRequest compare;
  compare.golden = request.before;
  compare.weights = WeightsRule::any;
  compare.policy = request.policy;
  compare.strictness = request.strictness;
  compare.worst_count = 0;
  const report::Report report = compare_recordings(compare, request.after, progress);
  TruthReach reach;
  reach.same_weights = blessing.weights.empty();
  for (const report::CaseChange& change : blessing.cases)
    if (change.what == "inputs") reach.other_inputs.insert(change.case_name);
  add_values(report, reach, blessing);
  add_logits(report, blessing);
  blessing.reasons = structural_reasons(blessing);
  add_verdict_reasons(report, request.strictness, blessing.reasons);
  // What the gate itself fails for, such as an output that proves nothing.
  if (blessing.reasons.empty() && report.exit_code != 0) blessing.reasons = report.reasons;
  blessing.exit_code = blessing.reasons.empty() ? 0 : 1;
  blessing.changes_entry = entry_of(blessing, after.header().provenance);
  return blessing;
}

}  // namespace parity::pipeline
