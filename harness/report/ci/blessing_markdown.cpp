// What a refreshed golden changes, for a pull request.
#include <fmt/format.h>

#include "report/ci/markdown_text.h"
#include "report/data/blessing.h"
#include "report/terminal/blessing_lines.h"
#include "report/words/environment.h"
#include "report/words/numbers.h"
#include "report/words/tap_text.h"

namespace parity::report {
namespace {

constexpr int kLine = 400;
constexpr int kName = 80;
constexpr std::size_t kMost = 40;

std::string more_of(std::size_t count) {
  return count > kMost ? fmt::format("\nand {} more\n", count - kMost) : std::string{};
}

void add_environment(std::string& text, const Blessing& blessing) {
  if (blessing.environment_diff.empty()) {
    text += "\nThe environments do not differ.\n";
    return;
  }
  text += "\n| environment | old | new |\n|---|---|---|\n";
  for (std::size_t i = 0; i < std::min(kMost, blessing.environment_diff.size()); ++i) {
    const run::Difference each = as_shown(blessing.environment_diff[i]);
    text += fmt::format("| {}{} | {} | {} |\n", markdown_code(each.key, kName),
                        changes_numbers(blessing, each) ? " **changes numbers**" : "",
                        markdown_prose(absent_or(each.reference), kName),
                        markdown_prose(absent_or(each.candidate), kName));
  }
  text += more_of(blessing.environment_diff.size());
}

template <typename Change>
void add_changes(std::string& text, std::string_view title, const std::vector<Change>& changes) {
  if (changes.empty()) return;
  text += fmt::format("\n**{}**\n\n", title);
  for (std::size_t i = 0; i < std::min(kMost, changes.size()); ++i)
    text += "- " + markdown_prose(line_of(changes[i]), kLine) + "\n";
  text += more_of(changes.size());
}

void add_values(std::string& text, const Blessing& blessing) {
  text += "\n**Values:** " + identical_line(blessing) + "\n";
  if (blessing.values.empty()) return;
  text +=
      "\n| layers | verdict | taps | largest nrmse | at | most ulp | at | noise | against the "
      "truth "
      "|\n|---|---|--:|--:|---|--:|---|--:|---|\n";
  for (std::size_t i = 0; i < std::min(kMost, blessing.values.size()); ++i) {
    const ValueChange& change = blessing.values[i];
    const bool measured = change.measured > 0;
    const auto at = [&](const Place& place) {
      if (!measured) return std::string{};
      return markdown_code(run::to_string(place.tap) + ", " + place.case_name, kName);
    };
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", markdown_code(change.layers, kName),
        run::name(change.verdict), change.taps, measured ? short_number(change.nrmse) : "",
        at(change.nrmse_at), measured ? short_count(static_cast<double>(change.max_ulp)) : "",
        at(change.max_ulp_at), change.noise_nrmse ? short_number(*change.noise_nrmse) : "",
        truth_cell(change));
  }
  text += more_of(blessing.values.size());
}

}  // namespace

std::string to_markdown(const Blessing& blessing) {
  std::string text = fmt::format("## parity bless: {}\n\n{}\n\n{} replaces {}.\n",
                                 blessing.exit_code == 0 ? "nothing of note" : "to be reviewed",
                                 markdown_prose(verdict_line(blessing), kLine),
                                 markdown_code(blessing.after.file, kName),
                                 markdown_code(blessing.before.file, kName));
  add_environment(text, blessing);
  add_changes(text, "Model", blessing.weights);
  add_changes(text, "Cases", blessing.cases);
  add_changes(text, "Taps", blessing.taps);
  add_values(text, blessing);
  add_changes(text, "Logits that are not the same", blessing.logits);
  text += "\n" + markdown_code(blessing.repro, kLine) + "\n";
  return text;
}

}  // namespace parity::report
