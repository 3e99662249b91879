#include "report/words/tap_text.h"

#include <fmt/format.h>

#include "report/terminal/decode_section.h"
#include "report/terminal/page.h"
#include "report/terminal/tap_rows.h"
#include "report/words/numbers.h"
#include "report/words/tap_details.h"

namespace parity::report {
namespace {

constexpr int kWorstElements = 3;

Page wide_page() { return Page({Show::all, Color::off, kGreatestWidth, kWorstElements}); }

}  // namespace

std::string figures_text(const Tap& tap) {
  if (!tap.facts) return "";
  const std::vector<std::string> cells = tap_figures(*tap.facts);
  std::string text = fmt::format(
      "nrmse {}, largest error {} of the rms, {} ulp p50 {} p99 {} max {}, relative p99 {} max {}, "
      "{} % exact",
      cells.at(6), short_number(tap.facts->max_error_over_rms), tensor::name(tap.facts->ulp.dtype),
      cells.at(0), cells.at(1), cells.at(2), cells.at(3), cells.at(4), cells.at(5));
  if (tap.introduced) {
    text += fmt::format("; introduces nrmse {} by itself", short_number(tap.introduced->nrmse));
  }
  return text;
}

std::string tap_text(const Tap& tap) {
  Page page = wide_page();
  add_tap_details(page, tap, "", kWorstElements);
  if (tap.facts) page.wrapped("      ", figures_text(tap));
  return page.text();
}

std::string logits_text(const Logits& logits) {
  Page page = wide_page();
  add_logits(page, logits, "");
  return page.text();
}

std::string decode_text(const Case& item) {
  Page page = wide_page();
  add_decode(page, item, "");
  return page.text();
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

std::string absent_or(const std::string& value) { return value.empty() ? "(absent)" : value; }

}  // namespace parity::report
