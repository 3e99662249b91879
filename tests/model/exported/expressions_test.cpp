#include <map>

#include <gtest/gtest.h>

#include "model/exported/number_functions.h"
#include "model/exported/symbolic_expression.h"

namespace parity::model {
namespace {

ExpressionNames names() {
  ExpressionNames names;
  names.symbol = [](const std::string& symbol) -> std::optional<Number> {
    const std::map<std::string, std::int64_t> known = {{"s0", 7}, {"s1", 4}};
    const auto found = known.find(symbol);
    return found == known.end() ? std::nullopt : std::optional<Number>(found->second);
  };
  names.number = [](const std::string& path) -> std::optional<Number> {
    return path == "['k']" ? std::optional<Number>(std::int64_t{3}) : std::nullopt;
  };
  names.size = [](const std::string& path, std::int64_t dimension) -> std::optional<std::int64_t> {
    if (path == "['x']" && dimension < 2) return dimension == 0 ? 6 : 4;
    if (path == "['pairs'][0]['v']" && dimension == 1) return 9;
    return std::nullopt;
  };
  return names;
}

std::string text_of(const std::optional<Number>& number) {
  if (!number) return "unknown";
  if (const auto* flag = std::get_if<bool>(&*number)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&*number)) return std::to_string(*integer);
  return std::to_string(as_double(*number));
}

TEST(SymbolicExpression, EvaluatesSympysTextAndPythonsGuards) {
  const std::pair<const char*, const char*> rows[] = {
      {"Integer(5)", "5"},
      {"Symbol('s0', positive=True, integer=True)", "7"},
      {"Mul(Integer(8), Symbol('s0', positive=True, integer=True))", "56"},
      {"Add(Symbol('s0'), Mul(Integer(-1), Symbol('s1')), Integer(2))", "5"},
      {"FloorDiv(Symbol('s0'), Integer(2))", "3"},
      {"Max(Symbol('s0'), Symbol('s1'))", "7"},
      {"Pow(Symbol('s1'), Integer(2))", "16"},
      {"PythonMod(Symbol('s0'), Integer(4))", "3"},
      {"L['x'].size()[0] == 6", "true"},
      {"L['x'].size()[1]*L['x'].size()[0] >= 25", "false"},
      {"L['k'] + (L['x'].size()[0] // 2) != 1 and not L['k'] > 3", "true"},
      {"1 < L['k'] < 3 or False", "false"},
      {"L['pairs'][0]['v'].size()[1] % 2 == 1", "true"},
      {"-L['k'] // 2", "-2"},
      {"2 ** -1", "0.500000"},
      {"-2 ** 2", "-4"},
      {"min(8*L['k'], 16*L['k']) == (8*L['k'])", "true"},
      {"math.floor(7 / 2)", "3"},
  };
  for (const auto& [text, wanted] : rows)
    EXPECT_EQ(text_of(evaluate_expression(text, names())), wanted) << text;
}

TEST(SymbolicExpression, SaysNothingOfWhatItDoesNotKnow) {
  const char* const rows[] = {"",
                              "Symbol('s9')",
                              "s0 +",
                              "L['y'].size()[0] == 1",
                              "L['x'].stride()[0] == 1",
                              "L['x'].size()[7]",
                              "__import__('os')",
                              "1 // 0",
                              "9223372036854775807 + 1",
                              "99999999999999999999",
                              "f(1, 2",
                              "L['x",
                              "1 if s0 else 2"};
  for (const char* const text : rows)
    EXPECT_EQ(text_of(evaluate_expression(text, names())), "unknown") << text;
  EXPECT_EQ(text_of(evaluate_expression(std::string(100'000, '-') + "1", names())), "unknown");
  EXPECT_EQ(text_of(evaluate_expression(std::string(100'000, '('), names())), "unknown");
}

TEST(SymbolicExpression, KnowsALoneSymbol) {
  EXPECT_EQ(lone_symbol("Symbol('s0', positive=True, integer=True)"), "s0");
  EXPECT_EQ(lone_symbol("Mul(Integer(2), Symbol('s0'))"), std::nullopt);
  EXPECT_EQ(lone_symbol("Symbol('s0'"), std::nullopt);
}

TEST(NumberFunctions, RoundAsPythonDoes) {
  using Arguments = std::vector<Number>;
  const std::int64_t seven = 7;
  const std::int64_t two = 2;
  const std::int64_t minus_seven = -7;
  const std::int64_t minus_two = -2;
  const std::tuple<const char*, Arguments, const char*> rows[] = {
      {"floordiv", {seven, two}, "3"},
      {"floordiv", {minus_seven, two}, "-4"},
      {"floordiv", {seven, minus_two}, "-4"},
      {"mod", {minus_seven, two}, "1"},
      {"mod", {seven, minus_two}, "-1"},
      {"truediv", {seven, two}, "3.500000"},
      {"CeilDiv", {seven, two}, "4"},
      {"neg", {seven}, "-7"},
      {"sym_max", {two, seven}, "7"},
      {"sym_not", {true}, "false"},
      {"_sym_sqrt", {4.0}, "2.000000"},
      {"sym_ite", {false, seven, two}, "2"},
      {"trunc", {-1.5}, "-1"},
      {"and_", {true, false}, "false"},
      {"lshift", {two, two}, "8"},
      {"eq", {seven, 7.0}, "true"},
      {"pow", {minus_two, std::int64_t{63}}, "-9223372036854775808"},
      {"pow", {two, std::int64_t{63}}, "unknown"},
      {"floordiv", {seven, std::int64_t{0}}, "unknown"},
      {"trunc", {1e300}, "unknown"},
      {"nothing", {seven}, "unknown"},
      {"sub", {seven}, "unknown"},
  };
  for (const auto& [name, arguments, wanted] : rows)
    EXPECT_EQ(text_of(apply_function(name, arguments)), wanted) << name;
}

}  // namespace
}  // namespace parity::model
