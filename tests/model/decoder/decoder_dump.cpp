// Test tool: runs decoders on given weights, config and token ids and writes what every tap saw to
// a file that a script can read. One job file, many runs: starting LibTorch costs more than a small
// model.
//
// Usage: decoder_dump JOBS.json. JOBS.json is a list of {"model", "config", "inputs", "out"} and
// perhaps "dtype", "depth" ("ops"), "instrumentation" ("outputs_only") and "greedy" (steps that the
// decoder chooses itself; its choice comes first, as decode_tokens). "inputs" maps a name to
// {"shape": [..], "data": [..]}. "out" gets one JSON line per tap (name, dtype, shape, offset,
// size), "out".bin their bytes. A refused job gets the single line {"error": "..."}.
#include <cstring>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/decoder/decoder_model.h"
#include "model/tap_dump.h"

namespace parity::model {
namespace {

using nlohmann::json;

tensor::Value read_inputs(const json& inputs) {
  tensor::ValueDict dict;
  for (const auto& [name, value] : inputs.items()) {
    const auto numbers = value.at("data").get<std::vector<std::int64_t>>();
    std::vector<std::byte> bytes(numbers.size() * sizeof(std::int64_t));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    tensor::HostTensor tensor(tensor::DType::int64, value.at("shape").get<tensor::Shape>(),
                              std::move(bytes));
    dict.items.emplace_back(name, tensor::Value{std::move(tensor)});
  }
  return {std::move(dict)};
}

run::Settings read_settings(const json& job) {
  run::Settings settings;
  settings.device = "cpu";
  settings.threads = 1;
  if (job.contains("dtype")) {
    settings.dtype = tensor::dtype_from_name(job.at("dtype").get<std::string>());
  }
  if (job.value("depth", "modules") == "ops") {
    settings.taps = run::TapDepth::ops;
  }
  return settings;
}

void run_job(const json& job) {
  const auto out = job.at("out").get<std::string>();
  try {
    Source source;
    source.model = job.at("model").get<std::string>();
    source.config = job.at("config").get<std::string>();
    const auto model = open_decoder(source, read_settings(job));
    const auto instrumentation = job.value("instrumentation", "taps") == "outputs_only"
                                     ? Instrumentation::outputs_only
                                     : Instrumentation::taps;
    CollectingSink sink;
    tensor::Value inputs = read_inputs(job.at("inputs"));
    if (job.contains("greedy")) {
      inputs = model->with_greedy_tokens(inputs, job.at("greedy").get<std::int64_t>());
      const auto& [name, chosen] = std::get<tensor::ValueDict>(inputs.data).items.back();
      sink.names.push_back(name);
      sink.tensors.emplace(name, std::get<tensor::HostTensor>(chosen.data));
    }
    model->run(inputs, instrumentation, sink);
    write_taps(sink, out);
  } catch (const Error& error) {
    std::ofstream(out) << json{{"error", error.what()}}.dump() << '\n';
  }
}

}  // namespace
}  // namespace parity::model

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: decoder_dump JOBS.json\n";
    return 2;
  }
  const auto jobs = nlohmann::json::parse(std::ifstream(argv[1]));
  for (const auto& job : jobs) {
    parity::model::run_job(job);
  }
  return 0;
}
