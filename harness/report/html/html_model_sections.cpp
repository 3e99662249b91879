// What the HTML report says of the model's answers and of where error comes from.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/html/html_findings.h"
#include "report/html/html_sections.h"
#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/numbers.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

constexpr std::size_t kListed = 30;
constexpr int kLongestCell = 600;

/// Behind case, output and verdict. Where the window is narrow a row is a list, each figure with
/// its title before it.
constexpr std::array<const char*, 10> kLogitsFigures = {
    "positions", "top-1 %",  "flips",
    "decided",   "flip gap", "KL mean (nat)",
    "KL p99",    "KL max",   "log-prob. change (nat)",
    "not finite"};
constexpr std::size_t kLogitsColumns = 3 + kLogitsFigures.size();

void number(Markup& page, const std::string& text) {
  page.element("td", text, {{"class", "number"}});
}

void verdict_cell(Markup& page, run::Verdict verdict) {
  const char* tone = is_failure(verdict) ? "bad" : is_fine(verdict) ? "good" : "warning";
  page.open("td").element("span", run::name(verdict), {{"class", fmt::format("badge {}", tone)}});
  page.close();
}

void add_logits_row(Markup& page, const std::string& case_name, const std::string& output,
                    const compare::LogitsComparison& facts, run::Verdict verdict,
                    const std::vector<std::string>& reasons) {
  page.open("tr");
  page.open("td", {{"class", "name"}}).element("code", case_name).close();
  page.open("td", {{"class", "name"}}).element("code", output).close();
  verdict_cell(page, verdict);
  const std::array<std::string, kLogitsFigures.size()> figures = {
      std::to_string(facts.positions),
      percent(facts.top1_agreement),
      std::to_string(facts.flips),
      std::to_string(facts.decided_flips),
      short_number(facts.max_flip_gap),
      short_number(facts.kl.mean),
      short_number(facts.kl.p99),
      short_number(facts.kl.max),
      short_number(facts.max_logprob_change),
      std::to_string(facts.non_finite_rows)};
  for (std::size_t i = 0; i < figures.size(); ++i)
    page.element("td", figures[i], {{"class", "number"}, {"data-label", kLogitsFigures[i]}});
  page.close();
  if (reasons.empty()) return;
  const std::string why = "Why: " + keep_head(clean(joined(reasons)), kLongestCell);
  page.open("tr", {{"class", "why"}});
  page.element("td", why, {{"class", "words"}, {"colspan", std::to_string(kLogitsColumns)}})
      .close();
}

void add_truth_of_logits(Markup& page, const Report& report, const PageNames& names) {
  page.open("ul");
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    for (const Logits& logits : report.cases[i].logits) {
      if (!logits.truth) continue;
      const LogitsTruth& truth = *logits.truth;
      page.open("li").text("Case ").element("code", names.of_case(i)).text(", ");
      page.element("code", tap_name(logits.id));
      page.text(fmt::format(
          ": KL from the truth is {} nat for the reference and {} nat for the "
          "candidate (mean); of {} the truth takes the candidate's side {} times "
          "and the reference's {} times.",
          short_number(truth.reference_kl.mean), short_number(truth.candidate_kl.mean),
          plural(truth.flips.flips, "flip"), truth.flips.candidate, truth.flips.reference));
      page.close();
    }
  }
  page.close();
}

void add_decodes(Markup& page, const Report& report) {
  for (const Case& item : report.cases) {
    const std::string text = decode_text(item);
    if (!text.empty()) page.element("pre", text);
  }
}

void add_blame_table(Markup& page, const Report& report, const PageNames& names) {
  const std::vector<Blame>& blame = report.attribution->blame;
  if (blame.empty()) return;
  page.element("h3", "Layers that introduce more than rounding explains, largest first");
  begin_table(page, "Blamed layers",
              {{"layer"},
               {"introduced nrmse", Align::right},
               {"explained by rounding", Align::right},
               {"share of the unexplained", Align::right}});
  for (std::size_t i = 0; i < std::min(kListed, blame.size()); ++i) {
    page.open("tr").open("td", {{"class", "name"}});
    add_tap_link(page, report, names, {blame[i].case_name, blame[i].tap});
    page.close();
    number(page, short_number(blame[i].introduced_nrmse));
    number(page, short_number(blame[i].explained_nrmse));
    number(page, percent(blame[i].share) + " %");
    page.close();
  }
  end_table(page);
  if (blame.size() > kListed)
    page.element("p", fmt::format("and {} more.", plural(blame.size() - kListed, "layer")));
}

/// Operators of one name are told apart by which of them it is, in order of execution.
std::string numbered_name(const std::vector<OperatorLine>& operators, std::size_t place) {
  std::size_t alike = 0;
  std::size_t before = 0;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (operators[i].name != operators[place].name) continue;
    ++alike;
    before += i < place ? 1 : 0;
  }
  const std::string& name = operators[place].name;
  return alike < 2 ? name : fmt::format("{} ({} of {})", name, before + 1, alike);
}

void add_operators_table(Markup& page, const Blame& blame) {
  if (blame.operators.empty()) return;
  page.open("h3").text("Operators that compute ").name(tap_name(blame.tap));
  page.text(", each against its own float64 value").close();
  page.element("p", blame.operators_sentence);
  const bool has_sources =
      std::any_of(blame.operators.begin(), blame.operators.end(),
                  [](const OperatorLine& line) { return !line.source.empty(); });
  const bool has_findings =
      blame.culprit ||
      std::any_of(blame.operators.begin(), blame.operators.end(),
                  [](const OperatorLine& line) { return !line.own_error.not_judged.empty(); });
  std::vector<ColumnSpec> columns = {{"operator"}};
  if (has_sources) columns.push_back({"source"});
  columns.push_back({"own nrmse", Align::right});
  columns.push_back({"explained by rounding", Align::right});
  if (has_findings) columns.push_back({"finding"});
  begin_table(page, "Operators", columns);
  for (std::size_t i = 0; i < blame.operators.size(); ++i) {
    const OperatorLine& line = blame.operators[i];
    const bool judged = line.own_error.not_judged.empty();
    const bool culprit = blame.culprit && *blame.culprit == i;
    page.open("tr", {{"class", culprit ? "changes" : ""}});
    page.open("td", {{"class", "name"}}).name(numbered_name(blame.operators, i)).close();
    if (has_sources) page.element("td", line.source);
    number(page, judged ? short_number(line.own_error.nrmse) : "-");
    number(page, judged ? short_number(line.own_error.explained) : "-");
    if (has_findings) {
      page.element("td", culprit  ? "computes something else"
                         : judged ? ""
                                  : "not judged: " + line.own_error.not_judged);
    }
    page.close();
  }
  end_table(page);
}

void add_sources_table(Markup& page, const std::vector<Source>& sources) {
  if (sources.empty()) return;
  page.element("h3", "All that layers introduce, rounding included, by kind of layer");
  begin_table(page, "Sources of error",
              {{"layers"},
               {"taps", Align::right},
               {"largest nrmse", Align::right},
               {"share of squares", Align::right}});
  for (std::size_t i = 0; i < std::min(kListed, sources.size()); ++i) {
    page.open("tr")
        .open("td", {{"class", "name"}})
        .element("code", keep_head(clean(sources[i].layers), kLongestCell));
    page.close();
    number(page, std::to_string(sources[i].taps));
    number(page, short_number(sources[i].nrmse));
    number(page, percent(sources[i].share) + " %");
    page.close();
  }
  end_table(page);
  if (sources.size() > kListed)
    page.element("p", fmt::format("and {} more.", plural(sources.size() - kListed, "kind")));
}

}  // namespace

void add_logits_section(Markup& page, const Report& report, const PageNames& names) {
  const auto has_any = [](const Case& item) { return !item.logits.empty() || item.decode; };
  if (std::none_of(report.cases.begin(), report.cases.end(), has_any)) return;
  begin_section(page, "logits", "Would the model answer differently? Its logits");
  page.element("p",
               "A flip is a position at which the two sides prefer another token; it is decided "
               "where the reference's two best were clearly apart, else it is a close call; the "
               "flip gap is how far apart they were at most. KL (Kullback-Leibler divergence, in "
               "nat) says how far the whole distribution over tokens moved: 0 is not at all. "
               "Log-prob. change is the most that the logarithm of one token's probability moved; "
               "1 nat is a factor of 2.7.");
  std::vector<ColumnSpec> columns = {{"case"}, {"output"}, {"verdict"}};
  for (const char* figure : kLogitsFigures) columns.push_back({figure, Align::right});
  begin_table(page, "Logits", columns);
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    const Case& item = report.cases[i];
    if (item.decode) {
      add_logits_row(page, names.of_case(i), "all decoded steps", item.decode->logits,
                     item.decode->verdict, item.decode->reasons);
    }
    for (const Logits& logits : item.logits) {
      // Of a decode, steps that pass are in the row of all steps.
      if (item.decode && logits.id.call != 0 && is_fine(logits.verdict)) continue;
      add_logits_row(page, names.of_case(i), tap_name(logits.id), logits.facts, logits.verdict,
                     logits.reasons);
    }
  }
  end_table(page);
  if (report.truth) add_truth_of_logits(page, report, names);
  add_decodes(page, report);
  page.close();
}

void add_attribution_section(Markup& page, const Report& report, const PageNames& names) {
  if (!report.attribution) return;
  begin_section(page, "attribution", "Where the error is made");
  page.element("p", report.attribution->sentence);
  add_blame_table(page, report, names);
  if (!report.attribution->blame.empty()) add_operators_table(page, report.attribution->blame[0]);
  add_sources_table(page, report.attribution->sources);
  page.close();
}

void add_truth_section(Markup& page, const Report& report) {
  if (!report.truth && !report.noise) return;
  begin_section(page, "truth", report.truth ? "Against the truth" : "The reference against itself");
  if (report.truth) {
    const TruthSummary& truth = *report.truth;
    page.element(
        "p",
        fmt::format("The truth is a run in {} ({}). Of {} with a truth, the reference is clearly "
                    "further from it at {}, the candidate at {}.",
                    truth.dtype, absent_or(truth.file), plural(truth.taps, "tap"),
                    truth.reference_worse, truth.candidate_worse));
  }
  if (report.noise) {
    page.element("p", fmt::format("The reference was repeated {}: {} of {} did not have the same "
                                  "bits each time. No bound is narrower than 3 times that noise.",
                                  plural(static_cast<std::uint64_t>(report.noise->repeats), "time"),
                                  report.noise->differing, plural(report.noise->taps, "tap")));
  }
  page.close();
}

}  // namespace parity::report
