// Results of a command, written in the order in which least is lost: files first, standard output
// last, and none of them lost for another that cannot be written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace parity::cli {

/// A text and where it goes: a file, "-" for standard output, nowhere where the path is empty.
struct Output {
  std::string path;
  std::function<std::string()> text;
};

/// Writes every output that can be written. `shown` is printed behind them, unless --quiet or an
/// output has standard output. Throws the first failure, Error(resource), once all were tried.
void write_results(const std::vector<Output>& outputs, const CommonFlags& common,
                   const std::function<std::string()>& shown);

}  // namespace parity::cli
