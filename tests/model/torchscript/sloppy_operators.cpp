// Operators that are worse in float32 than float32 is, and right in float64: what a faulty kernel
// looks like from outside. With PARITY_RIGHT_OPERATORS the same operators, right in both.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor third(const at::Tensor& x) {
  const at::Tensor result = x / 3.0;
#ifdef PARITY_RIGHT_OPERATORS
  return result;
#else
  return x.scalar_type() == at::kDouble ? result : result.to(at::kBFloat16).to(x.scalar_type());
#endif
}

at::Tensor& third_in_place(at::Tensor& x) { return x.copy_(third(x)); }

at::Tensor third_is_larger(const at::Tensor& x) { return third(x).gt(x / 3.0); }

at::Tensor float32_only(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat, "takes float32 alone");
  return x + 1.0;
}

at::Tensor no_float64(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() != at::kDouble, "\"no_float64\" not implemented for 'Double'");
  return x + 1.0;
}

}  // namespace

TORCH_LIBRARY(parity_sloppy, library) {
  library.def("third(Tensor x) -> Tensor");
  library.impl("third", c10::DispatchKey::CPU, TORCH_FN(third));
  library.def("third_(Tensor(a!) x) -> Tensor(a!)");
  library.impl("third_", c10::DispatchKey::CPU, TORCH_FN(third_in_place));
  library.def("third_is_larger(Tensor x) -> Tensor");
  library.impl("third_is_larger", c10::DispatchKey::CPU, TORCH_FN(third_is_larger));
  library.def("float32_only(Tensor x) -> Tensor");
  library.impl("float32_only", c10::DispatchKey::CPU, TORCH_FN(float32_only));
  library.def("no_float64(Tensor x) -> Tensor");
  library.impl("no_float64", c10::DispatchKey::CPU, TORCH_FN(no_float64));
}
