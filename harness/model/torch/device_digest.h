// Private to model/: sums for the digest of a tensor, worked out on the GPU where it lies, so that
// a sixteenth of its bytes has to come to the host.
#pragma once

#include <ATen/core/Tensor.h>

namespace parity::model {

/// Whether device_block_sums() takes this tensor: on a GPU whose own sums have been found right
/// once per process, large enough to be worth it, and in the stream that everything runs in.
[[nodiscard]] bool digests_on_device(const at::Tensor& tensor);

/// The sums of tensor::block_sum_layout() as bytes on the tensor's device, of its values in
/// row-major order; queued, not waited for.
[[nodiscard]] at::Tensor device_block_sums(const at::Tensor& tensor);

}  // namespace parity::model
