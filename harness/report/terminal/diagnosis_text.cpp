// Findings about a machine for a person to read: what is wrong first and whole, commands unbroken.
#include <algorithm>

#include "report/data/diagnosis.h"
#include "report/terminal/page.h"

namespace parity::report {
namespace {

using run::Level;

Tone tone_of(Level level) {
  switch (level) {
    case Level::problem:
      return Tone::bad;
    case Level::warning:
      return Tone::warning;
    case Level::ok:
      return Tone::good;
    case Level::note:
      break;
  }
  return Tone::plain;
}

std::string_view mark_of(Level level) {
  switch (level) {
    case Level::problem:
      return "X";
    case Level::warning:
      return "!";
    case Level::note:
      return "-";
    case Level::ok:
      break;
  }
  return "+";
}

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::size_t count_of(const run::Diagnosis& diagnosis, Level level) {
  return static_cast<std::size_t>(
      std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                    [&](const run::Finding& finding) { return finding.level == level; }));
}

std::string verdict_line(const run::Diagnosis& diagnosis) {
  const std::string counts = counted(count_of(diagnosis, Level::problem), "problem") + ", " +
                             counted(count_of(diagnosis, Level::warning), "warning") + ", " +
                             counted(count_of(diagnosis, Level::note), "note");
  return (exit_code_of(diagnosis) == 0 ? "READY: " : "NOT READY: ") + counts;
}

void show_remedy(Page& page, const run::Remedy& remedy) {
  if (!remedy.words.empty())
    page.wrapped("      fix  ", remedy.command.empty() ? remedy.words : remedy.words + ":");
  if (!remedy.command.empty())
    page.command(remedy.words.empty() ? "      fix  $ " : "           $ ", remedy.command);
}

void show_finding(Page& page, const run::Finding& finding) {
  page.wrapped("  " + std::string(mark_of(finding.level)) + "   ", finding.seen,
               tone_of(finding.level));
  if (!finding.why.empty()) page.wrapped("      why  ", finding.why);
  for (const run::Remedy& remedy : finding.fix) show_remedy(page, remedy);
}

bool is_shown(Level level, Show show) {
  return show == Show::all || level == Level::problem || level == Level::warning;
}

}  // namespace

int exit_code_of(const run::Diagnosis& diagnosis) {
  return run::worst(diagnosis) == Level::problem ? 3 : 0;
}

std::string to_text(const run::Diagnosis& diagnosis, const TableOptions& options) {
  Page page(options);
  page.wrapped("", verdict_line(diagnosis), tone_of(run::worst(diagnosis)));
  if (options.show == Show::summary) return page.text();
  std::string check;
  for (const run::Finding& finding : diagnosis.findings) {
    if (!is_shown(finding.level, options.show)) continue;
    if (finding.check != check) {
      page.blank();
      page.clipped(finding.check, Tone::strong);
      check = finding.check;
    }
    show_finding(page, finding);
  }
  return page.text();
}

}  // namespace parity::report
