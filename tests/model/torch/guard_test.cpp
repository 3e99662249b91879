#include "model/torch/guard.h"

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "model/torch/failure.h"

namespace parity::model {
namespace {

Error translated(const std::function<void()>& body) {
  try {
    with_torch_errors("running layer fc", body);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorKind::store, ""};
}

TEST(TorchErrors, KeepTheCauseAndDropTheBacktrace) {
  const Error error = translated([] { TORCH_CHECK(false, "sizes do not match\nat line 3"); });
  EXPECT_EQ(error.kind(), ErrorKind::model);
  EXPECT_STREQ(error.what(), "running layer fc: sizes do not match.");
  EXPECT_NE(error.detail().find("at line 3"), std::string::npos);
}

TEST(TorchErrors, ComeInKindsByWhoCanAct) {
  struct Row {
    const char* text;
    ErrorKind kind;
  };
  const std::vector<Row> rows = {
      {"CUDA out of memory. Tried to allocate 20.00 GiB", ErrorKind::resource},
      {"HIP out of memory. Tried to allocate 20.00 GiB", ErrorKind::resource},
      {"[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory: "
       "you tried to "
       "allocate 8 bytes. Error code 12 (Cannot allocate memory)",
       ErrorKind::resource},
      {"CUDA error: an illegal memory access was encountered", ErrorKind::device},
      {"HIP error: invalid device function", ErrorKind::device},
      {"CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
       ErrorKind::device},
      {"cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", ErrorKind::device},
      {"MIOPEN_STATUS_UNKNOWN_ERROR", ErrorKind::device},
      {"mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", ErrorKind::model},
      {"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
       "cpu!",
       ErrorKind::model},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(translated([&] { throw std::runtime_error(row.text); }).kind(), row.kind) << row.text;
  }
}

TEST(TorchErrors, PassOurOwnThroughAndTakeBadAllocForMemory) {
  const Error own = translated([] { throw Error(ErrorKind::store, "disk full"); });
  EXPECT_EQ(own.kind(), ErrorKind::store);
  EXPECT_STREQ(own.what(), "disk full");
  EXPECT_EQ(translated([] { throw std::bad_alloc(); }).kind(), ErrorKind::resource);
}

TEST(TorchErrors, SayWhatToDoAboutParitysOwnFlags) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"No available kernel. Aborting execution.", "--sdpa default"},
      {"cumsum_cuda_kernel does not have a deterministic implementation, but you set",
       "without --deterministic"},
      {"\"addmm_impl_cpu_\" not implemented for 'Half'", "--dtype keep"},
      {"out of memory", "smaller --inputs"},
  };
  for (const auto& [text, advice] : rows) {
    const std::string message =
        translated([&, cause = text] { throw std::runtime_error(cause); }).what();
    EXPECT_NE(message.find(advice), std::string::npos) << message;
  }
}

TEST(CauseOf, FindsTheLastErrorOfTheInterpretersReport) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"The following operation failed in the TorchScript interpreter.\nTraceback of TorchScript "
       "(most recent call "
       "last):\n  File \"<string>\", line 2\ndef forward(self, x):\n    return x + y\n           "
       "~~~~~ <--- HERE\n"
       "RuntimeError: The size of tensor a (2) must match\n",
       "The size of tensor a (2) must match"},
      {"The following operation failed in the TorchScript "
       "interpreter.\nTraceback\nbuiltins.ValueError: too short\n",
       "builtins.ValueError: too short"},
      {"one line.", "one line"},
      {"CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 4 GiB",
       "CUDA out of memory. Tried to allocate 8.00 GiB"},
      {"histc does not have a deterministic implementation, but you set 'x'. You can turn off "
       "determinism just",
       "histc does not have a deterministic implementation, but you set 'x'"},
      {"\n\n  second line\nthird", "second line"},
      {"", "no reason given"},
  };
  for (const auto& [text, cause] : rows) EXPECT_EQ(cause_of(text), cause);
}

}  // namespace
}  // namespace parity::model
