#include "cli/trace_file.h"

#include <utility>

#include <CLI/CLI.hpp>

#include "cli/file_kinds.h"
#include "cli/terminal.h"
#include "error/error.h"
#include "report/json/timeline_json.h"

namespace parity::cli {

void add_trace_flag(CLI::App& command, std::string& file) {
  command.add_option("--trace", file,
                     "Write what every thread did and when, as chrome://tracing and "
                     "ui.perfetto.dev show it");
}

TraceFile::TraceFile(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  check_replaces({"--trace", file_}, kTimelineFile);
  timeline_ = std::make_unique<run::Timeline>();
  run::name_timeline_lane("model");
}

void TraceFile::write() {
  if (timeline_ == nullptr) return;
  const std::string text = report::timeline_json(*timeline_);
  timeline_.reset();
  write_file(file_, text);
}

TraceFile::~TraceFile() {
  try {
    write();
  } catch (const Error& error) {
    warn(std::string("parity: ") + error.what());
  }
}

}  // namespace parity::cli
