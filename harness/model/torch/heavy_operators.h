// Private to model/: which operators are worth a tap of their own, by name. One list for every kind
// of model file; needs no header of torch.
#pragma once

#include <string>

namespace parity::model {

/// An operator that PyTorch itself does not define. `name`: "aten.softmax".
[[nodiscard]] bool is_custom_operator(const std::string& name);

/// Products, convolutions, attention, softmax, normalisation, recurrent cells, Fourier transforms:
/// operators that sum many terms, in an order that backends choose freely. In-place twins and
/// operators of custom libraries count as heavy, too.
[[nodiscard]] bool is_heavy_operator(const std::string& name);

}  // namespace parity::model
