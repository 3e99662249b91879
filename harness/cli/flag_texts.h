// Texts that flags take, checked before any work: what the parser lets through but no command can
// use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace parity::cli {

inline constexpr const char* kNoProbesText =
    "Leave out the numeric probes, which show by small computations which arithmetic the device "
    "does (up to a second on a GPU)";

/// Most that --threads takes on a machine of `cores` cores: four for each, and 64 at least. Some
/// thousands of threads take hours over what one does in seconds.
[[nodiscard]] int most_threads(unsigned cores);

/// Cores that this process may run on.
[[nodiscard]] unsigned available_cores();

/// A seed as the generators take it: 0 to 2^64 - 1. Throws Error(usage) for anything else.
[[nodiscard]] std::uint64_t seed_of(const std::string& text);

/// Throws Error(usage) for a glob that can match nothing as it was meant: with a control character,
/// with bytes that are no UTF-8, or with a '[' that no ']' closes.
void check_globs(const std::string& flag, const std::vector<std::string>& globs);

/// Throws Error(usage) naming the first flag of the parsed `command` that was given an empty text,
/// as an unset variable of a script gives it: no flag means anything by one.
void check_nothing_empty(const CLI::App& command);

}  // namespace parity::cli
