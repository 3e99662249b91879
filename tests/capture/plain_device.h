// An honest in-memory device for tests: tensors are vectors, copies happen in start_copy or,
// lazily, in wait.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "run/tap_stream.h"

namespace parity::test {

class PlainBuffer final : public run::HostBuffer {
 public:
  PlainBuffer(std::size_t size_bytes, std::atomic<std::size_t>& live_bytes)
      : bytes_(size_bytes), live_bytes_(live_bytes) {
    live_bytes_ += size_bytes;
  }
  ~PlainBuffer() override { live_bytes_ -= bytes_.size(); }
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::atomic<std::size_t>& live_bytes_;
};

class PlainAllocator final : public run::HostAllocator {
 public:
  [[nodiscard]] std::unique_ptr<run::HostBuffer> allocate(std::size_t size_bytes) override {
    ++allocations;
    auto buffer = std::make_unique<PlainBuffer>(size_bytes, live_bytes);
    peak_bytes = std::max(peak_bytes, live_bytes.load());
    return buffer;
  }

  std::atomic<std::size_t> live_bytes{0};
  std::size_t peak_bytes = 0;
  int allocations = 0;
};

class DoneTransfer final : public run::Transfer {
 public:
  void wait() override {}
};

class PlainTensor final : public run::DeviceTensor {
 public:
  PlainTensor(tensor::DType dtype, tensor::Shape shape, std::vector<std::byte> bytes)
      : dtype_(dtype), shape_(std::move(shape)), bytes_(std::move(bytes)) {}
  [[nodiscard]] tensor::DType dtype() const override { return dtype_; }
  [[nodiscard]] const tensor::Shape& shape() const override { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const override { return bytes_.size(); }
  [[nodiscard]] std::unique_ptr<run::Transfer> start_copy(
      run::HostBuffer& destination) const override {
    std::copy(bytes_.begin(), bytes_.end(), destination.bytes().begin());
    return std::make_unique<DoneTransfer>();
  }

 private:
  tensor::DType dtype_;
  tensor::Shape shape_;
  std::vector<std::byte> bytes_;
};

}  // namespace parity::test
