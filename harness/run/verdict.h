// The ladder of verdicts on one tap: judgement words only, shared by the gate that gives them and
// the reports that print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parity::run {

/// Best first, as in the documentation; `untested` is the default of every new verdict and fails.
enum class Verdict : std::uint8_t {
  identical,
  within,
  closer,
  suspect,
  diverged,
  non_finite,
  shape_differs,
  dtype_differs,
  missing,
  additional,
  untrusted,
  untested,
};

enum class Strictness : std::uint8_t { normal, strict };

[[nodiscard]] std::string_view name(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdict_from_name(std::string_view name);

/// identical, within and closer pass; suspect passes unless strict; everything else fails.
[[nodiscard]] bool passes(Verdict verdict, Strictness strictness);

}  // namespace parity::run
