// What to_json() writes is read back whole, and what it could not have written is refused by name.
#include "report/json_reader/json_reader.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "error/error.h"
#include "report/ci/markdown.h"
#include "report/json/json.h"
#include "report/made_report.h"
#include "report/terminal/table.h"

namespace parity::report {
namespace {

using Json = nlohmann::ordered_json;

struct Made {
  const char* name;
  Report report;
};

std::vector<Made> made_reports() {
  return {{"identical", report_test::identical_report()},
          {"complex", report_test::complex_report()},
          {"failing", report_test::failing_report()},
          {"attributed", report_test::attributed_report()},
          {"judged", report_test::judged_report()},
          {"noisy", report_test::noisy_report()},
          {"decoded", report_test::decoded_report()},
          {"stored", report_test::stored_report()},
          {"hostile", report_test::hostile_report()},
          {"empty", {}}};
}

/// The message of the refusal; "" where there is none.
std::string refusal(const std::string& text) {
  try {
    (void)read_json(text, "r.json");
  } catch (const Error& error) {
    EXPECT_EQ(exit_code(error.kind()), 2);
    return error.what();
  }
  return {};
}

std::string refusal(const Json& document) { return refusal(document.dump()); }

TEST(JsonReader, ReadsWhatWasWrittenByteForByte) {
  for (const Made& made : made_reports()) {
    const std::string text = to_json(made.report);
    EXPECT_EQ(to_json(read_json(text, "r.json")), text) << made.name;
  }
}

TEST(JsonReader, ReadsAllThatAnyOtherFormatShows) {
  for (const Made& made : made_reports()) {
    if (std::string(made.name) == "hostile") continue;  // its bytes that are no UTF-8 are gone
    const Report again = read_json(to_json(made.report), "r.json");
    EXPECT_EQ(to_table(again, {}), to_table(made.report, {})) << made.name;
    EXPECT_EQ(to_markdown(again), to_markdown(made.report)) << made.name;
  }
}

TEST(JsonReader, PassesOverKeysThatItDoesNotKnow) {
  Json document = Json::parse(to_json(report_test::failing_report()));
  document["later"] = {{"x", 1}};
  document["cases"][0]["taps"][0]["later"] = {1, 2};
  EXPECT_EQ(refusal(document), "");
}

/// Calls `visit` with every value of the document and its path.
void walk(Json& value, const std::string& path,
          const std::function<void(Json&, const std::string&)>& visit) {
  if (value.is_object()) {
    for (auto& item : value.items())
      walk(item.value(), path.empty() ? item.key() : path + "." + item.key(), visit);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      walk(value[i], path + "[" + std::to_string(i) + "]", visit);
  }
  visit(value, path);
}

/// Documents that have every object of the schema between them, cut down to a few taps.
std::vector<Json> small_documents() {
  std::vector<Json> documents;
  for (Report report :
       {report_test::attributed_report(), report_test::noisy_report(), report_test::judged_report(),
        report_test::decoded_report(), report_test::stored_report()}) {
    report.cases.resize(1);
    std::vector<Tap>& taps = report.cases[0].taps;
    taps.resize(std::min<std::size_t>(taps.size(), 3));
    report.totals.taps = report.totals.passed = taps.size();
    report.totals.warned = report.totals.failed = 0;
    documents.push_back(Json::parse(to_json(report)));
  }
  return documents;
}

TEST(JsonReader, TakesDigestsAndReportsOfBeforeThereWereAny) {
  const Report report = report_test::attributed_report();
  Json document = Json::parse(to_json(report));
  const Report again = read_json(document.dump(), "r.json");
  EXPECT_EQ(again.reference.digests.recording, report.reference.digests.recording);
  EXPECT_EQ(again.reference.digests.inputs, report.reference.digests.inputs);
  EXPECT_EQ(again.candidate.digests.weights, report.candidate.digests.weights);
  EXPECT_EQ(again.policy_digest, report.policy_digest);
  EXPECT_NE(again.policy_digest, "");
  document["policy"]["digest"] = "0123";
  EXPECT_NE(refusal(document).find("policy.digest is no digest of 32 hex digits"),
            std::string::npos);
  document["policy"].erase("digest");
  for (const char* key : {"recording", "inputs", "weights"}) document["reference"].erase(key);
  const Report older = read_json(document.dump(), "r.json");
  EXPECT_EQ(older.policy_digest, "");
  EXPECT_EQ(older.reference.digests.recording, "");
}

TEST(JsonReader, TakesNameMapsAndReportsOfBeforeThereWereAny) {
  Json document = Json::parse(to_json(report_test::noisy_report()));
  ASSERT_FALSE(document.at("name_map").is_null());
  const Report report = read_json(document.dump(), "r.json");
  EXPECT_EQ(report.name_map->rules.at(0).names, (std::vector<std::string>{"$1.q", "$1.k"}));
  EXPECT_EQ(report.name_map->unmatched.at(1).golden, "");
  EXPECT_EQ(report.cases.at(0).taps.at(1).candidate_taps,
            (std::vector<std::string>{"h.0.attn.q", "h.0.attn.k"}));
  document["name_map"]["rules"][0]["line"] = 0;
  EXPECT_NE(refusal(document).find("name_map.rules[0].line"), std::string::npos);
  document.erase("name_map");
  for (Json& tap : document["cases"][0]["taps"]) tap.erase("candidate_taps");
  EXPECT_FALSE(read_json(document.dump(), "r.json").name_map.has_value());
}

TEST(JsonReader, TakesASelfComparisonThatFollowsFromBothSidesAndReportsOfBeforeThereWasAny) {
  Json document = Json::parse(to_json(report_test::attributed_report()));
  ASSERT_TRUE(document.at("self_comparison").is_null());
  document["self_comparison"] = "same device on both sides";
  EXPECT_NE(refusal(document).find("self_comparison does not go with the devices and hosts"),
            std::string::npos);
  document.erase("self_comparison");
  EXPECT_EQ(refusal(document), "");
  Report same = report_test::attributed_report();
  same.devices = Devices::same;
  document = Json::parse(to_json(same));
  EXPECT_EQ(refusal(document), "");
  document["self_comparison"] = nullptr;
  EXPECT_NE(refusal(document), "");
}

TEST(JsonReader, NamesEveryKeyThatIsMissing) {
  for (Json document : small_documents()) {
    std::size_t removed = 0;
    walk(document, "", [&](Json& value, const std::string& path) {
      if (!value.is_object()) return;
      const bool by_name = path.find("provenance") != std::string::npos ||
                           path.find("verdicts") != std::string::npos ||
                           path.find("figures") != std::string::npos ||
                           path.find("topk_overlap") != std::string::npos;
      if (by_name) return;
      const Json whole = value;
      for (const auto& item : whole.items()) {
        const std::string key = item.key();
        value.erase(key);
        const std::string said = refusal(document);
        value = whole;
        ++removed;
        const std::string full = path.empty() ? key : path + "." + key;
        // Some are only needed where something else is there: then no reader misses them.
        // Digests of files are not in the reports of earlier versions.
        const bool digest =
            item.value().is_string() && item.value().get<std::string>().size() == 32;
        const bool later = key == "optional" || key == "not_measured" || key == "self_comparison" ||
                           key == "name_map" || key == "candidate_taps" ||
                           full.find("left_out") != std::string::npos;
        const bool not_measured =
            item.value().is_null() || key == "nrmse" || key == "explained" || digest || later;
        if (said.empty() && not_measured) continue;
        ASSERT_NE(said, "") << full;
        EXPECT_NE(said.find(path == "" && key == "schema" ? "r.json is no report" : full),
                  std::string::npos)
            << full << ": " << said;
      }
    });
    EXPECT_GT(removed, 50U);
  }
}

TEST(JsonReader, RefusesEveryValueOfAnotherType) {
  for (Json document : small_documents()) {
    std::size_t changed = 0;
    walk(document, "", [&](Json& value, const std::string& path) {
      // Of a list of numbers, some stand for all.
      if (path.empty() ||
          (path.back() == ']' && value.is_number() && path.find("[3]") == path.npos))
        return;
      ++changed;
      const Json kept = value;
      for (const Json& other : {Json("x y"), Json(-1.5), Json(Json::object()), Json(nullptr)}) {
        const bool not_finite = kept == "nan" || kept == "inf" || kept == "-inf";
        const bool same_type = (other.is_string() && kept.is_string()) ||
                               (other.is_number() && (kept.is_number_float() || not_finite)) ||
                               (other.is_object() && kept.is_object()) ||
                               (other.is_null() && kept.is_null());
        // null stands for what was not measured, and a text for no rule, wherever that may be.
        if (same_type || other.is_null() || kept.is_null()) continue;
        value = other;
        const std::string said = refusal(document);
        EXPECT_EQ(said.rfind("r.json: ", 0), 0U) << path << " = " << other << ": " << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
        value = kept;
      }
    });
    EXPECT_GT(changed, 50U);
  }
}

TEST(JsonReader, RefusesTextThatIsNoReport) {
  const std::string text = to_json(report_test::identical_report());
  struct Row {
    std::string text;
    const char* said;
  };
  const std::vector<Row> rows = {
      {"", "r.json is empty"},
      {text.substr(0, text.size() / 2), "ends in the middle of its JSON"},
      {text.substr(0, text.size() - 3), "ends in the middle of its JSON"},
      {text + "{}", "is no JSON from byte"},
      {"<?xml version=\"1.0\"?>", "is no JSON from byte 1 on"},
      {std::string(1, '\0'), "is no JSON from byte 1 on"},
      {"{\"schema\": \"\xff\"}", "is no JSON from byte"},
      {std::string(100000, '['), "is nested deeper than any report"},
      {"\xef\xbb\xbf" + std::string(100000, '['), "is nested deeper than any report"},
      {std::string(100, '{') + "}", "is no JSON from byte 2 on"},
      {R"({"schema": "parity-report/1", "verdict": {"a": 1, "b": 2, "a": 3}})",
       "r.json has the key 'a' twice in one object"},
      {"{\"schema\": 1e999}", "has a number that is larger than any"},
      {"[]", "r.json is no report of parity"},
      {"17", "r.json is no report of parity"},
      {"{\"results\": []}", "r.json is no report of parity"},
      {"{\"schema\": 1}", "r.json: schema is no text"},
      {"{\"schema\": \"parity-inspection/1\"}", "r.json: schema is not parity-report/1"},
      {"{\"schema\": \"parity-report/2\"}", "r.json: schema is not parity-report/1"},
      {"{\"schema\": \"parity-report/1\"}", "r.json: verdict is missing"},
  };
  for (const Row& row : rows)
    EXPECT_NE(refusal(row.text).find(row.said), std::string::npos) << refusal(row.text);
}

TEST(JsonReader, RefusesCountsThatDoNotAddUp) {
  const Json good = Json::parse(to_json(report_test::attributed_report()));
  const Json decoded = Json::parse(to_json(report_test::decoded_report()));
  struct Row {
    const Json& document;
    const char* pointer;
    Json value;
    const char* said;
  };
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const std::vector<Row> rows = {
      {good, "/totals/taps", 13, "totals do not add up"},
      {good, "/totals/passed", 6, "totals do not add up"},
      {good, "/totals/passed", kMost, "totals do not add up"},
      {good, "/totals/verdicts/within", 9, "totals.verdicts are not those of the taps"},
      {good, "/cases/0/taps/0/verdict", "within", "totals.verdicts are not those of the taps"},
      {good, "/exit_code", 0, "exit_code does not go with the verdict"},
      {good, "/cases/0/taps/0/elements", 131071, "cases[0].taps[0] has not as many elements"},
      {good, "/cases/0/taps/0/shape/0", 5, "cases[0].taps[0] has not as many elements"},
      {good, "/cases/0/taps/0/shape/0", std::int64_t{1} << 62, "more than 2^62 elements"},
      {good, "/cases/0/taps/0/compared", 131073, "taps[0].classes add up to fewer"},
      {good, "/cases/0/taps/0/classes/finite", 131073, "taps[0].classes add up to more"},
      {good, "/cases/0/taps/0/classes/both_nan", kMost, "taps[0].classes add up to more"},
      {good, "/cases/0/taps/0/classes/equal_bits", 131073, "taps[0].classes count more"},
      {good, "/cases/0/taps/0/where/outside", 131073, "taps[0].where has more elements outside"},
      {good, "/cases/0/taps/0/ulp/histogram/counts", {1}, "has not as many counts as edges"},
      {good, "/cases/0/taps/0/outcome", "missing", "taps[0] has an outcome that does not go with"},
      {good, "/cases/0/taps/0/path", "else", "taps[0] has a name that is not made of its parts"},
      {good, "/cases/0/taps/0/call", -1, "taps[0].call is no whole number from 0 on"},
      {good, "/cases/0/taps/0/kind", "layer", "taps[0].kind is no kind of tap"},
      {good, "/cases/0/taps/0/dtype", "half", "taps[0].dtype is no dtype"},
      {good, "/cases/0/taps/2/worst/0/reference_bits", "3f84", "is no bit pattern"},
      {good, "/cases/0/logits/flips", 513, "logits counts more positions than there are"},
      {good, "/blame/0/culprit/index", 3, "blame[0].culprit is none of the operators"},
      {good, "/blame/0/culprit/op", "aten.mul", "blame[0].culprit is none of the operators"},
      {decoded, "/cases/0/decode/agree", 33, "decode has more tokens that agree"},
      {decoded, "/cases/0/decode/compared", 35, "decode has more tokens that agree"},
  };
  for (const Row& row : rows) {
    Json document = row.document;
    document[Json::json_pointer(row.pointer)] = row.value;
    EXPECT_NE(refusal(document).find(row.said), std::string::npos)
        << row.pointer << ": " << refusal(document);
  }
}

}  // namespace
}  // namespace parity::report
