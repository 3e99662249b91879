// Test tool: runs exported programs and writes what every tap saw to a file that a script can read.
// One job file, many runs: starting LibTorch costs more than a small model.
//
// Usage: exported_dump JOBS.json. JOBS.json is a list of {"model", "out"} and perhaps "config" (of
// a bare state_dict), "inputs" (as --inputs takes them; else the file's own sample inputs),
// "dtype", "depth" ("ops"), "instrumentation" ("outputs_only"). "out" gets one JSON line per tap
// (name, dtype, shape, offset, size), "out".bin their bytes, "out".notes the model's notes. A
// refused job gets the single line
// {"error": "..."}.
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/inputs.h"
#include "model/model.h"
#include "model/tap_dump.h"

namespace parity::model {
namespace {

using nlohmann::json;

run::Settings settings_of(const json& job) {
  run::Settings settings;
  settings.device = "cpu";
  settings.threads = 1;
  if (job.contains("dtype"))
    settings.dtype = tensor::dtype_from_name(job.at("dtype").get<std::string>());
  if (job.value("depth", "modules") == "ops") settings.taps = run::TapDepth::ops;
  return settings;
}

void run_job(const json& job) {
  const auto out = job.at("out").get<std::string>();
  try {
    Source source;
    source.model = job.at("model").get<std::string>();
    source.config = job.value("config", "");
    const auto model = open_model(source, settings_of(job));
    const tensor::Value inputs =
        job.contains("inputs")
            ? load_inputs(job.at("inputs").get<std::string>(), 0, model->vocabulary())
            : sample_inputs(source.model);
    CollectingSink sink;
    // Twice, so that what a run leaves behind would show.
    const bool taps = job.value("instrumentation", "taps") == "taps";
    for (int i = 0; i < 2; ++i) {
      sink = {};
      model->run(inputs, taps ? Instrumentation::taps : Instrumentation::outputs_only, sink);
    }
    write_taps(sink, out);
    std::ofstream notes(out + ".notes");
    for (const std::string& note : model->notes()) notes << note << '\n';
  } catch (const Error& error) {
    std::ofstream(out) << json{{"error", error.what()}}.dump() << '\n';
  }
}

}  // namespace
}  // namespace parity::model

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: exported_dump JOBS.json\n";
    return 2;
  }
  const auto jobs = nlohmann::json::parse(std::ifstream(argv[1]));
  for (const auto& job : jobs) parity::model::run_job(job);
  return 0;
}
