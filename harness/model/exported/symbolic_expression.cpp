// Recursive descent over Python's grammar of expressions, evaluated on the way. What is unknown
// makes everything that depends on it unknown.
#include "model/exported/symbolic_expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

namespace parity::model {
namespace {

/// An input, or the sizes of one.
struct Path {
  std::string keys;
};
struct SizesOf {
  std::string keys;
};
/// A name or a dotted one: a function, or the root of the inputs.
struct Name {
  std::string name;
};
struct MethodOf {
  std::string keys;
  std::string method;
};
using Operand = std::variant<std::monostate, Number, std::string, Path, SizesOf, Name, MethodOf>;

class Parser {
 public:
  Parser(std::string_view text, const ExpressionNames& names) : rest_(text), names_(names) {}

  std::optional<Number> whole() {
    const Operand result = disjunction();
    skip_space();
    return rest_.empty() && !broken_ ? number_of(result) : std::nullopt;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }

  bool take(std::string_view token) {
    skip_space();
    if (rest_.substr(0, token.size()) != token) return false;
    const bool word = std::isalpha(static_cast<unsigned char>(token.front())) != 0;
    if (word && rest_.size() > token.size() && is_word(rest_[token.size()])) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  std::optional<Number> number_of(const Operand& operand) const {
    if (const auto* number = std::get_if<Number>(&operand)) return *number;
    if (const auto* path = std::get_if<Path>(&operand)) return names_.number(path->keys);
    if (const auto* name = std::get_if<Name>(&operand)) return names_.symbol(name->name);
    return std::nullopt;
  }

  /// `function` of the operands as numbers.
  Operand apply(const std::string& function, const std::vector<Operand>& operands) const {
    std::vector<Number> numbers;
    for (const Operand& operand : operands) {
      const std::optional<Number> number = number_of(operand);
      if (!number) return {};
      numbers.push_back(*number);
    }
    const std::optional<Number> result = apply_function(function, numbers);
    return result ? Operand(*result) : Operand();
  }

  Operand disjunction() {
    Operand left = conjunction();
    while (take("or")) left = apply("or", {left, conjunction()});
    return left;
  }

  Operand conjunction() {
    Operand left = negation();
    while (take("and")) left = apply("and", {left, negation()});
    return left;
  }

  Operand negation() {
    if (take("not")) return apply("not", {negation()});
    return comparison();
  }

  /// a < b < c holds where both comparisons do.
  Operand comparison() {
    static constexpr std::array<std::pair<std::string_view, const char*>, 6> kSigns = {
        {{"==", "eq"}, {"!=", "ne"}, {"<=", "le"}, {">=", "ge"}, {"<", "lt"}, {">", "gt"}}};
    Operand left = sum();
    std::optional<Operand> all;
    for (;;) {
      const auto sign = std::find_if(kSigns.begin(), kSigns.end(),
                                     [&](const auto& each) { return take(each.first); });
      if (sign == kSigns.end()) return all ? *all : left;
      Operand right = sum();
      Operand holds = apply(sign->second, {left, right});
      all = all ? apply("and", {*all, holds}) : holds;
      left = std::move(right);
    }
  }

  Operand sum() {
    Operand left = product();
    for (;;) {
      if (take("+")) {
        left = apply("add", {left, product()});
      } else if (take("-")) {
        left = apply("sub", {left, product()});
      } else {
        return left;
      }
    }
  }

  Operand product() {
    Operand left = sign();
    for (;;) {
      skip_space();
      if (rest_.substr(0, 2) == "**") return left;
      if (take("//")) {
        left = apply("floordiv", {left, sign()});
      } else if (take("*")) {
        left = apply("mul", {left, sign()});
      } else if (take("/")) {
        left = apply("truediv", {left, sign()});
      } else if (take("%")) {
        left = apply("mod", {left, sign()});
      } else {
        return left;
      }
    }
  }

  Operand sign() {
    // A file may nest without end.
    constexpr int kDeepest = 200;
    if (++depth_ > kDeepest) broken_ = true;
    Operand result;
    if (broken_) {
      result = {};
    } else if (take("-")) {
      result = apply("neg", {sign()});
    } else if (take("+")) {
      result = sign();
    } else {
      result = power();
    }
    --depth_;
    return result;
  }

  Operand power() {
    Operand base = postfix();
    return take("**") ? apply("pow", {base, sign()}) : base;
  }

  Operand postfix() {
    Operand value = atom();
    while (!broken_) {
      if (take("[")) {
        value = element(value, disjunction());
        expect("]");
      } else if (take(".")) {
        value = attribute(value, word());
      } else if (take("(")) {
        value = called(value);
      } else {
        return value;
      }
    }
    return {};
  }

  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
  Operand element(const Operand& value, const Operand& key) const {
    const auto* number = std::get_if<Number>(&key);
    const auto* index = number == nullptr ? nullptr : std::get_if<std::int64_t>(number);
    if (const auto* path = std::get_if<Path>(&value)) {
      if (const auto* text = std::get_if<std::string>(&key))
        return Path{path->keys + "['" + *text + "']"};
      if (index != nullptr) return Path{path->keys + "[" + std::to_string(*index) + "]"};
    }
    if (const auto* sizes = std::get_if<SizesOf>(&value); sizes != nullptr && index != nullptr) {
      if (const auto size = names_.size(sizes->keys, *index)) return Number(*size);
    }
    return {};
  }

  static Operand attribute(const Operand& value, const std::string& name) {
    if (const auto* path = std::get_if<Path>(&value)) return MethodOf{path->keys, name};
    if (std::holds_alternative<Name>(value)) return Name{name};  // of a module: math.floor
    return {};
  }

  Operand called(const Operand& callee) {
    std::vector<Operand> arguments;
    while (!broken_ && !take(")")) {
      Operand argument = disjunction();
      if (take("=")) {
        (void)disjunction();  // assumptions of a symbol
      } else {
        arguments.push_back(std::move(argument));
      }
      if (!take(",") && rest_.substr(0, 1) != ")") broken_ = true;
    }
    if (const auto* method = std::get_if<MethodOf>(&callee))
      return method->method == "size" && arguments.empty() ? Operand(SizesOf{method->keys})
                                                           : Operand();
    const auto* name = std::get_if<Name>(&callee);
    if (name == nullptr) return {};
    if (name->name == "Symbol" && arguments.size() == 1) {
      const auto* symbol = std::get_if<std::string>(&arguments[0]);
      return symbol == nullptr ? Operand() : Operand(Name{*symbol});
    }
    return apply(name->name, arguments);
  }

  void expect(std::string_view token) {
    if (!take(token)) broken_ = true;
  }

  std::string word() {
    skip_space();
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(rest_.begin(), rest_.end(), is_word) - rest_.begin());
    if (end == 0) broken_ = true;
    std::string result(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return result;
  }

  Operand atom() {
    skip_space();
    if (rest_.empty()) broken_ = true;
    if (broken_) return {};
    if (take("(")) {
      Operand inner = disjunction();
      expect(")");
      return inner;
    }
    if (rest_.front() == '\'' || rest_.front() == '"') return quoted();
    if (std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) return literal();
    const std::string name = word();
    if (name == "L") return Path{};
    if (name == "True" || name == "true") return Number(true);
    if (name == "False" || name == "false") return Number(false);
    return Name{name};
  }

  Operand quoted() {
    const char quote = rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) {
      broken_ = true;
      return {};
    }
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  Operand literal() {
    std::int64_t integer = 0;
    const char* const start = rest_.data();
    const char* const end = start + rest_.size();
    const auto whole = std::from_chars(start, end, integer);
    double real = 0;
    const auto with_fraction = std::from_chars(start, end, real);
    const bool fraction = with_fraction.ptr != whole.ptr;
    if (fraction ? with_fraction.ec != std::errc{} : whole.ec != std::errc{}) broken_ = true;
    rest_.remove_prefix(
        static_cast<std::size_t>((fraction ? with_fraction.ptr : whole.ptr) - start));
    return fraction ? Number(real) : Number(integer);
  }

  std::string_view rest_;
  const ExpressionNames& names_;
  int depth_ = 0;
  bool broken_ = false;
};

}  // namespace

std::optional<Number> evaluate_expression(std::string_view text, const ExpressionNames& names) {
  return Parser(text, names).whole();
}

std::optional<std::string> lone_symbol(const std::string& expression) {
  static constexpr std::string_view kStart = "Symbol('";
  if (expression.rfind(kStart, 0) != 0) return std::nullopt;
  const std::size_t end = expression.find('\'', kStart.size());
  // One call and nothing behind it.
  if (end == std::string::npos || expression.find(')') + 1 != expression.size())
    return std::nullopt;
  return expression.substr(kStart.size(), end - kStart.size());
}

}  // namespace parity::model
