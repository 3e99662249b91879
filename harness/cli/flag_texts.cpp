#include "cli/flag_texts.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include <CLI/CLI.hpp>

#include "error/error.h"
#include "report/words/text.h"
#include "run/glob.h"

namespace parity::cli {
int most_threads(unsigned cores) {
  constexpr unsigned kPerCore = 4;
  constexpr unsigned kAlwaysAllowed = 64;
  constexpr unsigned kManyCores = 4096;
  return static_cast<int>(std::max(kPerCore * std::min(cores, kManyCores), kAlwaysAllowed));
}

unsigned available_cores() { return std::max(std::thread::hardware_concurrency(), 1U); }

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, seed);
  if (result.ec != std::errc{} || result.ptr != end) {
    throw Error(ErrorKind::usage,
                "--seed takes a whole number from 0 to 18446744073709551615, not '" + text + "'");
  }
  return seed;
}

void check_globs(const std::string& flag, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    if (report::clean(glob) != glob) {
      throw Error(ErrorKind::usage, flag +
                                        " has a glob with a control character or with bytes "
                                        "that are no UTF-8; no layer is called so");
    }
    if (const std::string fault = run::Glob(glob).fault(); !fault.empty()) {
      throw Error(ErrorKind::usage, "the glob '" + glob + "' of " + flag + " " + fault +
                                        "; write [[] for a '[' itself");
    }
  }
}

void check_nothing_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& texts = option->results();
    if (std::find(texts.begin(), texts.end(), "") != texts.end()) {
      throw Error(ErrorKind::usage,
                  option->get_name() + " was given an empty text; give it a value or leave it out");
    }
  }
}

}  // namespace parity::cli
