#include "report/terminal/blessing_lines.h"

#include <fmt/format.h>

#include "report/terminal/tap_rows.h"
#include "report/words/numbers.h"

namespace parity::report {
namespace {

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

std::string text_of(const Place& place) {
  return tap_name(place.tap) + " of case " + place.case_name;
}

}  // namespace

std::string verdict_line(const Blessing& blessing) {
  if (blessing.exit_code == 0)
    return fmt::format("nothing beyond policy {} changes", blessing.policy_name);
  std::string text;
  for (const std::string& reason : blessing.reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

std::string line_of(const WeightChange& change) {
  const std::string more = change.count > 1 ? ", first " + change.first : "";
  return fmt::format("{} {}: {}{}", plural(change.count, "weight"), change.what, change.names,
                     more);
}

std::string line_of(const CaseChange& change) {
  if (change.what == "added" || change.what == "removed")
    return fmt::format("case {} {}", change.case_name, change.what);
  if (change.what == "inputs") return fmt::format("case {} has other inputs", change.case_name);
  return fmt::format("case {}: {} {} -> {}", change.case_name, change.what, or_none(change.before),
                     or_none(change.after));
}

std::string line_of(const TapChange& change) {
  std::string text = plural(change.taps, "tap");
  if (change.what == "order") {
    text += " in another order";
  } else if (change.what == "dtype") {
    text += " of another dtype";
  } else if (change.what == "stored") {
    text += " stored otherwise";
  } else {
    text += " " + change.what;
  }
  text += ": " + change.layers + ", first " + text_of(change.first);
  if (!change.before.empty() || !change.after.empty())
    text += fmt::format(" ({} -> {})", or_none(change.before), or_none(change.after));
  return text;
}

std::string line_of(const LogitsChange& change) {
  return fmt::format("logits {}: {}; {} ({} decided) at {}, KL mean {} max {} nat",
                     text_of(change.place), run::name(change.verdict), plural(change.flips, "flip"),
                     change.decided_flips, plural(change.positions, "position"),
                     short_number(change.kl_mean), short_number(change.kl_max));
}

std::string truth_cell(const ValueChange& change) {
  if (change.with_truth == 0) return {};
  return fmt::format("{} better, {} worse of {}", change.better, change.worse, change.with_truth);
}

std::string places_line(const ValueChange& change) {
  if (change.measured == 0) return {};
  return fmt::format("{} {}: largest nrmse {} at {}, most ulp of {} {} at {}",
                     run::name(change.verdict), change.layers, short_number(change.nrmse),
                     text_of(change.nrmse_at), tensor::name(change.dtype),
                     short_count(static_cast<double>(change.max_ulp)), text_of(change.max_ulp_at));
}

std::string identical_line(const Blessing& blessing) {
  return fmt::format("{} of {} identical", blessing.identical, plural(blessing.compared, "tap"));
}

}  // namespace parity::report
