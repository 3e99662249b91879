// Zstandard as a filter of HDF5, under the number that The HDF Group registered for it (32015), so
// that h5py with hdf5plugin and every tool with the public plugin reads the same files.
#pragma once

#include <H5Cpp.h>

namespace parity::golden_store {

inline constexpr H5Z_filter_t kZstdFilter = 32015;

/// Makes the filter known to the HDF5 library of this process. Cheap when it is known.
void register_zstd_filter();

}  // namespace parity::golden_store
