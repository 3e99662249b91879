#include "pipeline/shard/shard_choice.h"

#include <charconv>
#include <string_view>

#include "error/error.h"
#include "host/launcher.h"
#include "host/system.h"

namespace parity::pipeline {
namespace {

constexpr std::string_view kAuto = "auto";

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::usage,
              "--shard takes auto, auto/N or I/N with I from 0 to N-1 and N up to " +
                  std::to_string(run::kMostShards) + ", not '" + text + "'");
}

std::size_t number_of(std::string_view part, const std::string& text) {
  std::size_t value = 0;
  const auto result = std::from_chars(part.data(), part.data() + part.size(), value);
  if (result.ec != std::errc{} || result.ptr != part.data() + part.size() ||
      value > run::kMostShards) {
    refuse(text);
  }
  return value;
}

/// Who names the part has no launcher, or one that is not asked: what its variables say wrongly is
/// no reason to stop.
std::optional<std::size_t> local_rank_if_any(const host::Environment& environment) {
  try {
    return host::local_rank(environment);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

ShardChoice shard_choice_of(const std::string& text,
                            const std::map<std::string, std::string>& environment) {
  const std::size_t slash = text.find('/');
  const std::string_view first = std::string_view(text).substr(0, slash);
  std::optional<std::size_t> count;
  if (slash != std::string::npos) {
    count = number_of(std::string_view(text).substr(slash + 1), text);
    if (*count == 0) refuse(text);
  }
  if (first == kAuto)
    return {host::launched_shard(environment, count), host::local_rank(environment)};
  if (!count) refuse(text);
  const std::size_t index = number_of(first, text);
  if (index >= *count) refuse(text);
  return {{index, *count}, local_rank_if_any(environment)};
}

ShardChoice shard_choice_of(const std::string& text) {
  return shard_choice_of(text, host::System::own().environment());
}

std::filesystem::path shard_path(const std::filesystem::path& golden, const run::Shard& shard) {
  const std::string part =
      ".shard-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
  return golden.parent_path() / (golden.stem().string() + part + golden.extension().string());
}

}  // namespace parity::pipeline
