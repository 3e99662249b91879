#include "pipeline/history/history.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <span>

#include <sys/stat.h>

#include "error/error.h"
#include "pipeline/stored/stored_report.h"
#include "report/words/text.h"
#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

std::int64_t now_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

/// When the file was last written.
std::int64_t written_s(const std::filesystem::path& file) {
  struct stat facts {};
  return stat(file.c_str(), &facts) == 0 ? static_cast<std::int64_t>(facts.st_mtime) : now_s();
}

std::string digest_text(const std::string& text) {
  return tensor::to_hex(tensor::digest_of(std::as_bytes(std::span(text))));
}

/// "https" of "HTTPS://host/"; empty for a path.
std::string scheme_of(const std::string& link) {
  const std::size_t colon = link.find(':');
  if (colon == std::string::npos || link.find_first_of("/?#") < colon) return "";
  std::string scheme = link.substr(0, colon);
  for (char& c : scheme) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return scheme;
}

/// Browsers leave out spaces and control characters around and within an address, take "\" for "/"
/// and "//host" for an address on another host.
bool reads_otherwise_in_a_browser(const std::string& link) {
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(link.begin(), link.end(), is_odd)) return true;
  if (!link.empty() && (link.front() == ' ' || link.back() == ' ')) return true;
  const auto is_slash = [&](std::size_t i) {
    return i < link.size() && (link[i] == '/' || link[i] == '\\');
  };
  return is_slash(0) && is_slash(1);
}

/// A link is shown as one: none that a browser would run, or follow to where it does not say.
void check_link(const std::string& link) {
  const std::string scheme = scheme_of(link);
  const bool known = scheme.empty() || scheme == "http" || scheme == "https" || scheme == "file";
  if (known && !reads_otherwise_in_a_browser(link)) return;
  constexpr std::size_t kMostShown = 100;
  throw Error(ErrorKind::usage, "--link " + report::clean(link.substr(0, kMostShown)) +
                                    (link.size() > kMostShown ? "..." : "") +
                                    " is neither a path nor an http, https or file address; name "
                                    "where the report lies");
}

AddedNight added(const NightRequest& request, history::Run run, std::string sentence) {
  run.series = request.series;
  run.link = request.link;
  AddedNight result{history::add(request.database, run), run.time_s, std::move(sentence)};
  return result;
}

}  // namespace

AddedNight add_report(const NightRequest& request, const std::filesystem::path& report) {
  check_link(request.link);
  const StoredReport stored = read_stored_report(report);
  history::Run run = night_of(stored.report);
  run.time_s = request.time_s.value_or(written_s(report));
  run.digest = digest_text(stored.text);
  const bool passed = run.gate == history::Gate::passed;
  return added(request, std::move(run), passed ? "gate passed" : "gate failed");
}

AddedNight add_no_report(const NightRequest& request, const std::optional<int>& exit_code,
                         const std::string& reason) {
  check_link(request.link);
  if (exit_code == 0 || exit_code == 1) {
    throw Error(ErrorKind::usage, "exit code " + std::to_string(*exit_code) +
                                      " comes with a report; add that instead of --no-report");
  }
  history::Run run;
  run.state = !exit_code        ? history::State::not_run
              : *exit_code == 2 ? history::State::no_judgement
                                : history::State::infrastructure;
  run.exit_code = exit_code;
  run.reason = reason;
  run.time_s = request.time_s.value_or(now_s());
  run.digest =
      digest_text(std::string(history::text(run.state)) + '\0' + std::to_string(run.time_s) + '\0' +
                  std::to_string(exit_code.value_or(-1)) + '\0' + reason);
  const std::string state = history::text(run.state);
  return added(request, std::move(run), state);
}

std::vector<history::Timeline> read_timelines(const std::filesystem::path& database,
                                              const std::string& series,
                                              const std::optional<std::int64_t>& now,
                                              std::size_t told) {
  std::vector<history::Timeline> timelines;
  for (history::Series& item : history::read(database, series, told))
    timelines.push_back(history::timeline_of(std::move(item), now.value_or(now_s()), told));
  return timelines;
}

}  // namespace parity::pipeline
