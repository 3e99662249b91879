// The choice is made on the host: a device's own argmax need not take the first of equal logits.
#include "model/decoder/greedy_tokens.h"

#include <cmath>
#include <string>

#include <ATen/core/Tensor.h>

#include "error/error.h"
#include "model/decoder/decoding.h"
#include "model/decoder/forward_taps.h"
#include "model/torch/tap_emitter.h"

namespace parity::model {
namespace {

/// `row`: of float64 logits [vocabulary].
std::int64_t best_of(const at::Tensor& row, std::int64_t step, std::int64_t row_index) {
  const auto* logits = row.const_data_ptr<double>();
  std::int64_t best = 0;
  for (std::int64_t token = 0; token < row.size(0); ++token) {
    if (std::isnan(logits[token])) {
      throw Error(ErrorKind::model,
                  "the logits that choose token " + std::to_string(step) + " of row " +
                      std::to_string(row_index) +
                      " hold NaN, so there is no best token to decode: record without --decode to "
                      "see where the NaN comes from");
    }
    if (logits[token] > logits[best]) best = token;
  }
  return best;
}

/// The best tokens [batch] behind the last position of `logits`, [batch, tokens, vocabulary].
std::vector<std::int64_t> best_tokens(const at::Tensor& logits, std::int64_t step) {
  const at::Tensor last =
      logits.select(1, logits.size(1) - 1).to(at::kCPU).to(at::kDouble).contiguous();
  std::vector<std::int64_t> tokens;
  for (std::int64_t row = 0; row < last.size(0); ++row)
    tokens.push_back(best_of(last.select(0, row), step, row));
  return tokens;
}

}  // namespace

std::vector<std::int64_t> greedy_tokens(const Network& network, const DecoderConfig& config,
                                        const LayerDevices& devices, const TokenInputs& prompt,
                                        std::int64_t steps) {
  run::IgnoredTaps nobody;
  TapEmitter emitter(nobody);
  const ForwardTaps taps(emitter, Instrumentation::outputs_only, run::TapDepth::modules);
  Decoding decoding(network, config, devices, prompt, taps);
  std::vector<std::vector<std::int64_t>> by_step = {best_tokens(decoding.prefill(), 1)};
  while (static_cast<std::int64_t>(by_step.size()) < steps) {
    const auto next = static_cast<std::int64_t>(by_step.size()) + 1;
    by_step.push_back(best_tokens(decoding.step(by_step.back()), next));
  }
  std::vector<std::int64_t> tokens;
  for (std::size_t row = 0; row < by_step.front().size(); ++row) {
    for (const std::vector<std::int64_t>& chosen : by_step) tokens.push_back(chosen[row]);
  }
  return tokens;
}

}  // namespace parity::model
