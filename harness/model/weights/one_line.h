// Messages that quote foreign files: their names may hold line breaks, terminal codes or megabytes.
// Private to the readers of weights and inputs; applied where their errors leave the folder.
#pragma once

#include <string>
#include <string_view>

#include "error/error.h"

namespace parity::model {

/// The text without control characters, cut to a length that a person reads.
[[nodiscard]] std::string one_line(std::string_view text);

/// Runs `body`; the text of a parity::Error that it throws becomes one line.
template <typename Body>
auto with_one_line_errors(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error(error.kind(), one_line(error.what())).with_detail(error.detail());
  }
}

}  // namespace parity::model
