#include "host/doctor/load_failure.h"

#include <gtest/gtest.h>

namespace parity::host {
namespace {

TEST(LoaderCause, NamesWhatIsMissing) {
  struct Row {
    const char* message;
    const char* why;
  };
  for (const Row& row : {
           Row{"libamdhip64.so.6: cannot open shared object file: No such file or directory",
               "libamdhip64.so.6 is missing."},
           Row{"libtorch_hip.so of LibTorch does not load here (librocblas.so.4: cannot open "
               "shared "
               "object file: No such file or directory)",
               "librocblas.so.4 is missing."},
           Row{"/opt/torch/lib/libtorch_cuda.so: undefined symbol: "
               "_ZN3c104cuda9c10_deviceEv, version LIBC10",
               "Symbol _ZN3c104cuda9c10_deviceEv is in none of the libraries"},
           Row{"/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required "
               "by /opt/torch/lib/libc10.so)",
               "it has no GLIBCXX_3.4.32"},
           Row{"/opt/torch/lib/libtorch_cuda.so: file too short", "The file is damaged"},
           Row{"/opt/torch/lib/libtorch_cuda.so: invalid ELF header", "The file is damaged"},
           Row{"cannot allocate memory in static TLS block", "The loader refuses the library."},
       }) {
    const LoaderCause cause = loader_cause(row.message);
    EXPECT_NE(cause.why.find(row.why), std::string::npos) << row.message << "\n" << cause.why;
    EXPECT_FALSE(cause.fix.empty());
  }
}

}  // namespace
}  // namespace parity::host
