// What a refreshed golden changes against the one that it is to replace: plain data for a review,
// grouped, and the formats that it can have. Judges nothing itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/data/place.h"
#include "report/terminal/table.h"
#include "run/provenance.h"
#include "run/verdict.h"
#include "tensor/dtype.h"

namespace parity::report {

/// Weights whose names differ in numbers alone and that changed in the same way.
struct WeightChange {
  std::string what;   ///< "changed", "added", "removed"
  std::string names;  ///< with numbers replaced: "model.layers.*.mlp.weight"
  std::uint64_t count = 0;
  std::string first;
};

/// Of a case, or of how it was recorded.
struct CaseChange {
  std::string what;  ///< "added", "removed", "inputs", "truth", "noise"
  std::string case_name;
  std::string before;  ///< empty where there was none
  std::string after;
};

/// Taps whose names differ in numbers alone and that changed in the same way.
struct TapChange {
  std::string what;  ///< "added", "removed", "reshaped", "dtype", "order", "stored"
  std::string layers;
  std::uint64_t taps = 0;
  Place first;
  std::string before;  ///< of the first: its shape, its dtype, how it is stored; else empty
  std::string after;
};

/// Values of taps of equal names, numbers aside, with one verdict.
struct ValueChange {
  run::Verdict verdict = run::Verdict::untested;
  std::string layers;
  tensor::DType dtype = tensor::DType::float32;  ///< of the ulp
  std::uint64_t taps = 0;
  std::uint64_t measured = 0;  ///< taps with figures
  double nrmse = 0;            ///< the largest
  Place nrmse_at;
  std::uint64_t max_ulp = 0;
  Place max_ulp_at;
  std::optional<double> noise_nrmse;  ///< of the old golden's own runs, the largest; if recorded
  std::uint64_t with_truth = 0;       ///< taps that the old golden's truth can judge
  std::uint64_t better = 0;           ///< of these, nearer to it than before
  std::uint64_t worse = 0;            ///< of these, further
};

struct LogitsChange {
  Place place;
  run::Verdict verdict = run::Verdict::untested;
  std::uint64_t positions = 0;
  std::uint64_t flips = 0;
  std::uint64_t decided_flips = 0;
  double kl_mean = 0;  ///< nat
  double kl_max = 0;   ///< nat
};

struct BlessedFile {
  std::string file;
  std::string model_file;
  std::string model_kind;
  run::Provenance provenance;
};

struct Blessing {
  BlessedFile before;
  BlessedFile after;
  std::string policy_name;
  int exit_code = 1;                 ///< 0: nothing beyond the policy changes
  std::vector<std::string> reasons;  ///< what does; empty for exit code 0
  std::vector<run::Difference> environment_diff;
  std::vector<WeightChange> weights;
  std::vector<CaseChange> cases;
  std::vector<TapChange> taps;
  std::uint64_t compared = 0;        ///< taps
  std::uint64_t identical = 0;       ///< of these
  std::vector<ValueChange> values;   ///< of all others, worst first
  std::vector<LogitsChange> logits;  ///< that are not the same
  std::string changes_entry;         ///< Markdown for the list of changes beside the goldens
  std::string repro;
};

[[nodiscard]] std::string to_text(const Blessing& blessing, const TableOptions& options);
[[nodiscard]] std::string to_markdown(const Blessing& blessing);
/// One document, schema "parity-bless/1" (docs/bless.md).
[[nodiscard]] std::string to_json(const Blessing& blessing);

}  // namespace parity::report
