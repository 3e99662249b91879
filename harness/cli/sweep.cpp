#include "cli/sweep.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>

#include "cli/case_input.h"
#include "error/error.h"

namespace parity::cli {
namespace {

constexpr std::string_view kEdges = "edges";
constexpr std::string_view kRows = "B";
constexpr std::string_view kLength = "L";

[[noreturn]] void refuse_sizes(const std::string& text) {
  throw Error(
      ErrorKind::usage,
      "--sweep takes edges, or the numbers of rows and the lengths as ROWSxLENGTHS, such as "
      "1,8x1,127,128, each at least 1 and named once; not '" +
          text + "'");
}

std::vector<std::int64_t> numbers_of(std::string_view list, const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (;;) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::int64_t number = 0;
    const auto result = std::from_chars(list.data(), list.data() + end, number);
    if (result.ec != std::errc{} || result.ptr != list.data() + end || number < 1)
      refuse_sizes(text);
    numbers.push_back(number);
    if (end == list.size()) break;
    list.remove_prefix(end + 1);
  }
  if (std::set<std::int64_t>(numbers.begin(), numbers.end()).size() != numbers.size())
    refuse_sizes(text);
  return numbers;
}

/// What a text varies over.
struct Letters {
  bool rows = false;
  bool length = false;
};

/// Where the sizes of a shape stand: behind the first colon of an argument, up to the next colon.
/// A str: has text there.
bool holds_sizes(std::string_view argument, std::size_t place) {
  const std::size_t colon = argument.find(':');
  return argument.substr(0, 4) != "str:" && colon != std::string_view::npos && place > colon &&
         argument.substr(colon + 1, place - colon - 1).find(':') == std::string_view::npos;
}

/// One argument with each size that is a letter replaced; a size stands between ':' or 'x' and 'x',
/// ':' or the end.
std::string with_sizes(std::string_view argument, std::int64_t rows, std::int64_t length,
                       Letters& found) {
  std::string replaced;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    const bool begins = i > 0 && (argument[i - 1] == ':' || argument[i - 1] == 'x');
    const bool ends = i + 1 == argument.size() || argument[i + 1] == 'x' || argument[i + 1] == ':';
    const std::string_view size = argument.substr(i, 1);
    const bool is_size = begins && ends && holds_sizes(argument, i);
    if (is_size && size == kRows) {
      replaced += std::to_string(rows);
      found.rows = true;
    } else if (is_size && size == kLength) {
      replaced += std::to_string(length);
      found.length = true;
    } else {
      replaced += argument[i];
    }
  }
  return replaced;
}

std::string all_with_sizes(std::string_view spec, std::int64_t rows, std::int64_t length,
                           Letters& found) {
  std::string replaced;
  for (;;) {
    const std::size_t end = spec.find(';');
    replaced += with_sizes(spec.substr(0, end), rows, length, found);
    if (end == std::string_view::npos) return replaced;
    replaced += ';';
    spec.remove_prefix(end + 1);
  }
}

std::string sizes_text(const Letters& letters, std::int64_t rows, std::int64_t length) {
  const std::string row_text = letters.rows ? std::to_string(rows) : "";
  const std::string length_text = letters.length ? std::to_string(length) : "";
  return row_text + (letters.rows && letters.length ? "x" : "") + length_text;
}

void add_cases(const std::string& text, const SweepSizes& sizes,
               std::vector<pipeline::CaseInput>& cases) {
  pipeline::CaseInput input = case_input_of(text);
  Letters letters;
  (void)all_with_sizes(input.spec, 1, 1, letters);
  if (!letters.rows && !letters.length) {
    throw Error(ErrorKind::usage,
                "--sweep varies a generator's sizes, and '" + input.spec +
                    "' has neither a B for the rows nor an L for the length; write "
                    "--inputs tokens:BxL or randn:Bx3x224x224");
  }
  const bool is_named = input.name != input.spec;
  const std::vector<std::int64_t> once = {1};
  for (const std::int64_t rows : letters.rows ? sizes.rows : once) {
    for (const std::int64_t length : letters.length ? sizes.lengths : once) {
      const std::string spec = all_with_sizes(input.spec, rows, length, letters);
      const std::string name =
          is_named ? input.name + ":" + sizes_text(letters, rows, length) : spec;
      cases.push_back({name, spec, sizes.need});
    }
  }
}

}  // namespace

SweepSizes sweep_sizes_of(const std::string& text) {
  if (text == kEdges) {
    return {{1, 3, 4, 8}, {1, 31, 32, 33, 127, 128, 129, 1025}, pipeline::Need::optional};
  }
  const std::size_t middle = text.find('x');
  if (middle == std::string::npos) refuse_sizes(text);
  return {numbers_of(std::string_view(text).substr(0, middle), text),
          numbers_of(std::string_view(text).substr(middle + 1), text), pipeline::Need::required};
}

std::vector<pipeline::CaseInput> sweep_cases(const std::vector<std::string>& inputs,
                                             const SweepSizes& sizes) {
  std::vector<pipeline::CaseInput> cases;
  if (inputs.empty()) add_cases("tokens:BxL", sizes, cases);
  for (const std::string& text : inputs) add_cases(text, sizes, cases);
  return cases;
}

}  // namespace parity::cli
