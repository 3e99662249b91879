// What a recording holds, apart from the bytes: its cases, their taps and how each tap was stored.
// Written by the golden store, produced by capture, aligned by the pipeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/model_description.h"
#include "run/noise.h"
#include "run/provenance.h"
#include "run/tap.h"
#include "tensor/digest.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::run {

/// `full`: every value. `rows`: N rows (the last dimension is a row) spread evenly. `digest`: the
/// digest alone.
enum class StoreMode : std::uint8_t { full, rows, digest };

[[nodiscard]] std::string_view name(StoreMode mode);
[[nodiscard]] std::optional<StoreMode> store_mode_from_name(std::string_view name);

/// Whether an output holds logits: its last dimension is the vocabulary.
enum class Role : std::uint8_t { activation, logits };

struct TapRecord {
  TapId id;
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;  ///< of the tap in the model, whatever part of it is stored
  tensor::Digest
      digest;  ///< of all the tap's bytes, contiguous and row-major, also when only rows are stored
  StoreMode mode = StoreMode::full;
  std::vector<std::int64_t>
      rows;  ///< mode rows: indices of the stored rows, ascending; rows = elements / last dim
  Role role = Role::activation;
};

/// A value at a tap's place that could not be captured.
struct SkippedTap {
  TapId id;
  std::string reason;
};

/// The same case run in higher precision, which both sides of a comparison are measured against.
struct TruthRecord {
  tensor::DType dtype = tensor::DType::float64;  ///< that weights and inputs were cast to
  std::vector<TapRecord> taps;                   ///< in execution order
  /// By tap: norm(r - t) / norm(t) of the recorded value r where the truth t was computed from the
  /// recorded inputs of that layer, so what the recording is wrong by itself there. NaN where it
  /// could not be measured; empty where it was not.
  std::vector<double> introduced_nrmse;
  std::vector<std::string> notes;
};

struct CaseRecord {
  std::string name;
  std::vector<TapRecord> taps;  ///< in execution order
  std::vector<SkippedTap> skipped;
  std::vector<std::string> notes;    ///< what a person should know ("taps changed the output")
  std::optional<NoiseRecord> noise;  ///< where it was recorded
  std::optional<TruthRecord> truth;  ///< where it was recorded
};

struct RecordingHeader {
  ModelDescription model;
  Provenance provenance;
  std::vector<std::string> notes;
};

/// Rows stored of `row_count` in mode rows:N: min(N, row_count) of them, first and last included,
/// evenly spread.
[[nodiscard]] std::vector<std::int64_t> stored_rows(std::int64_t row_count, std::int64_t wanted);

/// Shape of the stored part: `shape` itself in mode full, [rows, last dim] in mode rows, [0] in
/// mode digest.
[[nodiscard]] tensor::Shape stored_shape(const TapRecord& tap);

}  // namespace parity::run
