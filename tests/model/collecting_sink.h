// A tap sink for tests that keeps every tap in host memory, in execution order and by full name.
// Copies at once through plain memory, so it fits any model on the CPU; it refuses to know which
// model ran.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/tap_stream.h"
#include "tensor/host_tensor.h"

namespace parity::model {

class CollectingSink final : public run::TapSink {
 public:
  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    VectorBuffer buffer(value.size_bytes());
    value.start_copy(buffer)->wait();
    const std::string name = run::to_string(id);
    ids.push_back(id);
    names.push_back(name);
    tensors.insert_or_assign(
        name, tensor::HostTensor(value.dtype(), value.shape(), std::move(buffer.storage)));
  }

  void on_skipped(const run::TapId& id, const std::string& reason) override {
    skipped.emplace_back(run::to_string(id), reason);
  }

  std::vector<run::TapId> ids;                               ///< in execution order
  std::vector<std::string> names;                            ///< run::to_string of each
  std::map<std::string, tensor::HostTensor> tensors;         ///< by that name
  std::vector<std::pair<std::string, std::string>> skipped;  ///< name, reason

 private:
  struct VectorBuffer final : run::HostBuffer {
    explicit VectorBuffer(std::size_t size_bytes) : storage(size_bytes) {}
    [[nodiscard]] std::span<std::byte> bytes() override { return storage; }
    std::vector<std::byte> storage;
  };
};

}  // namespace parity::model
