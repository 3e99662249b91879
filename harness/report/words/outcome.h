// What became of a tap, in one word: the fact beside which a verdict stands. Knows no judgement.
// Every format uses these words, so that a reader finds them again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parity::report {

enum class Outcome : std::uint8_t {
  compared,
  rows_compared,  ///< only rows that were stored
  digest_equal,   ///< nothing but digests on one side at least
  digest_differs,
  shape_differs,
  dtype_differs,  ///< nothing can be measured: complex against real, or digests of two dtypes
  missing,        ///< on the reference's side alone
  additional,     ///< on the candidate's side alone
  not_compared,
};

/// The outcome as the JSON report spells it.
[[nodiscard]] std::string_view name(Outcome outcome);
[[nodiscard]] std::optional<Outcome> outcome_from_name(std::string_view name);

}  // namespace parity::report
