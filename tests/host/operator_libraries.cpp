// Libraries that want what one kind of operator library wants, and nothing else: built once for
// each WANTS_..., never loaded. No header declares these functions, and no library that they link
// has them.
#include <string>

#if defined(WANTS_CUDA)
namespace c10::cuda {
void no_such_function_of_c10_cuda();
}
extern "C" int cudaMalloc(void** memory, unsigned long size);
extern "C" int cublasCreate_v2(void** handle);
void use() {
  void* memory = nullptr;
  c10::cuda::no_such_function_of_c10_cuda();
  cudaMalloc(&memory, 1);
  cublasCreate_v2(&memory);
}
#elif defined(WANTS_HIP)
extern "C" int hipMalloc(void** memory, unsigned long size);
extern "C" int rocblas_create_handle(void** handle);
void use() {
  void* memory = nullptr;
  hipMalloc(&memory, 1);
  rocblas_create_handle(&memory);
}
#elif defined(WANTS_PYTHON)
extern "C" void* PyModule_Create2(void* definition, int version);
void use() { PyModule_Create2(nullptr, 0); }
#elif defined(WANTS_OLD_ABI)
namespace c10::detail {
void torchCheckFail(const char* function, const char* file, unsigned line, const std::string& text);
}
void use() { c10::detail::torchCheckFail("", "", 0, std::string("old")); }
#elif defined(WANTS_OTHER_TORCH)
namespace at {
void no_such_function_of_this_version(int number);
}
void use() { at::no_such_function_of_this_version(1); }
#elif defined(WANTS_SOLVER)
extern "C" void solver_of_somebody();
void use() { solver_of_somebody(); }
#endif
