// Between captured taps and their comparison with a golden, and a golden of their own where asked.
// Decides neither which taps there are nor what is made of the comparison.
#pragma once

#include "capture/capture_stream.h"
#include "pipeline/compare/mapped_taps.h"
#include "pipeline/record/golden_sink.h"
#include "pipeline/record/progress.h"

namespace parity::pipeline {

class ComparingSink final : public capture::TapConsumer {
 public:
  /// `save`: nullptr for none.
  ComparingSink(MappedTaps& taps, GoldenSink* save, Progress& progress)
      : taps_(taps), save_(save), progress_(progress) {}

  void consume(const capture::CapturedTap& captured) override;
  [[nodiscard]] capture::DigestWish digest_wish(const run::TapId& id) const override;

 private:
  MappedTaps& taps_;
  GoldenSink* save_;
  Progress& progress_;
};

/// The tap as a candidate is described, with its digest where there is one.
[[nodiscard]] run::TapRecord record_of(const capture::CapturedTap& captured);

}  // namespace parity::pipeline
