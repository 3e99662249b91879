#include "model/exported/number_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace parity::model {
namespace {

using Result = std::optional<Number>;
using Arguments = std::vector<Number>;
using Function = Result (*)(const Arguments&);

/// On integers where both are, which checks for overflow; on floats otherwise.
template <typename OnIntegers, typename OnFloats>
Result arithmetic(const Arguments& arguments, const OnIntegers& integers, const OnFloats& floats) {
  if (arguments.size() != 2) return std::nullopt;
  const auto left = as_integer(arguments[0]);
  const auto right = as_integer(arguments[1]);
  if (left && right) {
    const std::optional<std::int64_t> result = integers(*left, *right);
    return result ? Result(*result) : std::nullopt;
  }
  return Number(floats(as_double(arguments[0]), as_double(arguments[1])));
}

using MaybeInteger = std::optional<std::int64_t>;

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
MaybeInteger checked_add(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  return __builtin_add_overflow(left, right, &result) ? std::nullopt : MaybeInteger(result);
}
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
MaybeInteger checked_subtract(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  return __builtin_sub_overflow(left, right, &result) ? std::nullopt : MaybeInteger(result);
}
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
MaybeInteger checked_multiply(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(left, right, &result) ? std::nullopt : MaybeInteger(result);
}

/// Towards minus infinity, as Python does.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
MaybeInteger floor_quotient(std::int64_t numerator, std::int64_t denominator) {
  const bool overflow = numerator == std::numeric_limits<std::int64_t>::min() && denominator == -1;
  if (denominator == 0 || overflow) return std::nullopt;
  const std::int64_t quotient = numerator / denominator;
  const bool inexact = numerator % denominator != 0;
  return inexact && (numerator < 0) != (denominator < 0) ? quotient - 1 : quotient;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
MaybeInteger floor_remainder(std::int64_t numerator, std::int64_t denominator) {
  const MaybeInteger quotient = floor_quotient(numerator, denominator);
  return quotient ? MaybeInteger(numerator - *quotient * denominator) : std::nullopt;
}

Result add(const Arguments& a) {
  Result total = Number(std::int64_t{0});
  for (const Number& each : a) {
    total = arithmetic({*total, each}, checked_add, [](double x, double y) { return x + y; });
    if (!total) return std::nullopt;
  }
  return total;
}
Result multiply(const Arguments& a) {
  Result product = Number(std::int64_t{1});
  for (const Number& each : a) {
    product =
        arithmetic({*product, each}, checked_multiply, [](double x, double y) { return x * y; });
    if (!product) return std::nullopt;
  }
  return product;
}
Result subtract(const Arguments& a) {
  return arithmetic(a, checked_subtract, [](double x, double y) { return x - y; });
}
Result floor_divide(const Arguments& a) {
  return arithmetic(a, floor_quotient, [](double x, double y) { return std::floor(x / y); });
}
Result modulo(const Arguments& a) {
  return arithmetic(a, floor_remainder,
                    [](double x, double y) { return x - y * std::floor(x / y); });
}
Result true_divide(const Arguments& a) {
  if (a.size() != 2 || as_double(a[1]) == 0) return std::nullopt;
  return Number(as_double(a[0]) / as_double(a[1]));
}
Result ceiling_divide(const Arguments& a) {
  return arithmetic(
      a,
      [](std::int64_t x, std::int64_t y) -> MaybeInteger {
        const MaybeInteger down = y == -1 ? std::nullopt : floor_quotient(x, y);
        if (!down) return std::nullopt;
        return *down * y == x ? *down : *down + 1;
      },
      [](double x, double y) { return std::ceil(x / y); });
}

Result power(const Arguments& a) {
  if (a.size() != 2) return std::nullopt;
  const auto base = as_integer(a[0]);
  const auto exponent = as_integer(a[1]);
  if (!base || !exponent || *exponent < 0)
    return Number(std::pow(as_double(a[0]), as_double(a[1])));
  constexpr std::int64_t kMost = 64;
  if (*exponent > kMost && *base != 0 && *base != 1 && *base != -1) return std::nullopt;
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < std::min(*exponent, kMost + *exponent % 2); ++i) {
    const MaybeInteger next = checked_multiply(result, *base);
    if (!next) return std::nullopt;
    result = *next;
  }
  return Number(result);
}

template <typename Compare>
Result compared(const Arguments& a, const Compare& compare) {
  if (a.size() != 2) return std::nullopt;
  const auto left = as_integer(a[0]);
  const auto right = as_integer(a[1]);
  if (left && right) return Number(static_cast<bool>(compare(*left, *right)));
  return Number(static_cast<bool>(compare(as_double(a[0]), as_double(a[1]))));
}

template <typename Choose>
Result extreme(const Arguments& a, const Choose& better) {
  if (a.empty()) return std::nullopt;
  Number best = a.front();
  for (const Number& each : a) {
    if (better(as_double(each), as_double(best))) best = each;
  }
  return best;
}

Result rounded(const Arguments& a, double (*round)(double)) {
  if (a.size() != 1) return std::nullopt;
  if (const auto integer = as_integer(a[0])) return Number(*integer);
  const double value = round(as_double(a[0]));
  constexpr double kBeyond = 9.2e18;
  if (!(std::abs(value) < kBeyond)) return std::nullopt;
  return Number(static_cast<std::int64_t>(value));
}

template <typename Combine>
Result bits(const Arguments& a, const Combine& combine) {
  if (a.size() != 2) return std::nullopt;
  const auto left = as_integer(a[0]);
  const auto right = as_integer(a[1]);
  if (!left || !right) return std::nullopt;
  const std::int64_t result = combine(*left, *right);
  const bool both_bool = std::holds_alternative<bool>(a[0]) && std::holds_alternative<bool>(a[1]);
  return both_bool ? Number(result != 0) : Number(result);
}

Result shifted_left(const Arguments& a) {
  const auto by = a.size() == 2 ? as_integer(a[1]) : std::nullopt;
  if (!by || *by < 0 || *by > 62) return std::nullopt;
  return multiply({a[0], Number(std::int64_t{1} << *by)});
}
Result shifted_right(const Arguments& a) {
  const auto by = a.size() == 2 ? as_integer(a[1]) : std::nullopt;
  if (!by || *by < 0 || *by > 62) return std::nullopt;
  return floor_divide({a[0], Number(std::int64_t{1} << *by)});
}

Result same(const Arguments& a) { return a.size() == 1 ? Result(a[0]) : std::nullopt; }
Result negative(const Arguments& a) {
  return a.size() == 1 ? subtract({Number(std::int64_t{0}), a[0]}) : std::nullopt;
}
Result floating(const Arguments& a) {
  return a.size() == 1 ? Result(as_double(a[0])) : std::nullopt;
}
Result square_root(const Arguments& a) {
  return a.size() == 1 ? Result(std::sqrt(as_double(a[0]))) : std::nullopt;
}
Result opposite(const Arguments& a) {
  return a.size() == 1 ? Result(!is_true(a[0])) : std::nullopt;
}
Result chosen(const Arguments& a) {
  return a.size() == 3 ? Result(is_true(a[0]) ? a[1] : a[2]) : std::nullopt;
}
Result conjunction(const Arguments& a) { return Number(std::all_of(a.begin(), a.end(), is_true)); }
Result disjunction(const Arguments& a) { return Number(std::any_of(a.begin(), a.end(), is_true)); }

Result equal(const Arguments& a) {
  return compared(a, [](auto x, auto y) { return x == y; });
}
Result unequal(const Arguments& a) {
  return compared(a, [](auto x, auto y) { return x != y; });
}
Result less(const Arguments& a) {
  return compared(a, [](auto x, auto y) { return x < y; });
}
Result at_most(const Arguments& a) {
  return compared(a, [](auto x, auto y) { return x <= y; });
}
Result greater(const Arguments& a) {
  return compared(a, [](auto x, auto y) { return x > y; });
}
Result at_least(const Arguments& a) {
  return compared(a, [](auto x, auto y) { return x >= y; });
}
Result largest(const Arguments& a) {
  return extreme(a, [](double x, double y) { return x > y; });
}
Result smallest(const Arguments& a) {
  return extreme(a, [](double x, double y) { return x < y; });
}
Result bits_and(const Arguments& a) {
  return bits(a, [](std::int64_t x, std::int64_t y) { return x & y; });
}
Result bits_or(const Arguments& a) {
  return bits(a, [](std::int64_t x, std::int64_t y) { return x | y; });
}
Result floor_of(const Arguments& a) { return rounded(a, std::floor); }
Result ceiling_of(const Arguments& a) { return rounded(a, std::ceil); }
Result trunc_of(const Arguments& a) { return rounded(a, std::trunc); }

struct Row {
  std::string_view name;
  Function function;
};

/// Python's operators, then the names of torch, math and sympy for the same.
constexpr auto kFunctions = std::to_array<Row>({{"add", add},
                                                {"Add", add},
                                                {"sub", subtract},
                                                {"mul", multiply},
                                                {"Mul", multiply},
                                                {"floordiv", floor_divide},
                                                {"FloorDiv", floor_divide},
                                                {"truediv", true_divide},
                                                {"CleanDiv", floor_divide},
                                                {"CeilDiv", ceiling_divide},
                                                {"IntTrueDiv", true_divide},
                                                {"FloatTrueDiv", true_divide},
                                                {"Rational", true_divide},
                                                {"mod", modulo},
                                                {"Mod", modulo},
                                                {"PythonMod", modulo},
                                                {"pow", power},
                                                {"Pow", power},
                                                {"PowByNatural", power},
                                                {"FloatPow", power},
                                                {"neg", negative},
                                                {"pos", same},
                                                {"eq", equal},
                                                {"Eq", equal},
                                                {"Equality", equal},
                                                {"ne", unequal},
                                                {"Ne", unequal},
                                                {"Unequality", unequal},
                                                {"lt", less},
                                                {"StrictLessThan", less},
                                                {"le", at_most},
                                                {"LessThan", at_most},
                                                {"gt", greater},
                                                {"StrictGreaterThan", greater},
                                                {"ge", at_least},
                                                {"GreaterThan", at_least},
                                                {"and_", bits_and},
                                                {"or_", bits_or},
                                                {"and", conjunction},
                                                {"And", conjunction},
                                                {"or", disjunction},
                                                {"Or", disjunction},
                                                {"not", opposite},
                                                {"Not", opposite},
                                                {"sym_not", opposite},
                                                {"lshift", shifted_left},
                                                {"LShift", shifted_left},
                                                {"rshift", shifted_right},
                                                {"RShift", shifted_right},
                                                {"sym_max", largest},
                                                {"max", largest},
                                                {"Max", largest},
                                                {"sym_min", smallest},
                                                {"min", smallest},
                                                {"Min", smallest},
                                                {"sym_int", trunc_of},
                                                {"int", trunc_of},
                                                {"trunc", trunc_of},
                                                {"TruncToInt", trunc_of},
                                                {"floor", floor_of},
                                                {"FloorToInt", floor_of},
                                                {"ceil", ceiling_of},
                                                {"CeilToInt", ceiling_of},
                                                {"sym_float", floating},
                                                {"float", floating},
                                                {"Float", floating},
                                                {"ToFloat", floating},
                                                {"Integer", same},
                                                {"sym_sqrt", square_root},
                                                {"sqrt", square_root},
                                                {"sym_ite", chosen}});

/// nullptr for a name that is not known.
Function function_of(const std::string& name) {
  const auto* found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                   [&](const Row& row) { return row.name == name; });
  return found == kFunctions.end() ? nullptr : found->function;
}

/// torch._sym_sqrt is torch.sym_sqrt.
std::string public_name(const std::string& name) {
  return name.rfind("_sym_", 0) == 0 ? name.substr(1) : name;
}

}  // namespace

double as_double(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

bool is_true(const Number& number) {
  return std::visit([](auto value) { return value != decltype(value){}; }, number);
}

std::optional<std::int64_t> as_integer(const Number& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return *integer;
  if (const auto* flag = std::get_if<bool>(&number)) return *flag ? 1 : 0;
  return std::nullopt;
}

bool is_number_function(const std::string& name) {
  return function_of(public_name(name)) != nullptr;
}

std::optional<Number> apply_function(const std::string& name,
                                     const std::vector<Number>& arguments) {
  const Function function = function_of(public_name(name));
  return function == nullptr ? std::nullopt : function(arguments);
}

}  // namespace parity::model
