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

/// A text with its sizes put in, and which of them it has.
struct Sized {
  std::string text;
  bool has_rows = false;
  bool has_length = false;
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
Sized with_sizes(std::string_view argument, std::int64_t rows, std::int64_t length) {
  Sized sized;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    const bool begins = i > 0 && (argument[i - 1] == ':' || argument[i - 1] == 'x');
    const bool ends = i + 1 == argument.size() || argument[i + 1] == 'x' || argument[i + 1] == ':';
    const std::string_view size = argument.substr(i, 1);
    const bool is_size = begins && ends && holds_sizes(argument, i);
    if (is_size && size == kRows) {
      sized.text += std::to_string(rows);
      sized.has_rows = true;
    } else if (is_size && size == kLength) {
      sized.text += std::to_string(length);
      sized.has_length = true;
    } else {
      sized.text += argument[i];
    }
  }
  return sized;
}

/// Of all arguments.
Sized all_with_sizes(std::string_view spec, std::int64_t rows, std::int64_t length) {
  Sized all;
  for (;;) {
    const std::size_t end = spec.find(';');
    const Sized one = with_sizes(spec.substr(0, end), rows, length);
    all = {all.text + one.text, all.has_rows || one.has_rows, all.has_length || one.has_length};
    if (end == std::string_view::npos) return all;
    all.text += ';';
    spec.remove_prefix(end + 1);
  }
}

/// "3x33", or the one that the text has.
std::string sizes_text(const Sized& sized, std::int64_t rows, std::int64_t length) {
  const std::string row_text = sized.has_rows ? std::to_string(rows) : "";
  const std::string length_text = sized.has_length ? std::to_string(length) : "";
  return row_text + (sized.has_rows && sized.has_length ? "x" : "") + length_text;
}

std::vector<pipeline::CaseInput> cases_of(const std::string& text, const SweepSizes& sizes) {
  const pipeline::CaseInput input = case_input_of(text);
  const Sized any = all_with_sizes(input.spec, 1, 1);
  if (!any.has_rows && !any.has_length) {
    throw Error(ErrorKind::usage,
                "--sweep varies a generator's sizes, and '" + input.spec +
                    "' has neither a B for the rows nor an L for the length; write "
                    "--inputs tokens:BxL or randn:Bx3x224x224");
  }
  const bool is_named = input.name != input.spec;
  const std::vector<std::int64_t> once = {1};
  std::vector<pipeline::CaseInput> cases;
  for (const std::int64_t rows : any.has_rows ? sizes.rows : once) {
    for (const std::int64_t length : any.has_length ? sizes.lengths : once) {
      const std::string spec = all_with_sizes(input.spec, rows, length).text;
      const std::string name = is_named ? input.name + ":" + sizes_text(any, rows, length) : spec;
      cases.push_back({name, spec, sizes.need});
    }
  }
  return cases;
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
  if (inputs.empty()) return cases_of("tokens:BxL", sizes);
  std::vector<pipeline::CaseInput> cases;
  for (const std::string& text : inputs) {
    const std::vector<pipeline::CaseInput> more = cases_of(text, sizes);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace parity::cli
