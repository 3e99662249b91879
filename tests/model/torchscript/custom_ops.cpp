// A library with one operator of its own, as --library loads them.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor twice(const at::Tensor& x) { return x * 2.0; }

}  // namespace

TORCH_LIBRARY(parity_test, library) {
  library.def("twice(Tensor x) -> Tensor");
  library.impl("twice", c10::DispatchKey::CompositeImplicitAutograd, TORCH_FN(twice));
}
