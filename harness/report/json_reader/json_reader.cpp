#include "report/json_reader/json_reader.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "error/error.h"
#include "report/json/schemas.h"
#include "report/json_reader/json_node.h"
#include "report/json_reader/json_read_case.h"
#include "report/json_reader/json_read_findings.h"
#include "report/words/environment.h"
#include "tensor/digest.h"

namespace parity::report {
namespace {

constexpr const char* kName = "; name a report that --json wrote";

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(ErrorKind::usage, file + " " + problem);
}

/// Looks on while the document is parsed. Of two equal keys the last alone would be left: what a
/// person reads first is not what would be judged. And no report has lists in lists so deep that a
/// reader of less care runs out of stack.
class ParseWatch {
 public:
  explicit ParseWatch(const std::string& file) : file_(file) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) refuse(file_, std::string("is nested deeper than any report") + kName);
    if (event == Json::parse_event_t::object_start) {
      keys_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second)
        refuse(file_, "has the key '" + key + "' twice in one object" + kName);
    }
    return true;
  }

 private:
  const std::string& file_;
  std::vector<std::set<std::string>> keys_;  ///< of the objects that are open
};

Json parsed(std::string_view text, const std::string& file) {
  if (text.empty()) refuse(file, std::string("is empty") + kName);
  try {
    ParseWatch watch(file);
    return Json::parse(text, std::ref(watch));
  } catch (const Json::parse_error& error) {
    const bool at_end = error.byte > text.size();
    refuse(file, at_end ? "ends in the middle of its JSON: it was cut off, or is another file"
                        : "is no JSON from byte " + std::to_string(error.byte) + " on" + kName);
  } catch (const Json::exception&) {
    refuse(file, std::string("has a number that is larger than any in a report") + kName);
  }
}

void check_schema(const JsonNode& root, const std::string& file) {
  if (!root.has("schema")) refuse(file, std::string("is no report of parity") + kName);
  const JsonNode schema = root.at("schema");
  if (schema.text() == kReportSchema) return;
  schema.refuse("is not " + std::string(kReportSchema) + kName);
}

/// Absent from reports of earlier versions.
std::string digest_or_empty(const JsonNode& node, const char* key) {
  if (!node.has(key) || node.at(key).is_null()) return "";
  const std::string digest = node.at(key).text();
  node.at(key).require(tensor::digest_from_hex(digest).has_value(),
                       "is no digest of 32 hex digits");
  return digest;
}

Side read_side(const JsonNode& node) {
  Side side;
  side.file = node.at("file").text_or_null();
  for (const auto& [key, value] : node.at("provenance").entries())
    side.provenance.set(key, value.text());
  side.digests = {digest_or_empty(node, "recording"), digest_or_empty(node, "inputs"),
                  digest_or_empty(node, "weights")};
  return side;
}

std::vector<run::Difference> read_differences(const JsonNode& node) {
  std::vector<run::Difference> differences;
  for (const JsonNode& item : node.items()) {
    differences.push_back(
        {item.at("key").text(), item.at("reference").text(), item.at("candidate").text()});
  }
  return differences;
}

Totals read_totals(const JsonNode& node, const std::vector<Case>& cases) {
  const Totals totals{node.at("taps").count(),     node.at("passed").count(),
                      node.at("warned").count(),   node.at("failed").count(),
                      node.at("elements").count(), node.at("bytes").count()};
  std::map<std::string, std::uint64_t> verdicts;
  std::uint64_t taps = 0;
  for (const Case& item : cases) {
    taps += item.taps.size();
    for (const Tap& tap : item.taps) ++verdicts[std::string(run::name(tap.verdict))];
  }
  const bool adds_up = totals.taps == taps && totals.passed <= taps && totals.warned <= taps &&
                       totals.failed <= taps &&
                       totals.passed + totals.warned + totals.failed == taps;
  node.require(adds_up, "do not add up to the taps of the cases; the report was altered");
  std::map<std::string, std::uint64_t> stated;
  for (const auto& [verdict, count] : node.at("verdicts").entries())
    stated[verdict] = count.count();
  node.at("verdicts")
      .require(stated == verdicts, "are not those of the taps; the report was altered");
  return totals;
}

void read_verdict(const JsonNode& root, Report& report) {
  report.result = read_result(root.at("verdict"));
  report.exit_code = report.result == Result::pass ? 0 : 1;
  root.at("exit_code")
      .require(root.at("exit_code").count() == static_cast<std::uint64_t>(report.exit_code),
               "does not go with the verdict; the report was altered");
  report.reasons = root.at("reasons").texts();
  report.devices = root.at("same_device").flag() ? Devices::same : Devices::different;
}

/// It follows from the environments; reports of an older parity lack it.
void check_self_comparison(const JsonNode& root, const Report& report) {
  if (!root.has("self_comparison")) return;
  const JsonNode stated = root.at("self_comparison");
  stated.require(stated.text_or_null() == self_comparison_text(report),
                 "does not go with the devices and hosts of both sides; the report was altered");
}

Report read_document(const JsonNode& root) {
  Report report;
  read_verdict(root, report);
  report.model_file = root.at("model").at("file").text();
  report.model_kind = root.at("model").at("kind").text();
  report.reference = read_side(root.at("reference"));
  report.candidate = read_side(root.at("candidate"));
  report.environment_diff = read_differences(root.at("environment_diff"));
  check_self_comparison(root, report);
  report.policy_name = root.at("policy").at("name").text();
  report.policy_digest = digest_or_empty(root.at("policy"), "digest");
  report.policy_bounds = read_bounds(root.at("policy").at("bounds"));
  if (root.at("policy").has("not_measured"))
    report.unmeasured_metrics = root.at("policy").at("not_measured").texts();
  report.first_divergence = read_place(root.at("first_divergence"));
  report.attribution = read_attribution(root);
  report.truth = read_truth_summary(root);
  report.noise = read_noise_summary(root);
  report.name_map = read_name_mapping(root);
  for (const JsonNode& item : root.at("cases").items()) report.cases.push_back(read_case(item));
  report.notes = root.at("notes").texts();
  const bool all_pass = std::all_of(report.cases.begin(), report.cases.end(),
                                    [](const Case& item) { return item.result == Result::pass; });
  root.at("verdict").require(report.result == Result::fail || all_pass,
                             "is pass beside a case that fails; the report was altered");
  report.totals = read_totals(root.at("totals"), report.cases);
  const JsonNode timing = root.at("timing");
  report.timing = {timing.at("total_s").number(), timing.at("compare_s").number(),
                   timing.at("forced_s").number(), timing.at("forward_s").number()};
  report.repro = root.at("repro").text();
  report.asked_dtype = root.at("asked_dtype").dtype_name_or_null();
  report.truth_file = root.at("truth_file").text_or_null();
  return report;
}

}  // namespace

Report read_json(std::string_view text, const std::string& file) {
  const Json document = parsed(text, file);
  const JsonNode root(document, file);
  check_schema(root, file);
  return read_document(root);
}

}  // namespace parity::report
