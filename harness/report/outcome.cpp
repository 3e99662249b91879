#include "report/outcome.h"

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

}  // namespace parity::report
