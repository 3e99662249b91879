#include "model/exported/input_checks.h"

#include <map>
#include <utility>

#include "model/exported/symbolic_expression.h"
#include "model/weights/one_line.h"

namespace parity::model {
namespace {

using tensor::HostTensor;
using tensor::Value;
using Symbols = std::map<std::string, std::int64_t>;

/// A number, or one in a tensor of one integer.
std::optional<Number> number_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return Number(*flag);
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return Number(*integer);
  if (const auto* real = std::get_if<double>(&value.data)) return Number(*real);
  return std::nullopt;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool same_constant(const Value& one, const Value& other) {
  if (const auto left = number_of(one), right = number_of(other); left && right)
    return left->index() == right->index() ? *left == *right
                                           : as_double(*left) == as_double(*right);
  if (const auto* text = std::get_if<std::string>(&one.data)) {
    const auto* own = std::get_if<std::string>(&other.data);
    return own != nullptr && *own == *text;
  }
  return std::holds_alternative<std::monostate>(one.data) &&
         std::holds_alternative<std::monostate>(other.data);
}

/// A program may state a condition of kilobytes.
std::string shortened(const std::string& statement) {
  constexpr std::size_t kMost = 160;
  const std::string text = one_line(statement);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

/// Whatever an expression is about: any number will do to see whether it can be evaluated.
constexpr std::int64_t kAny = 97;
ExpressionNames any_number() {
  ExpressionNames anything;
  anything.symbol = [](const std::string& /*symbol*/) { return std::optional<Number>(kAny); };
  anything.number = [](const std::string& /*path*/) { return std::optional<Number>(kAny); };
  anything.size = [](const std::string& /*path*/, std::int64_t /*dimension*/) {
    return std::optional<std::int64_t>(kAny);
  };
  return anything;
}

class Check {
 public:
  Check(const Program& program, const std::vector<const ProgramInput*>& own,
        const std::vector<InputLeaf>& leaves, FloatingInputs floating)
      : program_(program), own_(own), leaves_(leaves), floating_(floating) {}

  std::string fault() {
    for (std::size_t i = 0; i < own_.size() && fault_.empty(); ++i) check(*own_[i], leaves_[i]);
    // Sizes that follow from symbols are known when all symbols are.
    for (std::size_t i = 0; i < own_.size() && fault_.empty(); ++i)
      check_sizes(*own_[i], leaves_[i]);
    if (fault_.empty()) check_ranges();
    if (fault_.empty()) check_guards();
    return std::move(fault_);
  }

 private:
  void check(const ProgramInput& input, const InputLeaf& leaf) {
    const auto* value = std::get_if<GraphValue>(&input.argument.data);
    if (value == nullptr) {
      const auto constant = value_of_constant(input.argument);
      if (!constant || !same_constant(*constant, leaf.value)) {
        fault_ = "argument '" + leaf.name + "' was fixed to " + constant_text(input.argument) +
                 " when the program was exported, and another value was given";
      }
      return;
    }
    const auto meta = program_.graph.tensors.find(value->name);
    const auto* tensor = std::get_if<HostTensor>(&leaf.value.data);
    if (meta != program_.graph.tensors.end()) {
      if (tensor == nullptr) {
        fault_ = "argument '" + leaf.name + "' is a " + std::string(tensor::kind_name(leaf.value)) +
                 ", not a tensor";
      } else {
        check_tensor(leaf.name, *tensor, meta->second);
      }
      return;
    }
    check_number(*value, leaf);
  }

  void check_number(const GraphValue& value, const InputLeaf& leaf) {
    const auto number = number_of(leaf.value);
    const auto integer = number ? as_integer(*number) : std::nullopt;
    if (!integer) {
      fault_ = "argument '" + leaf.name + "' is a " + std::string(tensor::kind_name(leaf.value)) +
               ", not an int";
      return;
    }
    const auto size = program_.graph.integers.find(value.name);
    if (size != program_.graph.integers.end()) bind(size->second, *integer);
  }

  void check_tensor(const std::string& name, const HostTensor& tensor, const TensorMeta& meta) {
    const bool free = floating_ == FloatingInputs::cast && meta.dtype &&
                      tensor::is_floating(*meta.dtype) && tensor::is_floating(tensor.dtype());
    if (meta.dtype && tensor.dtype() != *meta.dtype && !free) {
      fault_ = "argument '" + name + "' is " + std::string(tensor::name(tensor.dtype())) +
               ", and the program was exported for " + std::string(tensor::name(*meta.dtype));
      return;
    }
    if (tensor.shape().size() != meta.sizes.size()) {
      fault_ = "argument '" + name + "' has shape " + tensor::to_string(tensor.shape()) +
               ", and the program was exported for " + std::to_string(meta.sizes.size()) +
               (meta.sizes.size() == 1 ? " dimension" : " dimensions");
      return;
    }
    for (std::size_t i = 0; i < meta.sizes.size(); ++i) bind(meta.sizes[i], tensor.shape()[i]);
  }

  /// The first size that is a symbol alone gives the symbol its value.
  void bind(const SymbolicSize& size, std::int64_t given) {
    const auto* expression = std::get_if<std::string>(&size);
    const auto symbol = expression == nullptr ? std::nullopt : lone_symbol(*expression);
    if (symbol) symbols_.emplace(*symbol, given);
  }

  void check_sizes(const ProgramInput& input, const InputLeaf& leaf) {
    const auto* value = std::get_if<GraphValue>(&input.argument.data);
    const auto* tensor = std::get_if<HostTensor>(&leaf.value.data);
    if (value == nullptr || tensor == nullptr) return;
    const auto meta = program_.graph.tensors.find(value->name);
    if (meta == program_.graph.tensors.end()) return;
    for (std::size_t i = 0; i < meta->second.sizes.size(); ++i) {
      const SymbolicSize& size = meta->second.sizes[i];
      const auto* fixed = std::get_if<std::int64_t>(&size);
      const auto wanted =
          fixed != nullptr ? std::optional(*fixed) : value_of(std::get<std::string>(size));
      const std::int64_t given = tensor->shape()[i];
      if (!wanted) check_readable(std::get<std::string>(size), leaf.name, i);
      if (!fault_.empty()) return;
      if (!wanted || *wanted == given) continue;
      fault_ = "size " + std::to_string(i) + " of argument '" + leaf.name + "' is " +
               std::to_string(given) + " and must be " + std::to_string(*wanted) +
               (fixed != nullptr ? ", which it was when the program was exported without a "
                                   "dynamic shape for it"
                                 : ", as its other inputs have " +
                                       short_expression(std::get<std::string>(size)) + " = " +
                                       std::to_string(*wanted));
      return;
    }
  }

  /// A size of a symbol that no input is alone can follow from other inputs in ways that are not
  /// solved here; one that says nothing, or names what the program does not have, is a fault.
  void check_readable(const std::string& size, const std::string& argument, std::size_t axis) {
    std::string unknown;
    ExpressionNames anything = any_number();
    anything.symbol = [&](const std::string& symbol) {
      if (program_.ranges.count(symbol) == 0) unknown = symbol;
      return std::optional<Number>(kAny);
    };
    const bool readable = evaluate_expression(size, anything).has_value();
    if (readable && unknown.empty()) return;
    fault_ = "the program states size " + std::to_string(axis) + " of argument '" + argument +
             "' as `" + shortened(short_expression(size)) + "`, " +
             (readable ? "and has no range for " + shortened(unknown) : "which is no size") +
             "; export it again";
  }

  [[nodiscard]] ExpressionNames names() const {
    ExpressionNames names;
    names.symbol = [this](const std::string& symbol) -> std::optional<Number> {
      const auto found = symbols_.find(symbol);
      return found == symbols_.end() ? std::nullopt : std::optional<Number>(found->second);
    };
    names.number = [this](const std::string& path) -> std::optional<Number> {
      for (const InputLeaf& leaf : leaves_) {
        if (leaf.path == path) return number_of(leaf.value);
      }
      return std::nullopt;
    };
    names.size = [this](const std::string& path,
                        std::int64_t dimension) -> std::optional<std::int64_t> {
      for (const InputLeaf& leaf : leaves_) {
        const auto* tensor = std::get_if<HostTensor>(&leaf.value.data);
        if (leaf.path != path || tensor == nullptr || dimension < 0) continue;
        const auto index = static_cast<std::size_t>(dimension);
        if (index < tensor->shape().size()) return tensor->shape()[index];
      }
      return std::nullopt;
    };
    return names;
  }

  [[nodiscard]] std::optional<std::int64_t> value_of(const std::string& expression) const {
    const auto number = evaluate_expression(expression, names());
    return number ? as_integer(*number) : std::nullopt;
  }

  /// The argument whose size, or whose value, a symbol is.
  [[nodiscard]] std::string owner_of(const std::string& symbol) const {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const auto* value = std::get_if<GraphValue>(&own_[i]->argument.data);
      if (value == nullptr) continue;
      const auto number = program_.graph.integers.find(value->name);
      if (number != program_.graph.integers.end() && is_symbol(number->second, symbol))
        return "argument '" + leaves_[i].name + "'";
      const auto meta = program_.graph.tensors.find(value->name);
      if (meta == program_.graph.tensors.end()) continue;
      for (std::size_t axis = 0; axis < meta->second.sizes.size(); ++axis) {
        if (is_symbol(meta->second.sizes[axis], symbol))
          return "size " + std::to_string(axis) + " of argument '" + leaves_[i].name + "'";
      }
    }
    return symbol;
  }

  static bool is_symbol(const SymbolicSize& size, const std::string& symbol) {
    const auto* expression = std::get_if<std::string>(&size);
    return expression != nullptr && lone_symbol(*expression) == symbol;
  }

  void check_ranges() {
    for (const auto& [symbol, value] : symbols_) {
      const auto range = program_.ranges.find(symbol);
      if (range == program_.ranges.end()) continue;
      const auto& [min, max] = range->second;
      if ((!min || value >= *min) && (!max || value <= *max)) continue;
      fault_ = owner_of(symbol) + " is " + std::to_string(value) +
               ", and the program was exported for " +
               (min ? std::to_string(*min) + " or more" : std::string()) +
               (min && max ? " and " : "") + (max ? std::to_string(*max) + " or less" : "");
      return;
    }
  }

  void check_guards() {
    for (const std::string& guard : program_.guards) {
      const auto holds = evaluate_expression(guard, names());
      if (holds && is_true(*holds)) continue;
      // One that nobody can evaluate is told as a remark on the program.
      if (!holds && !evaluate_expression(guard, any_number())) continue;
      fault_ = std::string(holds ? "they break a condition of its export, `"
                                 : "a condition of its export has no answer for them, `") +
               shortened(guard) + "`";
      return;
    }
  }

  const Program& program_;
  const std::vector<const ProgramInput*>& own_;
  const std::vector<InputLeaf>& leaves_;
  FloatingInputs floating_;
  Symbols symbols_;
  std::string fault_;
};

}  // namespace

std::string input_fault(const Program& program, const std::vector<const ProgramInput*>& own,
                        const std::vector<InputLeaf>& leaves, FloatingInputs floating) {
  return Check(program, own, leaves, floating).fault();
}

std::vector<std::string> unchecked_guards(const Program& program) {
  std::vector<std::string> unchecked;
  for (const std::string& guard : program.guards) {
    if (!evaluate_expression(guard, any_number())) unchecked.push_back(shortened(guard));
  }
  return unchecked;
}

std::optional<Value> value_of_constant(const ProgramArgument& argument) {
  if (std::holds_alternative<std::monostate>(argument.data)) return Value{};
  if (const auto* flag = std::get_if<bool>(&argument.data)) return Value{*flag};
  if (const auto* integer = std::get_if<std::int64_t>(&argument.data)) return Value{*integer};
  if (const auto* real = std::get_if<double>(&argument.data)) return Value{*real};
  if (const auto* text = std::get_if<std::string>(&argument.data)) return Value{*text};
  return std::nullopt;
}

std::string constant_text(const ProgramArgument& argument) {
  if (const auto* flag = std::get_if<bool>(&argument.data)) return *flag ? "True" : "False";
  if (const auto* integer = std::get_if<std::int64_t>(&argument.data))
    return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&argument.data)) return std::to_string(*real);
  if (const auto* text = std::get_if<std::string>(&argument.data)) return "'" + *text + "'";
  return "None";
}

std::string short_expression(const std::string& expression) {
  std::string text;
  for (std::size_t at = 0; at < expression.size();) {
    static constexpr std::string_view kSymbol = "Symbol('";
    static constexpr std::string_view kInteger = "Integer(";
    const bool symbol = expression.compare(at, kSymbol.size(), kSymbol) == 0;
    const bool integer = expression.compare(at, kInteger.size(), kInteger) == 0;
    if (!symbol && !integer) {
      text += expression[at++];
      continue;
    }
    at += symbol ? kSymbol.size() : kInteger.size();
    const std::size_t end = expression.find(symbol ? '\'' : ')', at);
    text += expression.substr(at, end - at);
    const std::size_t close = expression.find(')', at);
    if (close == std::string::npos) break;
    at = close + 1;
  }
  return text;
}

std::string range_text(const Program& program) {
  std::string text;
  for (const auto& [symbol, range] : program.ranges) {
    text += (text.empty() ? " with " : ", ") + symbol;
    if (range.min) text += " from " + std::to_string(*range.min);
    if (range.max) text += " to " + std::to_string(*range.max);
  }
  return text;
}

}  // namespace parity::model
