// The taps of one case of a golden, for a run that needs the values while they are compared.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

#include "golden_store/golden_reader.h"
#include "run/recording.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline {

/// Reads each tap once for the run that is forced to go on with it and the comparison that follows.
/// May be used from both threads.
class ReferenceTaps {
 public:
  ReferenceTaps(const golden_store::GoldenReader& golden, std::size_t case_index)
      : golden_(golden), case_index_(case_index) {}

  [[nodiscard]] const run::CaseRecord& record() const { return golden_.cases()[case_index_]; }

  /// Reads a tap that take() will be asked for later, and keeps it until then.
  [[nodiscard]] tensor::HostTensor read_ahead(std::size_t place);
  /// The stored part of a tap, from memory where it was read ahead.
  [[nodiscard]] tensor::HostTensor take(std::size_t place);

 private:
  const golden_store::GoldenReader& golden_;
  const std::size_t case_index_;
  std::mutex mutex_;
  std::map<std::size_t, tensor::HostTensor> ahead_;
};

}  // namespace parity::pipeline
