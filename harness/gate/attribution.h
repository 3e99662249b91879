// Which layer creates the difference? From the error that each tap introduces itself, measured by a
// forced replay, to a ranked list of blame. Judges no tap and decides no gate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/tap.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// The error of one tap when everything before it was the reference's.
struct IntroducedError {
  std::string case_name;
  run::TapId tap;
  tensor::DType dtype = tensor::DType::float32;  ///< the coarser of the two sides
  double nrmse = 0;               ///< norm(c - r) / norm(r); 1 where nothing could be measured
  double max_error_over_rms = 0;  ///< max |c - r| / rms(r)
  double noise_nrmse = 0;         ///< run-to-run spread of the reference; 0 where not recorded
  double reference_error = 0;     ///< what the reference is wrong by itself: nrmse against a truth
                                  ///< from the same inputs; 0 where not recorded
};

/// What is introduced at one tap beyond what rounding explains:
///
///     dtype     = 64 u from float32 on, 2 u below            (u: unit roundoff of the dtype)
///     peers     = max(16 u from float32 on, u / 8 below; 4 median of the peers' nrmse)
///                                                            (of three peers or more)
///     explained = max(min(dtype, peers), 3 noise_nrmse, reference_error)
///     excess    = max(nrmse - explained, max_error_over_rms / 64 - max(explained, dtype))
///
/// Peers are the taps of the same case whose names differ in numbers alone: a Linear of bfloat16 in
/// front of which everything is the reference's is far better than one rounding of bfloat16, in
/// every layer alike, and the one that is not stands out. The second part of the excess is there
/// for sparse outliers, which a norm hides.
struct Blame {
  std::string case_name;  ///< where the tap's excess is largest
  run::TapId tap;
  double introduced_nrmse = 0;
  double max_error_over_rms = 0;
  double explained_nrmse = 0;
  double explained_max_error_over_rms = 0;  ///< from where on the second part of the excess counts
  double share = 0;  ///< of the excess (introduced less explained, summed over cases) of all taps
};

enum class Finding : std::uint8_t {
  none,     ///< no tap introduces more than is explained
  culprit,  ///< one layer, with all its results and operators, has at least half of the excess
  no_single_culprit,
};

/// A tap's part of everything that was introduced, explained or not.
struct Source {
  std::string layers;  ///< name with numbers replaced: "model.layers.*.self_attn/aten.matmul"
  std::uint64_t taps = 0;
  double nrmse = 0;  ///< the largest of them
  double share = 0;  ///< of the sum of squared nrmse over all taps
};

struct Attribution {
  Finding finding = Finding::none;
  std::vector<Blame> ranked;    ///< taps with an excess: largest layer first, then its largest tap
  std::vector<Source> sources;  ///< all that introduce anything, largest share first
  std::string sentence;         ///< the finding in words
};

/// A name with its numbers replaced: "model.layers.*.mlp" of "model.layers.12.mlp".
[[nodiscard]] std::string peer_text(std::string_view name);
/// Of a tap, whatever call of it.
[[nodiscard]] std::string peer_name(const run::TapId& tap);

/// What is explained of an error in `dtype` by rounding alone, `unit` taken for its unit roundoff.
[[nodiscard]] double explained_by_rounding(tensor::DType dtype, double unit);

/// max_error_over_rms of which no more than `nrmse` counts.
[[nodiscard]] double explained_outlier(double nrmse);

/// Infinite errors and NaN count as errors as large as the tensor itself.
[[nodiscard]] Attribution attribute(const std::vector<IntroducedError>& measured);

}  // namespace parity::gate
