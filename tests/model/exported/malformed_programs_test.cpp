// Programs that no export writes: each refused in one sentence before it runs, and none that runs
// gives other values without a word.
#include <algorithm>
#include <functional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/inputs.h"
#include "model/model.h"
#include "model/weights/file_writers.h"
#include "model/weights/zip_archive.h"

namespace parity::model {
namespace {

using nlohmann::json;
using Change = std::function<void(json&)>;

const std::filesystem::path kTokens =
    std::filesystem::path(PARITY_EXPORTED_FIXTURES) / "tokens.pt2";

/// tokens.pt2 with another program.
class Tokens {
 public:
  Tokens() {
    const ZipArchive zip(map_file(kTokens), "tokens.pt2");
    for (const ZipArchive::Entry& entry : zip.entries()) {
      records_.emplace_back(entry.name, std::string(as_text(zip.read(entry.name)->bytes)));
      if (entry.name.find("models/model.json") != std::string::npos)
        program_at_ = records_.size() - 1;
    }
  }

  [[nodiscard]] json program() const { return json::parse(records_.at(program_at_).second); }

  /// Bytes of every tap and output; throws what the reader or the run throws.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> results(
      const json& program) const {
    testing::Records records = records_;
    records.at(program_at_).second = program.dump();
    Source source;
    source.model = folder_.write("tokens.pt2", testing::zip_of(records));
    run::Settings settings;
    settings.device = "cpu";
    const auto model = open_model(source, settings);
    CollectingSink sink;
    model->run(sample_inputs(kTokens), Instrumentation::taps, sink);
    std::vector<std::pair<std::string, std::string>> values;
    for (const std::string& name : sink.names)
      values.emplace_back(name, std::string(as_text(sink.tensors.at(name).bytes())));
    return values;
  }

  /// The sentence that refuses the changed program; "" when it runs.
  [[nodiscard]] std::string refusal(const Change& change) const {
    json changed = program();
    change(changed);
    try {
      (void)results(changed);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  testing::TemporaryFolder folder_;
  testing::Records records_;
  std::size_t program_at_ = 0;
};

json& nodes(json& program) { return program["graph_module"]["graph"]["nodes"]; }

json& node(json& program, const std::string& target) {
  for (json& each : nodes(program)) {
    if (each["target"].get<std::string>().find(target) != std::string::npos) return each;
  }
  throw std::logic_error("the fixture has no " + target);
}

json& argument(json& program, const std::string& target, const std::string& name) {
  for (json& each : node(program, target)["inputs"]) {
    if (each["name"] == name) return each;
  }
  throw std::logic_error(target + " has no " + name);
}

struct Row {
  const char* words;
  Change change;
};

TEST(MalformedPrograms, RefusesCallsThatDoNotFitTheirOperators) {
  const Row rows[] = {
      {"aten.layer_norm of layer block.norm has no argument `epsilon`",
       [](json& program) { argument(program, "layer_norm", "eps")["name"] = "epsilon"; }},
      {"aten.embedding of layer embed needs an argument `weight`",
       [](json& program) { node(program, "embedding")["inputs"].erase(0); }},
      {"takes a int as `steps`, and the program gives it a float",
       [](json& program) {
         argument(program, "linspace", "steps")["arg"] = {{"as_float", 8.0}};
       }},
      {"as `pin_memory`, and the program gives it a text",
       [](json& program) {
         argument(program, "linspace", "pin_memory")["arg"] = {{"as_string", "no"}};
       }},
      {"as `device`, and the program gives it an int",
       [](json& program) {
         argument(program, "linspace", "device")["arg"] = {{"as_int", 0}};
       }},
      {"as `steps`, and the program gives it None",
       [](json& program) {
         argument(program, "linspace", "steps")["arg"] = {{"as_none", true}};
       }},
      {"as `eps`, and the program gives it as_something",
       [](json& program) {
         argument(program, "layer_norm", "eps")["arg"] = {{"as_something", 1}};
       }},
      {"gives 1 result, and the program takes 2",
       [](json& program) {
         node(program, "linspace")["outputs"].push_back({{"as_tensor", {{"name", "more"}}}});
       }},
      {"torch.ops.aten.linspace.default is given `steps` twice",
       [](json& program) {
         node(program, "linspace")["inputs"].push_back(argument(program, "linspace", "steps"));
       }},
      {"two calls of its graph give `linspace`",
       [](json& program) { nodes(program).push_back(node(program, "linspace")); }},
      {"aten.from_file of layer block reads a file that the program names",
       [](json& program) {
         node(program, "linspace") = {
             {"target", "torch.ops.aten.from_file.default"},
             {"inputs", json::array({{{"name", "filename"}, {"arg", {{"as_string", "x"}}}}})},
             {"outputs", json::array({{{"as_tensor", {{"name", "linspace"}}}}})},
             {"metadata", {{"nn_module_stack", "L__self__,,m.Net;b,block,m.B"}}}};
       }},
  };
  const Tokens tokens;
  ASSERT_EQ(tokens.refusal([](json& /*program*/) {}), "");
  for (const Row& row : rows) {
    const std::string message = tokens.refusal(row.change);
    EXPECT_NE(message.find(row.words), std::string::npos) << row.words << "\n" << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(MalformedPrograms, RefusesJsonThatReadersForgive) {
  const Row rows[] = {
      {"schema version 1e+30.14",
       [](json& program) {
         program["schema_version"] = json::parse(R"({"major": 1e30, "minor": 14})");
       }},
      {"`nodes` is no list", [](json& program) { nodes(program) = nullptr; }},
      {"`inputs` is no list", [](json& program) { nodes(program)[0]["inputs"] = nullptr; }},
      {"`range_constraints` is no object",
       [](json& program) { program["range_constraints"] = nullptr; }},
      {"8.5 stands where a whole number should",
       [](json& program) {
         argument(program, "linspace", "steps")["arg"] = {{"as_int", 8.5}};
       }},
      {"stands where a number should",
       [](json& program) {
         argument(program, "layer_norm", "eps")["arg"] = {{"as_float", "x"}};
       }},
      {"states size 0 of argument 'tokens' as `1/0`, which is no size",
       [](json& program) {
         program["graph_module"]["graph"]["tensor_values"]["tokens"]["sizes"][0] = {
             {"as_expr", {{"expr_str", "1/0"}}}};
       }},
      {"and has no range for s999",
       [](json& program) {
         program["graph_module"]["graph"]["tensor_values"]["tokens"]["sizes"][0] = {
             {"as_expr", {{"expr_str", "Mul(Integer(2), Symbol('s999'))"}}}};
       }},
      {"has no answer for them, `L['tokens'].size()[0] % (L['tokens'].size()[1] -",
       [](json& program) {
         program["guards_code"] = {"L['tokens'].size()[0] % (L['tokens'].size()[1] - 6) == 7"};
       }},
      {"...`",
       [](json& program) {
         std::string guard = "L['tokens'].size()[0] == 1000";
         for (int i = 0; i < 1000; ++i) guard += " and L['tokens'].size()[0] == 1000";
         program["guards_code"] = {guard};
       }},
  };
  const Tokens tokens;
  for (const Row& row : rows) {
    const std::string message = tokens.refusal(row.change);
    EXPECT_NE(message.find(row.words), std::string::npos) << row.words << "\n" << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 600U) << message;
  }
}

/// Every place of the document, containers included.
void each_place(const json& value, const json::json_pointer& place,
                const std::function<void(const json::json_pointer&)>& visit) {
  if (!place.empty()) visit(place);
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) each_place(child, place / key, visit);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) each_place(value[i], place / i, visit);
  }
}

void erase_at(json& document, const json::json_pointer& place) {
  json& parent = document.at(place.parent_pointer());
  if (parent.is_object()) {
    parent.erase(place.back());
  } else {
    parent.erase(std::stoul(place.back()));
  }
}

using Results = std::vector<std::pair<std::string, std::string>>;

Results outputs_of(const Results& results) {
  Results outputs;
  for (const auto& result : results) {
    if (result.first.rfind("<output>", 0) == 0) outputs.push_back(result);
  }
  return outputs;
}

/// Which module a call came from decides what is a layer's output, and nothing else.
bool names_modules(const json::json_pointer& place) {
  return place.to_string().find("/nn_module_stack") != std::string::npos;
}

/// An argument that the operator has a default for, left out as a whole, is another program, as
/// another number is.
bool is_whole_argument(const json::json_pointer& place) {
  static const std::regex kArgument("/graph_module/graph/nodes/\\d+/inputs/\\d+");
  return std::regex_match(place.to_string(), kArgument);
}

TEST(MalformedPrograms, NoSpoiltPlaceKillsTheReaderOrChangesValuesSilently) {
  const Tokens tokens;
  const json whole = tokens.program();
  const auto expected = tokens.results(whole);
  const std::pair<const char*, std::function<void(json&, const json::json_pointer&)>> ways[] = {
      {"gone", erase_at},
      {"null", [](json& document, const auto& place) { document[place] = nullptr; }},
      {"a text", [](json& document, const auto& place) { document[place] = ""; }},
      {"a list", [](json& document, const auto& place) { document[place] = json::array(); }},
      {"huge", [](json& document, const auto& place) { document[place] = 1e300; }}};
  std::size_t refused = 0;
  std::size_t same = 0;
  std::size_t number = 0;
  each_place(whole, json::json_pointer(), [&](const json::json_pointer& place) {
    const auto& [name, spoil] = ways[++number % std::size(ways)];
    if (number % 2 == 0) return;  // in turn, since 2 does not divide the number of ways
    json spoilt = whole;
    spoil(spoilt, place);
    SCOPED_TRACE(place.to_string() + " is " + name);
    try {
      const auto found = tokens.results(spoilt);
      ++same;
      if (is_whole_argument(place) || place.back() == "as_float") return;
      EXPECT_TRUE(outputs_of(found) == outputs_of(expected));
      EXPECT_TRUE(found == expected || names_modules(place));
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  });
  EXPECT_GT(refused, 150U);
  RecordProperty("refused", static_cast<int>(refused));
  RecordProperty("same", static_cast<int>(same));
}

}  // namespace
}  // namespace parity::model
