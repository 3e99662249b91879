// Where the truth of a comparison comes from: the reference's golden itself, or another one that
// was recorded in higher precision.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden_store/golden_reader.h"
#include "pipeline/compare/tap_places.h"
#include "pipeline/compare/weights_check.h"
#include "run/recording.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline {

/// The truth taps of one case, read one at a time.
class TruthTaps {
 public:
  /// The truth of the case where it has one, else the taps that were recorded.
  TruthTaps(const golden_store::GoldenReader& golden, std::size_t case_index);

  /// nullptr where the truth has no such tap.
  [[nodiscard]] const run::TapRecord* find(const run::TapId& id) const;
  /// Of a tap that find() knows.
  [[nodiscard]] tensor::HostTensor read(const run::TapId& id) const;
  [[nodiscard]] const std::vector<run::TapRecord>& taps() const;
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  [[nodiscard]] const run::CaseRecord& record() const { return golden_.cases()[case_index_]; }

  const golden_store::GoldenReader& golden_;
  const std::size_t case_index_;
  TapPlaces places_;
};

class TruthSource {
 public:
  /// `file`: a golden of the same model and inputs; nullopt: the truth that `golden`, which must
  /// outlive this, holds itself, if any. Throws Error(incompatible) when `file` has other weights,
  /// other inputs, random numbers in it, or nothing that is more precise than the golden.
  TruthSource(const golden_store::GoldenReader& golden,
              const std::optional<std::filesystem::path>& file, WeightsRule weights);

  /// nullopt where the case has no truth.
  [[nodiscard]] std::optional<TruthTaps> of_case(const std::string& name) const;

  /// The golden that holds the truth; empty without any.
  [[nodiscard]] std::string file() const;
  /// What a person should know of it.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void check(const golden_store::GoldenReader& golden, WeightsRule weights);
  void check_cases(const golden_store::GoldenReader& golden) const;
  void note_other_rounding(const golden_store::GoldenReader& golden);

  std::unique_ptr<golden_store::GoldenReader> own_;
  const golden_store::GoldenReader* reader_ = nullptr;  ///< nullptr: no truth
  std::vector<std::string> notes_;
};

}  // namespace parity::pipeline
