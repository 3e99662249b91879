// Who can act on a failed call of the operating system.
// Sees the number of the error alone; the sentence about it is the caller's.
#pragma once

#include "error/error.h"

namespace parity::golden_store {

/// resource (exit 3) when the machine or its disk is at fault, store (exit 2) when the path is.
[[nodiscard]] ErrorKind kind_of_errno(int error);

}  // namespace parity::golden_store
