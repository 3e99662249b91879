// Faults of arithmetic: what a wrong scale, a lost bit or a NaN does to the values of a tensor.
// Each returns a spoilt copy and judges nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/host_tensor.h"

namespace parity::fault {

[[nodiscard]] tensor::HostTensor scaled(const tensor::TensorView& tensor, double factor);
[[nodiscard]] tensor::HostTensor moved(const tensor::TensorView& tensor, double offset);
[[nodiscard]] tensor::HostTensor filled(const tensor::TensorView& tensor, double value);
/// Every finite value brought between -limit and limit.
[[nodiscard]] tensor::HostTensor clamped(const tensor::TensorView& tensor, double limit);
/// Values as a dtype with so many bits of significand holds them, whatever its range.
[[nodiscard]] tensor::HostTensor cut_to_bits(const tensor::TensorView& tensor, int bits);
/// Values below the dtype's smallest normal one become zero.
[[nodiscard]] tensor::HostTensor flushed(const tensor::TensorView& tensor);

/// One index of the last dimension, in every row, times `factor`.
[[nodiscard]] tensor::HostTensor with_scaled_column(const tensor::TensorView& tensor,
                                                    std::size_t column, double factor);
/// `size` times the tensor's rms added to the number in the middle.
[[nodiscard]] tensor::HostTensor with_spike(const tensor::TensorView& tensor, double size);
/// One bit of the pattern of one number turned round, 0 being the lowest.
[[nodiscard]] tensor::HostTensor with_bit_flipped(const tensor::TensorView& tensor,
                                                  std::size_t place, unsigned bit);

/// Every finite number one step of its dtype up or down, by a coin that depends on its place alone.
[[nodiscard]] tensor::HostTensor with_rounding_noise(const tensor::TensorView& tensor);

/// The place of the largest finite magnitude; 0 where there is none.
[[nodiscard]] std::size_t largest_place(const tensor::TensorView& tensor);

/// Reproducible numbers without order: the same for the same place on every machine.
[[nodiscard]] std::uint64_t mixed(std::uint64_t place);

}  // namespace parity::fault
