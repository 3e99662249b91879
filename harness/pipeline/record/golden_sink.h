// Between captured taps and a golden: which part of each tap is stored, and as what. Knows no other
// run to compare with.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "capture/capture_stream.h"
#include "golden_store/golden_writer.h"
#include "model/model.h"
#include "pipeline/record/progress.h"
#include "run/recording.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// How much of each tap a golden keeps.
struct StoreChoice {
  run::StoreMode mode = run::StoreMode::full;
  std::int64_t rows = 0;  ///< mode rows: how many
};

/// Digest of each output tap.
using OutputDigests = std::map<run::TapId, tensor::Digest>;

/// Writes every tap of one case to a golden. The model's outputs are kept whole in every mode, so
/// that logits can be judged at every position.
class GoldenSink final : public capture::TapConsumer {
 public:
  GoldenSink(golden_store::GoldenWriter& writer, const StoreChoice& choice,
             const model::Model& model, const tensor::Value& inputs, Progress& progress)
      : writer_(writer), choice_(choice), model_(model), inputs_(inputs), progress_(progress) {}

  void consume(const capture::CapturedTap& captured) override;
  [[nodiscard]] capture::DigestWish digest_wish(const run::TapId& id) const override {
    return mode_of(id) == run::StoreMode::digest ? capture::DigestWish::alone
                                                 : capture::DigestWish::wanted;
  }

  [[nodiscard]] const OutputDigests& output_digests() const { return output_digests_; }
  [[nodiscard]] std::uint64_t tap_count() const { return tap_count_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  [[nodiscard]] run::StoreMode mode_of(const run::TapId& id) const {
    return id.kind == run::TapKind::output ? run::StoreMode::full : choice_.mode;
  }

  golden_store::GoldenWriter& writer_;
  const StoreChoice choice_;
  const model::Model& model_;
  const tensor::Value& inputs_;
  Progress& progress_;
  OutputDigests output_digests_;
  std::uint64_t tap_count_ = 0;
  std::uint64_t size_bytes_ = 0;
};

/// Keeps the digests of a run's outputs and nothing else.
class OutputDigestSink final : public capture::TapConsumer {
 public:
  void consume(const capture::CapturedTap& captured) override;
  [[nodiscard]] capture::DigestWish digest_wish(const run::TapId& /*id*/) const override {
    return capture::DigestWish::alone;
  }

  [[nodiscard]] const OutputDigests& output_digests() const { return output_digests_; }

 private:
  OutputDigests output_digests_;
};

}  // namespace parity::pipeline
