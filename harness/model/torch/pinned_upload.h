// Private to model/: mapped host memory to a device through two pinned buffers, so that reading the
// file and copying to the device overlap. The device-neutral interface of torch alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/thread_pool.h>

namespace parity::model {

/// `host`, or where its elements do not lie side by side, a copy of which they do: what can be
/// moved as one run of bytes. Its strides are the ones that Tensor::to() gives on another device,
/// for a product of other strides may take another kernel.
[[nodiscard]] at::Tensor in_one_piece(const at::Tensor& host);

/// For one GPU and one thread.
class PinnedUpload {
 public:
  /// Starts threads, but allocates nothing yet; two pinned buffers of `buffer_bytes` with the first
  /// copy.
  explicit PinnedUpload(const c10::Device& device,
                        std::int64_t buffer_bytes = std::int64_t{64} << 20U);

  /// `host` on the device with the strides of in_one_piece(), in the order of the device's current
  /// stream: what is queued there next finds it complete. Throws c10::Error where memory, pinned or
  /// of the device, is not to be had.
  [[nodiscard]] at::Tensor copy(const at::Tensor& host);

 private:
  struct Buffer {
    at::Tensor memory;               ///< pinned bytes
    std::optional<c10::Event> free;  ///< behind the last copy out of it
  };
  [[nodiscard]] Buffer& next_buffer();
  void copy_bytes(std::byte* to, const std::byte* from, std::int64_t size);

  c10::Device device_;
  std::int64_t buffer_bytes_;
  std::unique_ptr<c10::ThreadPool> threads_;  ///< memory is faster than one of them
  std::array<Buffer, 2> buffers_;
  std::size_t next_ = 0;
};

}  // namespace parity::model
