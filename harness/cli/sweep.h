// `record --sweep`: one generator of inputs at many batch sizes and lengths, where kernels change
// over. Puts sizes into texts: knows where a generator's shape stands, not what it makes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/record/record.h"

namespace parity::cli {

struct SweepSizes {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> lengths;
  /// Whether a case that the model is not made for (a length beyond its positions) may be left out:
  /// so for the built-in sizes, not for those that were asked for.
  pipeline::Need need = pipeline::Need::required;
};

/// The text of --sweep: "edges" for 1, 3, 4, 8 rows at lengths 1, 31, 32, 33, 127, 128, 129, 1025,
/// which are at and around the edges of the tiles and vectors of GPU kernels; or ROWSxLENGTHS, each
/// a list such as 1,8x1,128. Throws Error(usage) for anything else.
[[nodiscard]] SweepSizes sweep_sizes_of(const std::string& text);

/// One case for each size of each of `inputs` ([NAME=]GENERATOR): a `B` among the sizes of a shape
/// stands for the rows, an `L` for the length. None given: tokens:BxL. The case is named after the
/// generator as it then reads, or NAME:ROWSxLENGTH. Throws Error(usage) for a text with neither.
[[nodiscard]] std::vector<pipeline::CaseInput> sweep_cases(const std::vector<std::string>& inputs,
                                                           const SweepSizes& sizes);

}  // namespace parity::cli
