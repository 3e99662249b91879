// Between a reader and a writer of goldens: a case that is to be taken over whole.
// Nothing outside this folder sees it.
#pragma once

#include <cstddef>

#include "golden_store/open_golden.h"

namespace parity::golden_store {

/// Valid as long as the reader that gave it. Everything that its indexes list is there.
struct CaseSource {
  const OpenGolden& golden;
  std::size_t index;  ///< in that file
};

}  // namespace parity::golden_store
