#include "report/html/html.h"

#include <string_view>

#include "report/ci/markup.h"
#include "report/html/html_data.h"
#include "report/html/html_findings.h"
#include "report/html/html_names.h"
#include "report/html/html_parts.h"
#include "report/html/html_sections.h"
#include "report/html/page_template.h"

namespace parity::report {
namespace {

template <typename Part>
std::string markup_of(const Part& part) {
  Markup markup;
  part(markup);
  return markup.str();
}

}  // namespace

std::string to_html(const Report& report) {
  const PageParts parts = html_parts();
  const PageNames names(report);
  const std::string verdict = report.result == Result::pass ? "PASS" : "FAIL";
  return filled_page(
      parts.page,
      {{"title", html_escaped("parity: " + verdict +
                              (report.model_file.empty() ? "" : ", " + report.model_file))},
       {"style_hash", std::string(parts.style_hash)},
       {"script_hash", std::string(parts.script_hash)},
       {"style", std::string(parts.style)},
       {"script", std::string(parts.script)},
       {"headline", markup_of([&](Markup& page) { add_headline(page, report, names); })},
       {"findings", markup_of([&](Markup& page) { add_findings(page, report, names); })},
       {"before", markup_of([&](Markup& page) {
          add_environment_section(page, report);
          add_cases_section(page, report, names);
          add_worst_section(page, report, names);
        })},
       {"after", markup_of([&](Markup& page) {
          add_attribution_section(page, report, names);
          add_logits_section(page, report, names);
          add_truth_section(page, report);
          add_policy_section(page, report);
          add_run_section(page, report);
        })},
       {"data", html_data(report, names)}});
}

}  // namespace parity::report
