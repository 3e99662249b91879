#include "pipeline/compare/common_part.h"

#include "capture/row_selection.h"

namespace parity::pipeline {

std::optional<CommonPart> common_part(const TapData& reference, const TapData& candidate) {
  CommonPart part;
  if (reference.record.mode == run::StoreMode::rows) {
    part.rows = reference.record.rows;
  } else if (candidate.record.mode == run::StoreMode::rows) {
    part.rows = candidate.record.rows;
  }
  // One side at most holds more than these rows.
  const std::optional<tensor::TensorView> left = part_of(reference, part.rows, part.selected);
  const std::optional<tensor::TensorView> right = part_of(candidate, part.rows, part.selected);
  if (!left || !right) return std::nullopt;
  part.reference = *left;
  part.candidate = *right;
  return part;
}

std::optional<tensor::TensorView> part_of(const TapData& tap,
                                          const std::optional<std::vector<std::int64_t>>& rows,
                                          std::vector<std::byte>& selected) {
  switch (tap.record.mode) {
    case run::StoreMode::digest:
      return std::nullopt;
    case run::StoreMode::rows:
      if (!rows || *rows != tap.record.rows) return std::nullopt;
      return tap.stored;
    case run::StoreMode::full:
      break;
  }
  if (!rows) return tap.stored;
  selected = capture::select_rows(tap.stored, *rows);
  const std::int64_t width = tap.record.shape.empty() ? 1 : tap.record.shape.back();
  return tensor::TensorView{
      tap.record.dtype, {static_cast<std::int64_t>(rows->size()), width}, selected};
}

}  // namespace parity::pipeline
