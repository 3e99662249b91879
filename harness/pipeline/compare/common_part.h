// The part of a tap that several recordings hold: all of it, or the rows that one of them stored.
// Compares nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/recording.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline {

/// A tap as one side has it: what it is, and the bytes of its stored part.
struct TapData {
  const run::TapRecord& record;
  tensor::TensorView stored;
  /// Coarsest floating dtype of the taps before it; nullopt when there is none, or it is not known.
  std::optional<tensor::DType> inherited = {};
  /// How far the tap's own side was apart in repeated runs; nullptr where it is not known.
  const run::TapNoise* noise = nullptr;
  /// What the candidate itself calls it, or the taps that it was made of; nullptr where that is the
  /// tap's name.
  const std::vector<std::string>* own_names = nullptr;
};

/// The same part of the tap from both sides.
struct CommonPart {
  tensor::TensorView reference;
  tensor::TensorView candidate;
  std::optional<std::vector<std::int64_t>> rows;  ///< nullopt: the whole tap
  std::vector<std::byte> selected;  ///< owns the bytes of the side that was cut down to rows
};

/// Of two taps of one shape with values; nullopt when the two sides stored different rows, so that
/// no element is on both.
[[nodiscard]] std::optional<CommonPart> common_part(const TapData& reference,
                                                    const TapData& candidate);

/// `rows` of a tap (nullopt: all of it) with the bytes cut out into `selected` where needed;
/// nullopt when the tap does not hold exactly these or all.
[[nodiscard]] std::optional<tensor::TensorView> part_of(
    const TapData& tap, const std::optional<std::vector<std::int64_t>>& rows,
    std::vector<std::byte>& selected);

}  // namespace parity::pipeline
