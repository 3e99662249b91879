// A tap of a case, by name.
#pragma once

#include <string>

#include "run/tap.h"

namespace parity::report {

struct Place {
  std::string case_name;
  run::TapId tap;
};

}  // namespace parity::report
