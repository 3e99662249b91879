#include "report/made_report.h"

#include <cmath>
#include <limits>

namespace parity::report_test {
namespace {

using report::Devices;
using report::Outcome;
using report::Result;
using report::Tap;
using run::TapKind;
using run::Verdict;
using tensor::DType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

compare::TensorComparison facts_of(double nrmse) {
  compare::TensorComparison facts;
  facts.reference_dtype = DType::bfloat16;
  facts.candidate_dtype = DType::bfloat16;
  facts.shape = {4, 128, 256};
  facts.elements = 131072;
  facts.classes.finite = 131072;
  facts.classes.equal_bits = nrmse == 0 ? 131072 : 100000;
  facts.exact_share = static_cast<double>(facts.classes.equal_bits) / 131072;
  facts.ulp.dtype = DType::bfloat16;
  facts.ulp.histogram.edges = {0, 1, 2, 3, 5, 9};
  facts.ulp.histogram.counts = {
      facts.classes.equal_bits, 131072 - facts.classes.equal_bits, 0, 0, 0, 0};
  facts.relative.histogram.edges = {0, std::ldexp(1.0, -60), std::ldexp(1.0, -59)};
  facts.relative.histogram.counts = {facts.classes.equal_bits, 0,
                                     131072 - facts.classes.equal_bits};
  facts.ulp.max = nrmse == 0 ? 0 : 1;
  if (nrmse != 0) facts.ulp.quantiles = {0, 1, 1, 1, false};
  facts.relative.max = nrmse;
  facts.relative.quantiles = {0, nrmse, nrmse, nrmse, true};
  facts.nrmse = nrmse;
  facts.absolute = {4 * nrmse, -nrmse / 8};
  facts.reference_rms = 1;
  facts.max_error_over_rms = 4 * nrmse;
  return facts;
}

Tap bare_tap(const std::string& path, Outcome outcome, Verdict verdict) {
  Tap tap;
  tap.id.path = path;
  tap.dtype = "bfloat16";
  tap.shape = {4, 128, 256};
  tap.elements = 131072;
  tap.outcome = outcome;
  tap.verdict = verdict;
  return tap;
}

Tap attention_tap() {
  Tap tap = measured_tap("blocks.1.attn", 0.12, Verdict::diverged);
  tap.id.kind = TapKind::op;
  tap.id.op = "aten.scaled_dot_product_attention";
  tap.reasons = {"nrmse 0.12 exceeds 0.0312, the fail bound of bfloat16"};
  compare::TensorComparison& facts = *tap.facts;
  facts.ulp.max = 4711;
  facts.ulp.quantiles = {2, 16, 300, 4096, true};
  facts.ulp.histogram.counts = {100000, 1, 20000, 10000, 1071, 0};
  facts.where = {
      5000, {0, 16, 3}, 5000.0 / 131072, {{1, 16, 127, 128, 1.0}, {2, 64, 64, 256, 0.96}}};
  facts.hints = {{"scaled", "candidate = 0.5 x reference in 100 % of 5000 elements"}};
  facts.worst = {{{0, 16, 3}, 1.03125, 0.515625, 0x3f84, 0x3f04},
                 {{0, 17, 3}, 2, kNan, 0x4000, 0x7fc0},
                 {{1, 2, 3}, -4, -2, 0xc080, 0xc000},
                 {{1, 2, 4}, -4, -2, 0xc080, 0xc000}};
  return tap;
}

Tap overflowing_tap() {
  Tap tap = measured_tap("blocks.1.mlp", kInf, Verdict::non_finite);
  tap.facts->absolute = {kInf, -kInf};
  tap.facts->cosine = kNan;
  tap.facts->classes.finite -= 7;
  tap.facts->classes.nan_candidate_only = 7;
  tap.reasons = {"7 NaN in the candidate only"};
  return tap;
}

Tap output_tap() {
  Tap tap = measured_tap("<output>", 1.5e-2, Verdict::suspect);
  tap.id.kind = TapKind::output;
  tap.id.port = "logits.0";
  tap.reasons = {"nrmse 0.015 exceeds 0.00781, the warn bound of bfloat16"};
  return tap;
}

report::Logits logits_of_output() {
  report::Logits logits;
  logits.id = output_tap().id;
  logits.verdict = Verdict::suspect;
  logits.reasons = {"top1_agreement 0.98 is below 0.99, the warn bound of logits"};
  logits.facts.positions = 512;
  logits.facts.top1_agreement = 0.98;
  logits.facts.flips = 10;
  logits.facts.decided_gap = 2;
  logits.facts.max_flip_gap = 0.0071;
  logits.facts.topk_overlap = {{5, 0.99}, {10, 1}};
  logits.facts.kl = {3.1e-6, 2e-5, kInf};
  logits.facts.kl_reverse = {3.0e-6, 2e-5, 1e-4};
  logits.facts.first_divergent = {-1, 17, -1, 90};
  logits.facts.max_logprob_change = 0.25;
  logits.facts.non_finite_rows = 1;
  return logits;
}

report::Case broken_case() {
  report::Case item;
  item.name = "prompts";
  item.notes = {"taps changed the output"};
  Tap constant = measured_tap("wpe", 0, Verdict::identical);
  constant.reasons = {"the reference is the same value everywhere here"};
  constant.facts->reference_constant = true;
  Tap shapes = bare_tap("blocks.2.pool", Outcome::shape_differs, Verdict::shape_differs);
  shapes.shapes = compare::ShapeMismatch{{4, 33}, {4, 64}};
  shapes.reasons = {"the reference has shape 4x33, the candidate 4x64"};
  Tap dtypes = measured_tap("blocks.2.cast", 1e-3, Verdict::dtype_differs);
  dtypes.candidate_dtype = "float32";
  dtypes.facts->candidate_dtype = DType::float32;
  dtypes.reasons = {"the reference is bfloat16, the candidate float32; run both in one dtype"};
  Tap looped = measured_tap("blocks.2.cell", 2e-3, Verdict::within);
  looped.id.call = 2;
  looped.id.port = "1";
  item.taps = {constant,
               measured_tap("blocks.0.attn", 2e-3, Verdict::within),
               attention_tap(),
               overflowing_tap(),
               shapes,
               dtypes,
               looped,
               bare_tap("blocks.3.gone", Outcome::missing, Verdict::missing),
               bare_tap("blocks.3.digest", Outcome::digest_differs, Verdict::diverged),
               bare_tap("blocks.3.skipped", Outcome::not_compared, Verdict::untested),
               output_tap(),
               bare_tap("blocks.9.new", Outcome::additional, Verdict::additional)};
  item.logits = {logits_of_output(), logits_of_output()};
  item.logits.back().id.port = "logits.1";
  return item;
}

}  // namespace

Tap measured_tap(const std::string& path, double nrmse, Verdict verdict) {
  Tap tap = bare_tap(path, Outcome::compared, verdict);
  tap.facts = facts_of(nrmse);
  return tap;
}

report::Report identical_report() {
  report::Report report;
  report.result = Result::pass;
  report.exit_code = 0;
  report.devices = Devices::same;
  report.model_file = "model.pt";
  report.model_kind = "torchscript";
  report.reference.file = "golden.h5";
  report.reference.provenance.set("device.name", "NVIDIA H200");
  report.reference.provenance.set("device.vendor", "nvidia");
  report.candidate = report.reference;
  report.reference.digests = {std::string(32, 'a'), std::string(32, 'b'), std::string(32, 'c')};
  report.candidate.digests.weights = std::string(32, 'c');
  report.policy_digest = std::string(32, 'd');
  report.policy_name = "default";
  report.policy_bounds = {
      {"bfloat16", "nrmse", 0.0078125, 0.03125, "measured between an H200 and an x86 CPU"},
      {"int64", "unequal", 0, 0, "integers are not rounded"}};
  report.cases = {{"same",
                   report::Result::pass,
                   {measured_tap("blocks.0", 0, Verdict::identical),
                    measured_tap("blocks.1", 0, Verdict::identical)},
                   {},
                   {},
                   {}}};
  report.totals = {2, 2, 0, 0, 262144, 524288};
  report.timing = {0.5, 0.25, 0};
  report.repro = "parity compare golden.h5 golden.h5";
  return report;
}

report::Report complex_report() {
  report::Report report = identical_report();
  report.result = Result::fail;
  report.exit_code = 1;
  report.reasons = {"1 tap has another dtype"};
  Tap tap = bare_tap("rotary.frequencies", Outcome::dtype_differs, Verdict::dtype_differs);
  tap.dtype = "complex64";
  tap.candidate_dtype = "float32";
  tap.reasons = {"one side is complex, the other real: there is no distance"};
  report.cases[0].taps.push_back(tap);
  report.cases[0].result = Result::fail;
  report.first_divergence = {"same", tap.id};
  report.totals = {3, 2, 0, 1, 262144, 524288};
  return report;
}

report::Report failing_report() {
  report::Report report = identical_report();
  report.result = Result::fail;
  report.exit_code = 1;
  report.devices = Devices::different;
  report.reasons = {"1 tap missing", "1 tap with NaN or Inf on one side only", "2 taps diverged"};
  report.candidate = {};
  report.candidate.provenance.set("device.name", "AMD EPYC 9654 96-Core Processor");
  report.candidate.provenance.set("device.vendor", "amd");
  report.environment_diff = {{"device.name", "NVIDIA H200", "AMD EPYC 9654 96-Core Processor"},
                             {"library.torch", "2.11.0+cu128", "2.11.0+cpu"},
                             {"switch.fp32_precision", "tf32", "ieee"},
                             {"host.flags", "", std::string(300, 'x')}};
  report.policy_bounds.push_back(
      {"logits", "decided_flips", 0, 0, "a decided position is a changed answer"});
  report.cases.insert(report.cases.begin(), broken_case());
  report.first_divergence = {"prompts", attention_tap().id};
  report.notes = {"1 tap was skipped: its value is a str"};
  report.totals = {14, 5, 1, 8, 1572864, 3145728};
  report.repro =
      "parity compare golden.h5 --model 'my model.pt' --device cpu --dtype bfloat16 --show failing";
  return report;
}

report::Report attributed_report() {
  report::Report report = failing_report();
  report::Tap& guilty = report.cases.at(0).taps.at(0);
  report::Attribution attribution;
  attribution.finding = "culprit";
  attribution.sentence = run::to_string(guilty.id) + " introduces the difference";
  attribution.blame = {
      {"prompts",
       guilty.id,
       0.25,
       3,
       3.8e-6,
       2.4e-4,
       0.75,
       {{"aten.mul", "model.py:7", {"", 2e-8, 3.8e-6}},
        {"aten.softmax", "", {"", 0.003, 3.8e-6}},
        {"aten.dropout", "", {"it draws random numbers", 0, 0}}},
       1,
       "aten.softmax has an own error of 3.0e-03 where 3.8e-06 is explained"},
      {"prompts", attention_tap().id, 0.125, 0.5, 3.8e-6, 2.4e-4, 0.25, {}, std::nullopt, ""}};
  attribution.sources = {{"blocks.*.attn/aten.scaled_dot_product_attention", 2, 0.25, 0.9},
                         {"blocks.*.mlp", 2, 0.01, 0.1}};
  for (report::Tap& tap : report.cases.at(0).taps) tap.introduced = tap.facts;
  report.attribution = attribution;
  report.timing.forced_s = 0.5;
  return report;
}

report::Report decoded_report() {
  report::Report report = identical_report();
  report::Case& item = report.cases.at(0);
  for (std::int64_t step = 0; step <= 8; ++step) {
    report::Logits logits = logits_of_output();
    logits.id = {TapKind::output, "<output>", "", step, ""};
    logits.verdict = step < 2 ? Verdict::within : Verdict::suspect;
    item.logits.push_back(logits);
  }
  report::Decode decode;
  decode.id = {TapKind::output, "<output>", "", 1, ""};
  decode.steps = 16;
  decode.rows = 2;
  decode.tokens = 34;
  decode.compared = 32;
  decode.agree = 31;
  decode.first_divergent = report::DivergentToken{5, 4, 1, 318, 262, 0.0012, false};
  decode.logits.positions = 32;
  decode.logits.flips = 1;
  decode.logits.top1_agreement = 0.96875;
  decode.logits.kl = {3.1e-6, 2e-5, kInf};
  decode.verdict = Verdict::suspect;
  decode.reasons = {"top1_agreement 0.969 is below 0.99, the warn bound of logits"};
  item.decode = decode;
  return report;
}

report::Report judged_report() {
  report::Report report = failing_report();
  for (report::Tap& tap : report.cases.at(0).taps) {
    if (tap.facts) tap.truth = report::TapTruth{"float64", 0.5, 0.125, 0.25, 1, kInf, {}};
  }
  report::Tap& better = report.cases[0].taps.at(2);
  if (better.truth) better.truth->reference_introduced_nrmse = 0.0625;
  better.verdict = Verdict::closer;
  better.reasons.insert(better.reasons.begin(), "no further from the truth than the reference");
  report.cases[0].logits.at(0).truth =
      report::LogitsTruth{{0.5, 1, 2}, {0.25, 0.5, kInf}, 0, 0, {10, 7, 2, 4, 1}};
  report.truth = report::TruthSummary{
      "float64", "truth.h5", "reference", 12, 8, 1, "the reference is the worse side"};
  report.reasons.push_back(report.truth->sentence);
  return report;
}

report::Report noisy_report() {
  report::Report report = failing_report();
  std::vector<report::Tap>& taps = report.cases.at(0).taps;
  for (report::Tap& tap : taps) tap.noise = run::TapNoise{4, 0, {}};
  taps.at(2).noise = run::TapNoise{4, 3, {{"nrmse", 1e-4}, {"max_error_over_rms", kInf}}};
  taps.at(1).candidate_taps = {"h.0.attn.q", "h.0.attn.k"};
  report.name_map = report::NameMapping{
      "vllm.toml",
      {{3, "concat", "(.*)\\.qk", {"$1.q", "$1.k"}, 2}, {9, "rename", "x", {"y"}, 0}},
      1,
      1,
      {{"prompts", "h.1", "blocks.1"}, {"prompts", "wte", ""}},
      {{"prompts", "blocks.0", {"h.0", "h.9"}}}};
  report.noise = report::NoiseSummary{4, taps.size(), 1, report::Place{"prompts", taps[2].id},
                                      "the reference is not deterministic"};
  return report;
}

report::Report stored_report() {
  report::Report report = identical_report();
  report.asked_dtype = "float16";
  report.truth_file = "truth.h5";
  report::Case& item = report.cases.at(0);
  item.recorded_as = "first";
  item.same_run = report::SameRun::yes;
  item.untested_output = "its value is a str";
  item.result = Result::fail;
  item.left_out = {{{TapKind::output, "<output>", "", 0, ""},
                    "float32",
                    "bfloat16",
                    run::Role::logits,
                    tensor::Shape{4, 8}}};
  Tap& rows = item.taps.at(0);
  rows.outcome = Outcome::rows_compared;
  rows.rows = report::RowsCompared{512, 1024};
  rows.facts->shape = {512, 256};
  rows.unseen_rows = report::UnseenRows::differ;
  rows.verdict = Verdict::suspect;
  rows.inherited_dtype = "float16";
  rows.bounds_dtype = "float16";
  rows.role = run::Role::logits;
  Tap gone = bare_tap("blocks.2", Outcome::missing, Verdict::missing);
  gone.not_captured = "its value is a str";
  item.taps.push_back(gone);
  report.result = Result::fail;
  report.exit_code = 1;
  report.reasons = {"1 tap missing"};
  report.totals = {3, 1, 1, 1, 262144, 524288};
  return report;
}

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> kNames = {
      "a\nb|c`d\\|e",
      "]]><script>alert('1')</script>&amp;\"",
      std::string("nul\0bell\a\x1b[31m", 14),
      "broken\xC3\x28utf8\xFF",
      "broken\xC3\x28utf8\xFE",
      "none\xEF\xBF\xBE\xEF\xBF\xBF\xED\xA0\x80",
      "[link](https://example.com) @octocat #12 www.example.com GH-1 *bold* ~~gone~~",
      "\n::error title=x::y%0A%25",
      "{quantile=\"0\"} 1\n# EOF",
      "\xE2\x80\xAEright to left, \xF0\x9F\x98\x80 :smile: $x$ <!-- -->",
      "   ",
      "- 1. # > + ---"};
  return kNames;
}

report::Report hostile_report() {
  report::Report report = attributed_report();
  report::Case& item = report.cases.at(0);
  for (std::size_t i = 0; i < hostile_names().size(); ++i) {
    report::Tap& tap = item.taps.at(i);
    tap.id = {TapKind::module, hostile_names()[i], "", 0, ""};
    tap.reasons = {hostile_names()[i], hostile_names()[i]};
  }
  item.name = hostile_names()[0];
  item.notes = hostile_names();
  item.logits.at(0).id.path = hostile_names()[1];
  item.logits.at(0).reasons = hostile_names();
  report.cases.at(1).name = hostile_names()[6];
  report.first_divergence = report::Place{item.name, item.taps.at(0).id};
  report.reasons = hostile_names();
  report.notes = hostile_names();
  for (const std::string& name : hostile_names())
    report.environment_diff.push_back({name, name, name});
  report.attribution->sentence = hostile_names()[6];
  report.attribution->blame.at(0).operators_sentence = hostile_names()[1];
  report.attribution->blame.at(0).tap = item.taps.at(0).id;
  report.candidate.provenance.set("device.name", hostile_names()[6]);
  report.candidate.provenance.set(hostile_names()[1], hostile_names()[0]);
  report.model_file = hostile_names()[0];
  report.policy_name = hostile_names()[1];
  report.repro = "parity compare '" + hostile_names()[0] + "' ```";
  return report;
}

}  // namespace parity::report_test
