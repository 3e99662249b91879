#include "pipeline/golden_sink.h"

#include "capture/row_selection.h"

namespace parity::pipeline {

void GoldenSink::consume(const run::TapId& id, const tensor::TensorView& value) {
  run::TapRecord tap;
  tap.id = id;
  tap.dtype = value.dtype;
  tap.shape = value.shape;
  tap.digest = tensor::digest_of(value.bytes);
  tap.mode = choice_.mode;
  if (id.kind == run::TapKind::output) {
    output_digests_[id] = tap.digest;
    if (model_.is_logits(id, value.shape, inputs_)) tap.role = run::Role::logits;
    tap.mode = run::StoreMode::full;
  }
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
  size_bytes_ += value.bytes.size();
  progress_.tap_done(value.bytes.size());
}

void OutputDigestSink::consume(const run::TapId& id, const tensor::TensorView& value) {
  output_digests_[id] = tensor::digest_of(value.bytes);
}

}  // namespace parity::pipeline
