#include "report/words/outcome.h"

namespace parity::report {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::compared:
      return "compared";
    case Outcome::rows_compared:
      return "rows_compared";
    case Outcome::digest_equal:
      return "digest_equal";
    case Outcome::digest_differs:
      return "digest_differs";
    case Outcome::shape_differs:
      return "shape_differs";
    case Outcome::dtype_differs:
      return "dtype_differs";
    case Outcome::missing:
      return "missing";
    case Outcome::additional:
      return "additional";
    case Outcome::not_compared:
      break;
  }
  return "not_compared";
}

std::optional<Outcome> outcome_from_name(std::string_view text) {
  for (const Outcome outcome :
       {Outcome::compared, Outcome::rows_compared, Outcome::digest_equal, Outcome::digest_differs,
        Outcome::shape_differs, Outcome::dtype_differs, Outcome::missing, Outcome::additional,
        Outcome::not_compared}) {
    if (name(outcome) == text) return outcome;
  }
  return std::nullopt;
}

}  // namespace parity::report
