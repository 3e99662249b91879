// Elements and attributes are those of Jenkins' junit-10.xsd, which is stricter than other readers:
// no attribute of ours, properties before testcases, texts after them. A tap has no time of its
// own, since taps are compared while the model runs.
#include "report/ci/junit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/ci/markup.h"
#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/environment.h"
#include "report/words/tap_details.h"
#include "report/words/tap_text.h"
#include "report/words/text.h"
#include "report/words/unique_names.h"

namespace parity::report {
namespace {

enum class Status : std::uint8_t { passed, failure, error };

struct TestCase {
  std::string name;
  Status status = Status::passed;
  std::string type;  ///< the verdict
  std::string message;
  std::string text;  ///< figures; of a test that passes, something worth reading
};

struct Suite {
  std::string name;
  std::vector<TestCase> tests;
  std::vector<std::string> notes;

  [[nodiscard]] std::size_t count(Status status) const {
    return static_cast<std::size_t>(std::count_if(
        tests.begin(), tests.end(), [&](const TestCase& test) { return test.status == status; }));
  }
  [[nodiscard]] bool passes() const { return count(Status::passed) == tests.size(); }
};

/// XML 1.0 has no control characters, not even escaped ones, and no U+FFFE and U+FFFF.
std::string xml(std::string_view line) {
  std::string text = html_escaped(line);
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t i = text.find(none); i != std::string::npos; i = text.find(none, i))
      text.replace(i, none.size(), "\xEF\xBF\xBD");
  }
  return text;
}

std::string xml_lines(std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t end = text.find('\n');
    result += xml(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

/// Whether suspect taps are why the case failed, as they are when the run is strict.
bool suspects_fail(const Case& item) {
  if (item.result == Result::pass || !item.untested_output.empty()) return false;
  const auto failing = [](const auto& entry) { return is_failure(entry.verdict); };
  return std::none_of(item.taps.begin(), item.taps.end(), failing) &&
         std::none_of(item.logits.begin(), item.logits.end(), failing) &&
         !(item.decode && is_failure(item.decode->verdict));
}

Status status_of(run::Verdict verdict, const Case& item) {
  if (verdict == run::Verdict::untested) return Status::error;
  if (verdict == run::Verdict::suspect)
    return suspects_fail(item) ? Status::failure : Status::passed;
  return is_failure(verdict) ? Status::failure : Status::passed;
}

TestCase test_of(std::string name, run::Verdict verdict, const std::vector<std::string>& reasons,
                 const Case& item) {
  TestCase test;
  test.name = std::move(name);
  test.status = status_of(verdict, item);
  test.type = run::name(verdict);
  test.message = reasons.empty() ? test.type : test.type + ": " + joined(reasons);
  return test;
}

TestCase test_of(const Tap& tap, const Case& item) {
  TestCase test = test_of(tap_name(tap.id), tap.verdict, tap.reasons, item);
  if (!is_fine(tap.verdict) || !tap.reasons.empty()) test.text = tap_text(tap);
  return test;
}

TestCase test_of(const Logits& logits, const Case& item) {
  TestCase test = test_of("logits of " + tap_name(logits.id), logits.verdict, logits.reasons, item);
  if (!is_fine(logits.verdict)) test.text = logits_text(logits);
  return test;
}

TestCase decode_test(const Case& item) {
  TestCase test = test_of("decoded tokens", item.decode->verdict, item.decode->reasons, item);
  if (!is_fine(item.decode->verdict) || item.decode->first_divergent) test.text = decode_text(item);
  return test;
}

TestCase failed_test(std::string name, Status status, std::string message) {
  return {std::move(name), status, status == Status::error ? "untested" : "failed",
          std::move(message), ""};
}

Suite suite_of(const Case& item, std::string name) {
  Suite suite{std::move(name), {}, item.notes};
  for (const Tap& tap : item.taps) suite.tests.push_back(test_of(tap, item));
  for (const Logits& logits : item.logits) suite.tests.push_back(test_of(logits, item));
  if (item.decode) suite.tests.push_back(decode_test(item));
  if (!item.untested_output.empty()) {
    suite.tests.push_back(failed_test("output of the model", Status::error, item.untested_output));
  }
  if (item.result == Result::fail && suite.passes()) {
    suite.tests.push_back(failed_test(
        "case", Status::failure,
        item.taps.empty() ? "nothing was compared" : "the case as a whole does not pass"));
  }
  return suite;
}

std::vector<Suite> suites_of(const Report& report) {
  std::vector<Suite> suites;
  UniqueNames names;
  for (const Case& item : report.cases)
    suites.push_back(suite_of(item, names.of(clean(item.name))));
  const bool all_pass =
      std::all_of(suites.begin(), suites.end(), [](const Suite& suite) { return suite.passes(); });
  if (report.result == Result::fail && all_pass) {
    const std::string message = report.reasons.empty() ? "the gate failed" : joined(report.reasons);
    suites.push_back({names.of("parity"), {failed_test("gate", Status::failure, message)}, {}});
  }
  for (const std::string& note : report.notes) {
    if (!suites.empty()) suites.front().notes.push_back(note);
  }
  return suites;
}

using Properties = std::vector<std::pair<std::string, std::string>>;

void add_findings(Properties& properties, const Report& report) {
  if (const std::string text = self_comparison_text(report); !text.empty())
    properties.emplace_back("self_comparison", text);
  if (report.first_divergence) {
    properties.emplace_back(
        "first_divergence",
        tap_name(report.first_divergence->tap) + " in case " + report.first_divergence->case_name);
  }
  if (report.attribution) {
    properties.emplace_back("attribution", report.attribution->sentence);
    if (!report.attribution->blame.empty())
      properties.emplace_back("attribution.operators",
                              report.attribution->blame.front().operators_sentence);
  }
  if (report.truth) properties.emplace_back("truth", report.truth->sentence);
  if (report.noise) properties.emplace_back("noise", report.noise->sentence);
}

Properties properties_of(const Report& report) {
  Properties properties = {{"verdict", report.result == Result::pass ? "pass" : "fail"},
                           {"exit_code", std::to_string(report.exit_code)},
                           {"reasons", joined(report.reasons)}};
  add_findings(properties, report);
  properties.emplace_back("model.file", report.model_file);
  properties.emplace_back("model.kind", report.model_kind);
  properties.emplace_back("policy", report.policy_name);
  properties.emplace_back("repro", report.repro);
  for (const run::Difference& difference : switches_first(report)) {
    properties.emplace_back(
        "environment_diff." + difference.key,
        absent_or(difference.reference) + " -> " + absent_or(difference.candidate));
  }
  for (const auto& [role, side] :
       {std::pair("reference", &report.reference), std::pair("candidate", &report.candidate)}) {
    properties.emplace_back(std::string(role) + ".file", side->file);
    for (const auto& [key, value] : side->provenance.facts())
      properties.emplace_back(fmt::format("{}.{}", role, key), value);
  }
  return properties;
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, xml(value));
}

std::string counts(std::size_t tests, std::size_t failures, std::size_t errors) {
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
}

std::string time_attribute(double seconds) { return fmt::format(" time=\"{:.3f}\"", seconds); }

void add_properties(std::string& out, const Properties& properties) {
  out += "    <properties>\n";
  for (const auto& [name, value] : properties) {
    if (value.empty()) continue;
    out += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  }
  out += "    </properties>\n";
}

void add_test(std::string& out, const TestCase& test, const std::string& suite,
              const std::string& name) {
  out += "    <testcase" + attribute("name", name) + attribute("classname", suite);
  if (test.status == Status::passed && test.text.empty()) {
    out += "/>\n";
    return;
  }
  out += ">\n";
  if (test.status == Status::passed) {
    out += "      <system-out>" + xml_lines(test.message + "\n" + test.text) + "</system-out>\n";
  } else {
    const char* element = test.status == Status::error ? "error" : "failure";
    out += fmt::format("      <{}{}{}>{}</{}>\n", element, attribute("type", test.type),
                       attribute("message", test.message), xml_lines(test.text), element);
  }
  out += "    </testcase>\n";
}

void add_suite(std::string& out, const Suite& suite, const Properties& properties,
               const std::string& time) {
  out += "  <testsuite" + attribute("name", suite.name) +
         counts(suite.tests.size(), suite.count(Status::failure), suite.count(Status::error)) +
         " skipped=\"0\"" + time + ">\n";
  add_properties(out, properties);
  UniqueNames names;
  for (const TestCase& test : suite.tests) add_test(out, test, suite.name, names.of(test.name));
  if (!suite.notes.empty()) {
    std::string text;
    for (const std::string& note : suite.notes) text += xml("note: " + note) + "\n";
    out += "    <system-out>" + text + "</system-out>\n";
  }
  out += "  </testsuite>\n";
}

}  // namespace

std::string to_junit(const Report& report) {
  const std::vector<Suite> suites = suites_of(report);
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  for (const Suite& suite : suites) {
    tests += suite.tests.size();
    failures += suite.count(Status::failure);
    errors += suite.count(Status::error);
  }
  const std::string time = time_attribute(report.timing.total_s);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"parity\"" +
                    counts(tests, failures, errors) + time + ">\n";
  const Properties properties = properties_of(report);
  for (const Suite& suite : suites)
    add_suite(out, suite, properties, suites.size() == 1 ? time : "");
  return out + "</testsuites>\n";
}

}  // namespace parity::report
