#include "cli/results.h"

#include <optional>

#include "cli/terminal.h"
#include "error/error.h"

namespace parity::cli {

void write_results(const std::vector<Output>& outputs, const CommonFlags& common,
                   const std::function<std::string()>& shown) {
  std::vector<Output> files;
  std::vector<Output> printed;
  for (const Output& output : outputs) {
    if (!output.path.empty()) (output.path == "-" ? printed : files).push_back(output);
  }
  if (printed.empty() && !common.quiet) printed.push_back({"-", shown});
  files.insert(files.end(), printed.begin(), printed.end());
  std::optional<Error> failure;
  for (const Output& output : files) {
    try {
      write_file(output.path, output.text());
    } catch (const Error& error) {
      if (!failure) failure = error;
    }
  }
  if (failure) throw Error(*failure);
}

}  // namespace parity::cli
