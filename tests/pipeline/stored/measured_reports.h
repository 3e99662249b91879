// Reports of tensors that are really compared and judged, of every dtype and shape, for tests that
// read them back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/compare/tap_comparison.h"
#include "report/data/report.h"
#include "run/recording.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline_test {

/// What the bits of a tensor are: any at all, numbers around 1, one number, or zeros.
enum class Content : std::uint8_t { bits, ordinary, constant, zeros };

/// How a candidate comes from the reference: not at all otherwise, in its last bits, in a few
/// elements as a whole, or all of it anew.
enum class Change : std::uint8_t { none, rounding, outliers, everything };

struct Side {
  run::TapRecord record;
  std::vector<std::byte> bytes;

  [[nodiscard]] pipeline::TapData data() const;
};

struct Pair {
  Side reference;
  Side candidate;
};

struct PairRequest {
  std::string path = "layer";
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape = {6, 32};
  Content content = Content::ordinary;
  Change change = Change::rounding;
  std::uint64_t seed = 1;
};

[[nodiscard]] Pair made(const PairRequest& request);

/// The same values to more bits: float32 of 16 bits, float64 of float32.
[[nodiscard]] Side widened(const Side& side);

/// A report of one case `prose`, without verdicts; the model's output is among the taps.
[[nodiscard]] report::Report report_of(std::vector<pipeline::ComparedTap> taps);

/// Judged by the built-in policy.
[[nodiscard]] report::Report judged(report::Report report);

/// As an output whose last dimension is the vocabulary.
[[nodiscard]] Pair as_logits(Pair pair);

[[nodiscard]] pipeline::ComparedTap compared(const Pair& pair, const Side* truth = nullptr);

/// Taps of several dtypes with a truth, introduced errors, noise and logits: one that passes and
/// one that fails by each of its taps alone, and by its logits.
[[nodiscard]] report::Report full_report(Change change);

/// Two rows of a decode of two steps, each with a truth, which chose other tokens.
[[nodiscard]] report::Report decoded_report();

}  // namespace parity::pipeline_test
