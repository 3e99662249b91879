// Rows of a batch: inputs that hold one row of it, a batch made of one row, and where the row is
// in what a model makes of the batch.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/host_tensor.h"
#include "tensor/shape.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// Size of the first dimension of the first tensor that has one; nullopt without such a tensor.
[[nodiscard]] std::optional<std::int64_t> batch_size(const tensor::Value& inputs);

/// Row `row` of every tensor whose first dimension is `batch`; all else as it is.
[[nodiscard]] tensor::Value one_row(const tensor::Value& inputs, std::int64_t batch,
                                    std::int64_t row);

/// A batch of `rows` out of inputs of one row: the only row of every tensor whose first dimension
/// is 1, repeated. In the first such tensor that has three values or more (no mask) row I is moved
/// round by I places, so that neighbours differ and a row that sees them is seen.
[[nodiscard]] tensor::Value with_neighbours(const tensor::Value& inputs, std::int64_t rows);

/// The part of a tap of a batch of `batch` that belongs to row `row`, as the tap of shape `alone`
/// of that row run alone: along the one dimension in which the shapes differ, which is `batch`
/// times as large ([batch, ...], [tokens, batch, ...] and [batch x tokens, ...] alike). The whole
/// tap where the shapes are equal; nullopt where they differ otherwise.
[[nodiscard]] std::optional<tensor::HostTensor> row_of_batch(const tensor::TensorView& tap,
                                                             const tensor::Shape& alone,
                                                             std::int64_t batch, std::int64_t row);

}  // namespace parity::pipeline
