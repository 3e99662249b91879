// What the HTML report was judged by and made from.
#include <set>
#include <string>

#include <fmt/format.h>

#include "report/html/html_sections.h"
#include "report/words/numbers.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"
#include "report/words/unmeasured.h"

namespace parity::report {
namespace {

constexpr int kLongestValue = 400;

std::string value_of(const Side& side, const std::string& key) {
  return keep_head(clean(absent_or(std::string(side.provenance.get(key)))), kLongestValue);
}

void add_provenance(Markup& page, const Report& report) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (const Side* side : {&report.reference, &report.candidate}) {
    for (const auto& [key, value] : side->provenance.facts()) {
      if (seen.insert(key).second) keys.push_back(key);
    }
  }
  if (keys.empty()) return;
  page.open("details").element("summary", "Everything recorded about both environments");
  begin_table(page, "Environments", {{"fact"}, {"reference"}, {"candidate"}});
  for (const std::string& key : keys) {
    page.open("tr")
        .open("td", {{"class", "name"}})
        .element("code", keep_head(clean(key), kLongestValue))
        .close();
    page.element("td", value_of(report.reference, key), {{"class", "words"}});
    page.element("td", value_of(report.candidate, key), {{"class", "words"}}).close();
  }
  end_table(page);
  page.close();
}

void add_notes(Markup& page, const Report& report) {
  page.open("ul");
  for (const std::string& note : report.notes) page.open("li").sentence(note).close();
  for (const Case& item : report.cases) {
    for (const std::string& note : item.notes)
      page.element("li", fmt::format("case {}: {}", item.name, note));
  }
  if (!report.reproducer_failure.empty()) page.element("li", report.reproducer_failure);
  page.close();
}

}  // namespace

void add_policy_section(Markup& page, const Report& report) {
  if (report.policy_bounds.empty()) return;
  begin_section(page, "policy", "The bounds that judged");
  page.open("details").open("summary").text("Policy ").element("code", report.policy_name);
  page.text(": " + plural(report.policy_bounds.size(), "bound")).close();
  begin_table(page, "Bounds",
              {{"rule"},
               {"for"},
               {"metric"},
               {"warn", Align::right},
               {"fail", Align::right},
               {"where it comes from"}});
  for (const BoundText& bound : report.policy_bounds) {
    page.open("tr").open("td", {{"class", "name"}}).element("code", bound.rule).close();
    page.element("td", bound.scope).open("td").element("code", bound.metric).close();
    page.element("td", limit_number(bound.warn), {{"class", "number"}});
    page.element("td", limit_number(bound.fail), {{"class", "number"}});
    page.element("td", bound.origin, {{"class", "words"}}).close();
  }
  end_table(page);
  if (const std::string text = unmeasured_text(report); !text.empty()) page.element("p", text);
  page.close().close();
}

void add_run_section(Markup& page, const Report& report) {
  begin_section(page, "run", "How this report was made");
  if (!report.repro.empty()) page.element("pre", report.repro, {{"class", "command"}});
  page.element(
      "p",
      fmt::format("Reference: {}. Candidate: {}. Model kind: {}. {} compared; {:.2f} s "
                  "in all.",
                  absent_or(report.reference.file),
                  report.candidate.file.empty() ? "a replay on this host" : report.candidate.file,
                  absent_or(report.model_kind), plural(report.totals.elements, "element"),
                  report.timing.total_s));
  add_notes(page, report);
  add_provenance(page, report);
  page.close();
}

}  // namespace parity::report
