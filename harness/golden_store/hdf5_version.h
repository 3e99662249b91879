// Which HDF5 is in use.
#pragma once

#include <string>

namespace parity::golden_store {

/// Of the library that is loaded, not of the headers: "1.10.8".
[[nodiscard]] std::string hdf5_version();

}  // namespace parity::golden_store
