#include "report/ci/openmetrics.h"

#include <functional>
#include <utility>
#include <vector>

#include "report/terminal/tap_rows.h"
#include "report/words/environment.h"
#include "report/words/metric_family.h"
#include "report/words/text.h"
#include "report/words/unique_names.h"

namespace parity::report {
namespace {

template <typename Item>
struct Labelled {
  std::string labels;
  const Item* item;
};

struct Series {
  std::vector<Labelled<Case>> cases;
  std::vector<Labelled<Tap>> taps;
  std::vector<Labelled<Logits>> logits;
};

Series series_of(const Report& report) {
  Series series;
  UniqueNames case_names;
  for (const Case& item : report.cases) {
    const std::string labels = label("case", case_names.of(clean(item.name)));
    series.cases.push_back({labels, &item});
    UniqueNames tap_names;
    for (const Tap& tap : item.taps)
      series.taps.push_back({labels + "," + label("tap", tap_names.of(tap_name(tap.id))), &tap});
    UniqueNames logits_names;
    for (const Logits& one : item.logits) {
      series.logits.push_back(
          {labels + "," + label("tap", logits_names.of(tap_name(one.id))), &one});
    }
  }
  return series;
}

std::uint64_t flag(Result result) { return result == Result::pass ? 1 : 0; }

void add_run(std::string& out, const Report& report) {
  Family(out, "parity_gate_passed", "1 where the gate passed, 0 where it failed.")
      .add("", flag(report.result));
  Family(out, "parity_report_info", "1, with what was compared as labels.")
      .add(label("model", report.model_file) + "," + label("model_kind", report.model_kind) + "," +
               label("reference_device", device_text(report.reference)) + "," +
               label("candidate_device", device_text(report.candidate)) + "," +
               label("policy", report.policy_name),
           std::uint64_t{1});
  Family(out, "parity_same_device", "1 for a comparison of a device with itself.")
      .add("", std::uint64_t{report.devices == Devices::same ? 1U : 0U});
  Family(out, "parity_environment_differences", "Facts in which the two environments differ.")
      .add("", std::uint64_t{report.environment_diff.size()});
  Family taps(out, "parity_taps", "Taps by state.");
  taps.add(label("state", "passed"), report.totals.passed);
  taps.add(label("state", "suspect"), report.totals.warned);
  taps.add(label("state", "failed"), report.totals.failed);
  Family(out, "parity_elements", "Elements compared.").add("", report.totals.elements);
  Family(out, "parity_compared_bytes", "Bytes compared.", "bytes").add("", report.totals.bytes);
  Family(out, "parity_run_seconds", "Wall clock of the whole comparison.", "seconds")
      .add("", report.timing.total_s);
  Family stages(out, "parity_stage_seconds", "Wall clock of stages, which overlap.", "seconds");
  stages.add(label("stage", "compare"), report.timing.compare_s);
  stages.add(label("stage", "forward"), report.timing.forward_s);
  stages.add(label("stage", "forced"), report.timing.forced_s);
}

void add_cases(std::string& out, const Series& series) {
  Family passed(out, "parity_case_passed", "1 where the case passed by itself, 0 where it failed.");
  for (const auto& [labels, item] : series.cases) passed.add(labels, flag(item->result));
}

void add_verdicts(std::string& out, const Series& series) {
  Family verdict(out, "parity_tap_verdict", "1, with the tap's verdict as a label.");
  for (const auto& [labels, tap] : series.taps)
    verdict.add(labels + "," + label("verdict", run::name(tap->verdict)), std::uint64_t{1});
}

using Figure = std::function<double(const compare::TensorComparison&)>;

void add_figure(std::string& out, const Series& series, const char* name, const char* help,
                const Figure& figure) {
  Family family(out, name, help);
  for (const auto& [labels, tap] : series.taps) {
    if (tap->facts) family.add(labels, figure(*tap->facts));
  }
}

void add_ulp(std::string& out, const Series& series) {
  Family family(out, "parity_tap_ulp",
                "Values of the dtype stepped over: quantiles over the finite pairs, 1 is the "
                "largest.",
                "", "summary");
  for (const auto& [labels, tap] : series.taps) {
    if (!tap->facts) continue;
    const compare::Quantiles& ulp = tap->facts->ulp.quantiles;
    for (const auto& [quantile, value] :
         {std::pair("0.5", ulp.p50), std::pair("0.9", ulp.p90), std::pair("0.99", ulp.p99),
          std::pair("0.999", ulp.p999)}) {
      family.add(labels + "," + label("quantile", quantile), value);
    }
    family.add(labels + "," + label("quantile", "1"), tap->facts->ulp.max);
  }
}

void add_taps(std::string& out, const Series& series) {
  add_verdicts(out, series);
  add_figure(out, series, "parity_tap_nrmse", "norm(c-r)/norm(r) of the tap.",
             [](const auto& facts) { return facts.nrmse; });
  add_figure(out, series, "parity_tap_max_error_over_rms",
             "Largest absolute error over the reference's root mean square.",
             [](const auto& facts) { return facts.max_error_over_rms; });
  add_figure(out, series, "parity_tap_exact_share", "Share of elements with equal bits.",
             [](const auto& facts) { return facts.exact_share; });
  add_ulp(out, series);
  Family introduced(out, "parity_tap_introduced_nrmse",
                    "nrmse of the tap when everything before it is the reference's.");
  for (const auto& [labels, tap] : series.taps) {
    if (tap->introduced) introduced.add(labels, tap->introduced->nrmse);
  }
  Family truth(out, "parity_tap_truth_ratio",
               "The candidate's nrmse against the truth over the reference's.");
  for (const auto& [labels, tap] : series.taps) {
    if (tap->truth) truth.add(labels, tap->truth->ratio);
  }
}

void add_logits(std::string& out, const Series& series) {
  const auto add = [&](const char* name, const char* help, const char* unit, const auto& figure) {
    Family family(out, name, help, unit);
    for (const auto& [labels, logits] : series.logits) family.add(labels, figure(logits->facts));
  };
  add("parity_logits_kl_mean_nats", "Mean KL divergence of the candidate from the reference.",
      "nats", [](const auto& facts) { return facts.kl.mean; });
  add("parity_logits_kl_max_nats", "Largest KL divergence of a position.", "nats",
      [](const auto& facts) { return facts.kl.max; });
  add("parity_logits_top1_agreement_share", "Share of positions with the same best token.", "",
      [](const auto& facts) { return facts.top1_agreement; });
  add("parity_logits_flips", "Positions whose best token differs.", "",
      [](const auto& facts) { return facts.flips; });
  add("parity_logits_decided_flips", "Flips where the reference had decided.", "",
      [](const auto& facts) { return facts.decided_flips; });
  Family verdict(out, "parity_logits_verdict", "1, with the verdict on the logits as a label.");
  for (const auto& [labels, logits] : series.logits)
    verdict.add(labels + "," + label("verdict", run::name(logits->verdict)), std::uint64_t{1});
}

void add_decodes(std::string& out, const Series& series) {
  const auto add = [&](const char* name, const char* help, const auto& figure) {
    Family family(out, name, help);
    for (const auto& [labels, item] : series.cases) {
      if (item->decode) family.add(labels, figure(*item->decode));
    }
  };
  add("parity_decode_tokens", "Tokens chosen by each side.",
      [](const Decode& decode) { return decode.tokens; });
  add("parity_decode_compared_tokens", "Tokens of them that could be compared.",
      [](const Decode& decode) { return decode.compared; });
  add("parity_decode_agreeing_tokens", "Compared tokens that are the same on both sides.",
      [](const Decode& decode) { return decode.agree; });
}

}  // namespace

std::string to_openmetrics(const Report& report) {
  std::string out;
  const Series series = series_of(report);
  add_run(out, report);
  add_cases(out, series);
  add_taps(out, series);
  add_logits(out, series);
  add_decodes(out, series);
  return out + "# EOF\n";
}

}  // namespace parity::report
