#include "pipeline/record/golden_sink.h"

#include "capture/row_selection.h"
#include "run/timeline.h"

namespace parity::pipeline {

void GoldenSink::consume(const capture::CapturedTap& captured) {
  const run::TapId& id = captured.id;
  const tensor::TensorView& value = captured.value;
  run::TapRecord tap;
  tap.id = id;
  tap.dtype = value.dtype;
  tap.shape = value.shape;
  tap.digest = captured.digest.value();
  tap.mode = mode_of(id);
  if (id.kind == run::TapKind::output) {
    output_digests_[id] = tap.digest;
    if (model_.is_logits(id, value.shape, inputs_)) tap.role = run::Role::logits;
  }
  const run::WorkSpan span("write", tap.mode == run::StoreMode::full ? value.bytes.size() : 0);
  switch (tap.mode) {
    case run::StoreMode::full:
      writer_.add_tap(tap, value.bytes);
      break;
    case run::StoreMode::rows:
      tap.rows = run::stored_rows(capture::row_count(value.shape), choice_.rows);
      writer_.add_tap(tap, capture::select_rows(value, tap.rows));
      break;
    case run::StoreMode::digest:
      writer_.add_tap(tap, {});
      break;
  }
  ++tap_count_;
  size_bytes_ += captured.size_bytes;
  progress_.tap_done(captured.size_bytes);
}

void OutputDigestSink::consume(const capture::CapturedTap& captured) {
  output_digests_[captured.id] = captured.digest.value();
}

}  // namespace parity::pipeline
