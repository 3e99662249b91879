#include "report/json/timeline_json.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/json/schemas.h"

namespace parity::report {
namespace {

using nlohmann::ordered_json;

/// Seconds in which a thread had any span open.
double busy_s(const std::vector<run::TimelineSpan>& spans, std::size_t lane) {
  std::vector<std::pair<double, double>> times;
  for (const run::TimelineSpan& span : spans) {
    if (span.lane == lane) times.emplace_back(span.start_us, span.start_us + span.duration_us);
  }
  std::sort(times.begin(), times.end());
  double busy_us = 0.0;
  double seen_us = 0.0;
  for (const auto& [start, end] : times) {
    busy_us += std::max(0.0, end - std::max(start, seen_us));
    seen_us = std::max(seen_us, end);
  }
  return busy_us / 1e6;
}

ordered_json event(const run::TimelineSpan& span) {
  ordered_json json = {{"name", span.what},
                       {"ph", "X"},
                       {"ts", span.start_us},
                       {"dur", span.duration_us},
                       {"pid", 1},
                       {"tid", span.lane + 1},
                       {"args", ordered_json::object()}};
  if (!span.detail.empty()) json["args"]["of"] = span.detail;
  if (span.bytes > 0) json["args"]["bytes"] = span.bytes;
  return json;
}

}  // namespace

std::string timeline_json(const run::Timeline& timeline) {
  const std::vector<run::TimelineSpan> spans = timeline.spans();
  const std::vector<std::string> lanes = timeline.lanes();
  ordered_json document = {{"schema", kTimelineSchema},
                           {"displayTimeUnit", "ms"},
                           {"otherData", ordered_json::object()},
                           {"traceEvents", ordered_json::array()}};
  double end_us = 0.0;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    document["otherData"]["busy_s of " + lanes[lane]] = busy_s(spans, lane);
    document["traceEvents"].push_back({{"name", "thread_name"},
                                       {"ph", "M"},
                                       {"pid", 1},
                                       {"tid", lane + 1},
                                       {"args", {{"name", lanes[lane]}}}});
  }
  for (const run::TimelineSpan& span : spans) {
    document["traceEvents"].push_back(event(span));
    end_us = std::max(end_us, span.start_us + span.duration_us);
  }
  document["otherData"]["wall_s"] = end_us / 1e6;
  if (timeline.dropped() > 0) document["otherData"]["spans_left_out"] = timeline.dropped();
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace parity::report
