#include "cli/run_flags.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "cli/flag_texts.h"
#include "error/error.h"

namespace parity::cli {
namespace {

int threads_of(int typed) {
  const unsigned cores = available_cores();
  if (typed < 1 || typed > most_threads(cores)) {
    throw Error(ErrorKind::usage, "--threads takes 1 to " + std::to_string(most_threads(cores)) +
                                      " on this machine of " + std::to_string(cores) +
                                      (cores == 1 ? " core" : " cores") + ", not " +
                                      std::to_string(typed));
  }
  return typed;
}

/// "0" or "cuda:0"; whether it is there is the model's to say.
std::string gpu_name(const std::string& typed) {
  const std::string number = typed.starts_with("cuda:") ? typed.substr(5) : typed;
  const bool is_number = !number.empty() && number.size() <= 3 &&
                         number.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) {
    throw Error(ErrorKind::usage,
                "--devices takes numbers of GPUs, as 0,1 or cuda:0,cuda:1 (ROCm "
                "devices are called cuda too), not '" +
                    typed + "'");
  }
  return "cuda:" + std::to_string(std::stoi(number));
}

std::vector<std::string> gpu_names(const std::vector<std::string>& typed) {
  std::vector<std::string> names;
  for (const std::string& one : typed) {
    names.push_back(gpu_name(one));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      throw Error(ErrorKind::usage, "--devices names " + names.back() + " twice");
  }
  return names;
}

/// "8GB" is 8 000 000 000, "8GiB" a little more; nullopt for what is no size, or none at all.
std::optional<std::uint64_t> bytes_of(const std::string& typed) {
  // A sign would be taken, and a negative number for a very large one.
  if (typed.empty() || std::isdigit(static_cast<unsigned char>(typed.front())) == 0)
    return std::nullopt;
  std::string bytes = typed;
  try {
    if (!CLI::AsSizeValue(/*kb_is_1000=*/true)(bytes).empty()) return std::nullopt;
    const std::uint64_t size = std::stoull(bytes);
    return size > 0 ? std::optional(size) : std::nullopt;
  } catch (const CLI::ValidationError&) {
    return std::nullopt;  // a unit that is none
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

run::WeightStreaming streaming_of(const std::string& typed) {
  if (typed == "auto") return {};
  if (const auto bytes = bytes_of(typed)) return {*bytes};
  throw Error(ErrorKind::usage,
              "--stream-weights takes the memory that weights may have on a "
              "device, as 8GB or 500MB, not '" +
                  typed + "'");
}

}  // namespace

void add_run_flags(CLI::App& command, RunFlags& flags) {
  command.add_option("--config", flags.config,
                     "config.json of the architecture, for a bare state_dict");
  command.add_option("--state-key", flags.state_key,
                     "Dotted key of the state_dict inside the file");
  command.add_option("--method", flags.method, "TorchScript method to run instead of forward");
  command.add_option("--library", flags.libraries,
                     "Custom operator libraries (.so), loaded before the model");
  CLI::Option* device = command
                            .add_option("--device", flags.device,
                                        "auto, cpu, cuda or cuda:N (ROCm devices are called cuda "
                                        "too)")
                            ->capture_default_str();
  command
      .add_option("--devices", flags.devices,
                  "Spread the layers of bare weights over these GPUs, as 0,1")
      ->delimiter(',')
      ->excludes(device);
  command.add_flag("--stream-weights{auto}", flags.stream_weights,
                   "Bring bare weights to the device layer by layer, as many as fit into SIZE "
                   "(--stream-weights=8GB) or two at a time");
  command
      .add_option("--dtype", flags.dtype,
                  "Cast weights and inputs: keep, float32, bfloat16, float16, float64 (default: "
                  "keep; compare: the "
                  "golden's)")
      ->check(CLI::IsMember({"keep", "float32", "bfloat16", "float16", "float64"}));
  command
      .add_option("--fp32-precision", flags.fp32_precision,
                  "Of float32 matmul and convolution: ieee or tf32")
      ->check(CLI::IsMember({"ieee", "tf32"}))
      ->capture_default_str();
  command.add_option("--sdpa", flags.sdpa, "Attention kernel: math, flash, efficient or default")
      ->check(CLI::IsMember({"math", "flash", "efficient", "default"}))
      ->capture_default_str();
  command.add_option("--threads", flags.threads,
                     "CPU threads of one operator, at most 4 for each core or 64 (default: the "
                     "library's choice)");
  command.add_flag("--deterministic", flags.deterministic, "Deterministic algorithms only");
}

model::Source source_of(const RunFlags& flags) {
  model::Source source;
  source.model = flags.model;
  source.config = flags.config;
  source.state_key = flags.state_key;
  source.method = flags.method;
  source.libraries.assign(flags.libraries.begin(), flags.libraries.end());
  // Standard output is the report's.
  source.printed = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
  for (const std::filesystem::path& file : {source.model, source.config}) {
    std::error_code ignored;
    if (!file.empty() && !std::filesystem::is_regular_file(file, ignored)) {
      throw Error(ErrorKind::usage, "there is no file " + file.string());
    }
  }
  return source;
}

run::Settings settings_of(const RunFlags& flags) {
  run::Settings settings;
  settings.device = flags.device;
  settings.devices = gpu_names(flags.devices);
  if (!settings.devices.empty()) settings.device = settings.devices.front();
  if (!flags.stream_weights.empty()) settings.streaming = streaming_of(flags.stream_weights);
  if (!flags.dtype.empty() && flags.dtype != "keep")
    settings.dtype = tensor::dtype_from_name(flags.dtype);
  settings.fp32_precision =
      flags.fp32_precision == "tf32" ? run::Fp32Precision::tf32 : run::Fp32Precision::ieee;
  if (flags.sdpa == "math") settings.sdpa = run::Sdpa::math;
  if (flags.sdpa == "flash") settings.sdpa = run::Sdpa::flash;
  if (flags.sdpa == "efficient") settings.sdpa = run::Sdpa::efficient;
  settings.deterministic = flags.deterministic ? run::Determinism::on : run::Determinism::off;
  if (flags.threads) settings.threads = threads_of(*flags.threads);
  return settings;
}

run::TapDepth tap_depth_of(const std::string& text) {
  return text == "ops" ? run::TapDepth::ops : run::TapDepth::modules;
}

}  // namespace parity::cli
