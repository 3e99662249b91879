// Maps element types to HDF5 file types, bit for bit: nothing is widened and nothing is converted.
// Knows types alone: no dataset and no attribute is opened here.
#pragma once

#include <string>

#include <H5Cpp.h>

#include "golden_store/hdf5_guard.h"
#include "tensor/dtype.h"

namespace parity::golden_store {

/// The type a tap of `dtype` has in the file, and in memory. bfloat16 is a 16-bit float with 8
/// exponent and 7 fraction bits, bool is h5py's enum, complex is h5py's compound, the float8 kinds
/// are bytes.
[[nodiscard]] const H5::DataType& file_type(tensor::DType dtype);

/// UTF-8 text of `width` bytes, which end in at least one zero byte.
[[nodiscard]] H5::StrType text_type(std::size_t width);

/// True for the kinds that HDF5 holds as plain bytes, so that an attribute has to name the format.
[[nodiscard]] bool needs_format_attribute(tensor::DType dtype);

}  // namespace parity::golden_store
