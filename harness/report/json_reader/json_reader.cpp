#include "report/json_reader/json_reader.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>

#include "error/error.h"
#include "report/json_reader/json_node.h"
#include "report/json_reader/json_read_case.h"
#include "report/json_reader/json_read_findings.h"

namespace parity::report {
namespace {

constexpr std::string_view kSchema = "parity-report/1";
constexpr const char* kName = "; name a report that --json wrote";

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(ErrorKind::usage, file + " " + problem);
}

/// Lists in lists, so deep that no report has them and a reader of less care runs out of stack.
bool is_too_deep(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Json parsed(std::string_view text, const std::string& file) {
  if (text.empty()) refuse(file, std::string("is empty") + kName);
  if (is_too_deep(text)) refuse(file, std::string("is nested deeper than any report") + kName);
  try {
    return Json::parse(text);
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
  if (schema.text() == kSchema) return;
  schema.refuse("is not " + std::string(kSchema) + kName);
}

Side read_side(const JsonNode& node) {
  Side side;
  side.file = node.at("file").text_or_null();
  for (const auto& [key, value] : node.at("provenance").entries())
    side.provenance.set(key, value.text());
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

Report read_document(const JsonNode& root) {
  Report report;
  read_verdict(root, report);
  report.model_file = root.at("model").at("file").text();
  report.model_kind = root.at("model").at("kind").text();
  report.reference = read_side(root.at("reference"));
  report.candidate = read_side(root.at("candidate"));
  report.environment_diff = read_differences(root.at("environment_diff"));
  report.policy_name = root.at("policy").at("name").text();
  report.policy_bounds = read_bounds(root.at("policy").at("bounds"));
  report.first_divergence = read_place(root.at("first_divergence"));
  report.attribution = read_attribution(root);
  report.truth = read_truth_summary(root);
  report.noise = read_noise_summary(root);
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

std::string text_of(const std::filesystem::path& file) {
  constexpr std::uintmax_t kLargest = std::uintmax_t{2} << 30U;
  std::error_code failure;
  const bool regular = std::filesystem::is_regular_file(file, failure);
  const std::uintmax_t size_bytes = regular ? std::filesystem::file_size(file, failure) : 0;
  if (size_bytes > kLargest)
    refuse(file.string(), std::string("is larger than 2 GiB, as no report is") + kName);
  std::ifstream stream(file, std::ios::binary);
  const bool is_folder = std::filesystem::is_directory(file, failure);
  std::string text;
  if (stream && !is_folder) text.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream || is_folder) refuse(file.string(), std::string("cannot be read") + kName);
  return text;
}

}  // namespace

Report read_json(std::string_view text, const std::string& file) {
  const Json document = parsed(text, file);
  const JsonNode root(document, file);
  check_schema(root, file);
  return read_document(root);
}

Report read_json_file(const std::filesystem::path& file) {
  return read_json(text_of(file), file.string());
}

}  // namespace parity::report
