#include "pipeline/compare/comparing_sink.h"

namespace parity::pipeline {

run::TapRecord record_of(const capture::CapturedTap& captured) {
  run::TapRecord record;
  record.id = captured.id;
  record.dtype = captured.value.dtype;
  record.shape = captured.value.shape;
  if (captured.digest) record.digest = *captured.digest;
  return record;
}

void ComparingSink::consume(const capture::CapturedTap& captured) {
  taps_.add({record_of(captured), captured.value});
  // Without a map, the stream has left out what nobody wants.
  if (save_ != nullptr && (!taps_.has_map() || taps_.wants(captured.id))) save_->consume(captured);
  progress_.tap_done(captured.size_bytes);
}

capture::DigestWish ComparingSink::digest_wish(const run::TapId& id) const {
  return save_ != nullptr || taps_.needs_digest(id) ? capture::DigestWish::wanted
                                                    : capture::DigestWish::none;
}

}  // namespace parity::pipeline
