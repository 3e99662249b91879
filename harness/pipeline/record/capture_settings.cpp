#include "pipeline/record/capture_settings.h"

#include <charconv>
#include <string_view>

#include "error/error.h"

namespace parity::pipeline {
namespace {

// Globs are joined by a line break, which no layer path contains.
std::string joined(const std::vector<std::string>& globs) {
  std::string text;
  for (const std::string& glob : globs) text += (text.empty() ? "" : "\n") + glob;
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> globs;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    globs.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return globs;
}

[[noreturn]] void malformed(std::string_view key, std::string_view value) {
  throw Error(ErrorKind::store, "the golden's provenance has the unknown value '" +
                                    std::string(value) + "' for " + std::string(key) +
                                    "; it was written by another version of parity");
}

}  // namespace

void record_capture(run::Provenance& provenance, const run::Settings& settings,
                    const TapChoice& taps) {
  provenance.set("switch.dtype",
                 settings.dtype ? std::string(tensor::name(*settings.dtype)) : "keep");
  provenance.set("capture.taps", run::to_string(settings.taps));
  provenance.set("capture.layers", joined(taps.layers));
  provenance.set("capture.skip", joined(taps.skip));
  provenance.set("capture.seed", std::to_string(settings.seed));
}

run::Settings replay_settings(run::Settings settings, const ReplayOverrides& overrides,
                              const run::Provenance& golden) {
  const std::string_view dtype = golden.get("switch.dtype");
  if (overrides.dtype == DtypeSource::golden && dtype != "keep" && !dtype.empty()) {
    settings.dtype = tensor::dtype_from_name(dtype);
    if (!settings.dtype) malformed("switch.dtype", dtype);
  }
  const std::string_view taps = golden.get("capture.taps");
  if (overrides.taps) {
    settings.taps = *overrides.taps;
  } else if (taps == "ops") {
    settings.taps = run::TapDepth::ops;
  } else if (taps == "modules" || taps.empty()) {
    settings.taps = run::TapDepth::modules;
  } else {
    malformed("capture.taps", taps);
  }
  const std::string_view seed = golden.get("capture.seed");
  if (overrides.seed) {
    settings.seed = *overrides.seed;
  } else if (!seed.empty()) {
    const auto result = std::from_chars(seed.data(), seed.data() + seed.size(), settings.seed);
    if (result.ec != std::errc{} || result.ptr != seed.data() + seed.size())
      malformed("capture.seed", seed);
  }
  return settings;
}

TapChoice replay_taps(const ReplayOverrides& overrides, const run::Provenance& golden) {
  return {overrides.layers.value_or(split(golden.get("capture.layers"))),
          overrides.skip.value_or(split(golden.get("capture.skip")))};
}

void refuse_unmatched_globs(const std::vector<std::string>& globs) {
  if (globs.empty()) return;
  throw Error(ErrorKind::usage,
              "the glob '" + globs.front() +
                  "' of --layers or --skip matches no tap of this model; `*` does not cross a "
                  "dot, `**` does");
}

}  // namespace parity::pipeline
