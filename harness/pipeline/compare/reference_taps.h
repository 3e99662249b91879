// The taps of one recorded case, for a run that needs the values while they are compared. Knows
// neither the run nor the comparison, only the order in which they ask.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "run/recording.h"
#include "run/timeline.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline {

/// Reads each tap once for the run that is forced to go on with it and the comparison that follows.
/// May be used from both threads.
class TapValues {
 public:
  virtual ~TapValues() = default;
  TapValues() = default;
  TapValues(const TapValues&) = delete;
  TapValues& operator=(const TapValues&) = delete;

  /// In execution order.
  [[nodiscard]] virtual const std::vector<run::TapRecord>& taps() const = 0;

  /// Reads a tap that take() will be asked for later, and keeps it until then.
  [[nodiscard]] tensor::HostTensor read_ahead(std::size_t place);
  /// The same of a tap that was read already.
  void put_ahead(std::size_t place, tensor::HostTensor tap);
  /// The stored part of a tap, from memory where it was read ahead.
  [[nodiscard]] tensor::HostTensor take(std::size_t place);

 private:
  /// One thread at a time.
  [[nodiscard]] virtual tensor::HostTensor read(std::size_t place) = 0;

  std::mutex mutex_;
  std::map<std::size_t, tensor::HostTensor> ahead_;
};

/// Those of a golden.
class ReferenceTaps final : public TapValues {
 public:
  ReferenceTaps(const golden_store::GoldenReader& golden, std::size_t case_index)
      : golden_(golden), case_index_(case_index) {}

  [[nodiscard]] const run::CaseRecord& record() const { return golden_.cases()[case_index_]; }
  [[nodiscard]] const std::vector<run::TapRecord>& taps() const override { return record().taps; }

 private:
  [[nodiscard]] tensor::HostTensor read(std::size_t place) override {
    const run::WorkSpan span("read");
    return golden_.read_tap(case_index_, place);
  }

  const golden_store::GoldenReader& golden_;
  const std::size_t case_index_;
};

/// Those of a golden that is still being written.
class RecordedTaps final : public TapValues {
 public:
  RecordedTaps(golden_store::GoldenWriter& writer, std::size_t case_index)
      : writer_(writer), case_index_(case_index) {}

  [[nodiscard]] const std::vector<run::TapRecord>& taps() const override {
    return writer_.taps(case_index_);
  }

 private:
  [[nodiscard]] tensor::HostTensor read(std::size_t place) override {
    return writer_.read_back(case_index_, place);
  }

  golden_store::GoldenWriter& writer_;
  const std::size_t case_index_;
};

}  // namespace parity::pipeline
