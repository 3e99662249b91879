// A tap of a case, by name.
// Whether there is such a tap is known to the report that holds it.
#pragma once

#include <string>

#include "run/tap.h"

namespace parity::report {

struct Place {
  std::string case_name;
  run::TapId tap;
};

}  // namespace parity::report
