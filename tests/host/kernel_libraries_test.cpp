// Which mapped libraries count, and their facts, on a machine made of files.
#include "host/kernel_libraries.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/made_library.h"
#include "host/number_variables.h"

namespace parity::host {
namespace {

class KernelLibraries : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "parity-libs-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& bytes) const {
    const std::filesystem::path file = root_ / path.substr(1);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }
  /// The file exists and is mapped twice, as code and as data.
  void load(const std::string& path, const std::string& bytes) {
    write(path, bytes);
    maps_ +=
        "7f00-7f10 r-xp 00000000 fe:00 12 " + path + "\n7f10-7f20 rw-p 0 fe:00 12 " + path + "\n";
  }
  [[nodiscard]] run::Provenance facts(const std::string& arch) const {
    write("/proc/self/maps",
          "55-56 r-xp 0 fe:00 1 /usr/bin/parity\n" + maps_ + "7fff-8000 rw-p 0 00:00 0 [stack]\n");
    return kernel_library_facts(system(), arch);
  }
  [[nodiscard]] System system() const {
    return {root_, environment_, Identity{}, real_node, run_child};
  }

  std::filesystem::path root_;
  std::map<std::string, std::string> environment_;
  std::string maps_;
};

TEST_F(KernelLibraries, AreThoseThatComputeNumbersUnderNamesWithoutVersions) {
  load("/opt/torch/lib/libtorch_cpu.so", "torch");
  load("/opt/cuda/lib/libcublasLt.so.13.1.0", "blas");
  load("/opt/numpy.libs/libgomp-a34b3233.so.1.0.0", "threads");
  load("/usr/lib/libm.so.6", "maths");
  load("/usr/lib/libmnl.so.0", "network");
  load("/usr/lib/libhdf5_cpp.so.103", "files");
  const run::Provenance found = facts("sm_90");
  EXPECT_EQ(found.get("library.files"), "4 libraries");
  EXPECT_NE(found.get("library.file.libcublasLt").find(", 4 bytes, libcublasLt.so.13.1.0"),
            std::string_view::npos)
      << found.get("library.file.libcublasLt");
  for (const char* stem : {"libtorch_cpu", "libgomp", "libm"})
    EXPECT_NE(found.get(std::string("library.file.") + stem), "") << stem;
  EXPECT_EQ(found.facts().size(), 5U);
}

TEST_F(KernelLibraries, HoldBothOfTwoCopiesOfOneName) {
  load("/a/libgomp.so.1", "one");
  load("/b/libgomp.so.1", "two!");
  const run::Provenance found = facts("");
  EXPECT_EQ(found.get("library.files"), "2 libraries");
  const std::string_view text = found.get("library.file.libgomp");
  EXPECT_NE(text.find("3 bytes"), std::string_view::npos) << text;
  EXPECT_NE(text.find(" + xxh3 "), std::string_view::npos) << text;
}

TEST_F(KernelLibraries, HoldCustomOperatorsWhateverTheirName) {
  load("/models/fast_norm.so", made_library({{"libtorch_cpu.so", "libc.so.6"}, "", {}}));
  load("/models/other.so", made_library({{"libc.so.6"}, "", {}}));
  load("/usr/bin/libparity_torch.so", made_library({{"libtorch_cpu.so"}, "", {}}));
  const run::Provenance found = facts("");
  EXPECT_NE(found.get("library.file.fast_norm"), "");
  EXPECT_EQ(found.get("library.file.other"), "");
  EXPECT_EQ(found.get("library.files"), "1 library");  // parity's own is none of them
}

TEST_F(KernelLibraries, HoldTheFoldersOfKernelFilesBesideThem) {
  load("/opt/rocm/lib/librocblas.so.4.4", "rocblas");
  load("/opt/rocm/lib/libMIOpen.so.1", "miopen");
  write("/opt/rocm/lib/rocblas/library/Kernels_gfx942.co", "kernel");
  write("/opt/rocm/lib/rocblas/library/Kernels_gfx90a.co", "another");
  write("/opt/rocm/share/miopen/db/gfx942130.HIP.fdb.txt", "choices");
  write("/tuned/Kernels_gfx942.co", "tuned kernel");
  run::Provenance found = facts("gfx942");
  EXPECT_EQ(found.get("library.file.rocblas_kernels").substr(0, 15), "1 file, 6 bytes");
  EXPECT_EQ(found.get("library.file.miopen_kernels").substr(0, 15), "1 file, 7 bytes");
  environment_["ROCBLAS_TENSILE_LIBPATH"] = "/tuned";
  found = facts("gfx942");
  EXPECT_EQ(found.get("library.file.rocblas_kernels").substr(0, 16), "1 file, 12 bytes");
}

TEST_F(KernelLibraries, SayWhereAFileIsGone) {
  maps_ = "7f00-7f10 r-xp 00000000 fe:00 12 /opt/libcublas.so.13 (deleted)\n";
  EXPECT_EQ(facts("").get("library.file.libcublas"), "unreadable, libcublas.so.13 (deleted)");
}

TEST_F(KernelLibraries, OfThisProcessAreNamedTheSameEveryTime) {
  const System own = System::own();
  EXPECT_EQ(kernel_library_facts(own, "").facts(), kernel_library_facts(own, "").facts());
  EXPECT_NE(kernel_library_facts(own, "").get("library.files"), "");
}

TEST_F(KernelLibraries, AreNoneWithoutProc) {
  EXPECT_EQ(kernel_library_facts(system(), "").get("library.files"), "0 libraries");
}

TEST(LibraryStem, IsTheNameWithoutVersionAndHash) {
  struct Row {
    const char* file;
    const char* stem;
  };
  for (const Row& row :
       {Row{"libMIOpen.so.1.0.60404", "libMIOpen"}, Row{"libgomp.so.1", "libgomp"},
        Row{"libgomp-a34b3233.so.1.0.0", "libgomp"}, Row{"libmkl_core.so.2", "libmkl_core"},
        Row{"libnvidia-ptxjitcompiler.so.580.1", "libnvidia-ptxjitcompiler"}, Row{"op.so", "op"}})
    EXPECT_EQ(library_stem(row.file), row.stem);
}

TEST_F(KernelLibraries, StandBesideTheVariablesThatAreSet) {
  environment_ = {{"OMP_NUM_THREADS", "2"},
                  {"NVIDIA_TF32_OVERRIDE", "1"},
                  {"MIOPEN_FIND_MODE", "FAST"},
                  {"PYTORCH_TUNABLEOP_FILENAME", "/tuned.csv"},
                  {"HSA_OVERRIDE_GFX_VERSION", "11.0.0"},
                  {"HSA_OVERRIDE_GFX_VERSION_1", "10.3.0"},
                  {"HSA_OVERRIDE_GFX_VERSIONS", "of nobody"},
                  {"CUBLASLT_WORKSPACE_SIZE", "1024"},
                  {"HOME", "/root"},
                  {"MKL_CBWR", ""}};
  write("/tuned.csv", "1,2,3");
  const run::Provenance cpu = number_variable_facts(system(), Platform::cpu);
  EXPECT_EQ(cpu.get("variable.set"), "OMP_NUM_THREADS");
  EXPECT_EQ(cpu.get("variable.OMP_NUM_THREADS"), "2");
  const run::Provenance cuda = number_variable_facts(system(), Platform::cuda);
  EXPECT_EQ(cuda.get("variable.set"),
            "NVIDIA_TF32_OVERRIDE PYTORCH_TUNABLEOP_FILENAME CUBLASLT_WORKSPACE_SIZE");
  EXPECT_EQ(cuda.get("variable.PYTORCH_TUNABLEOP_FILENAME").rfind("/tuned.csv (xxh3 ", 0), 0U);
  const run::Provenance hip = number_variable_facts(system(), Platform::hip);
  EXPECT_EQ(hip.get("variable.set"),
            "PYTORCH_TUNABLEOP_FILENAME MIOPEN_FIND_MODE CUBLASLT_WORKSPACE_SIZE "
            "HSA_OVERRIDE_GFX_VERSION HSA_OVERRIDE_GFX_VERSION_1");
  EXPECT_EQ(hip.get("variable.HSA_OVERRIDE_GFX_VERSION_1"), "10.3.0");
  environment_.clear();
  EXPECT_EQ(number_variable_facts(system(), Platform::cpu).get("variable.set"), "none");
}

TEST(PlatformOf, IsReadFromTheRun) {
  run::Provenance run;
  EXPECT_EQ(platform_of(run), Platform::cpu);
  run.set("device.type", "cuda");
  run.set("device.vendor", "NVIDIA");
  EXPECT_EQ(platform_of(run), Platform::cuda);
  run.set("device.vendor", "AMD");
  EXPECT_EQ(platform_of(run), Platform::hip);
}

}  // namespace
}  // namespace parity::host
