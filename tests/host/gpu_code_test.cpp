#include "host/gpu_code.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/made_library.h"

namespace parity::host {
namespace {

using Names = Targets;

class GpuCodeOf : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "parity-code-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::optional<ElfFile> library(const std::string& bytes) const {
    std::ofstream(folder_ / "made.so", std::ios::binary) << bytes;
    return ElfFile::open(folder_ / "made.so");
  }

  std::filesystem::path folder_;
};

TEST_F(GpuCodeOf, HipListsEveryTargetPlainAndCompressed) {
  const Names wanted = {"gfx11-generic", "gfx90a:xnack-", "gfx942"};
  for (const int compression : {0, 1, 2, 3}) {
    const auto made = library(
        made_library({{},
                      "",
                      {{".hip_fatbin", made_hip_code({"gfx90a:xnack-", "gfx942", "gfx11-generic"},
                                                     compression, 4)}}}));
    ASSERT_TRUE(made);
    const GpuCode code = hip_code(*made);
    EXPECT_EQ(code.targets, wanted) << "compressed header version " << compression;
    EXPECT_FALSE(code.unreadable);
  }
}

TEST_F(GpuCodeOf, HipReadsBundlesOfBothCompressions) {
  for (const Packer packer : {Packer::zlib, Packer::zstd}) {
    const auto made = library(made_library(
        {{}, "", {{".hip_fatbin", made_hip_code({"gfx906", "gfx942"}, 2, 3, packer)}}}));
    ASSERT_TRUE(made);
    EXPECT_EQ(hip_code(*made).targets, (Names{"gfx906", "gfx942"}));
    EXPECT_FALSE(hip_code(*made).unreadable);
  }
}

TEST_F(GpuCodeOf, HipLeavesOutATargetThatFewBundlesHave) {
  const std::string bytes = made_hip_code({"gfx942"}, 0, 9) + std::string(2048, '\0') +
                            made_hip_code({"gfx942", "gfx950"}, 0);
  const auto made = library(made_library({{}, "", {{".hip_fatbin", bytes}}}));
  ASSERT_TRUE(made);
  EXPECT_EQ(hip_code(*made).targets, Names{"gfx942"});
}

TEST_F(GpuCodeOf, HipSaysWhenACompressionIsUnknown) {
  std::string other = made_hip_code({"gfx942"}, 2);
  other[6] = 7;  // the method
  std::string damaged = made_hip_code({"gfx942"}, 2, 1, Packer::zlib);
  damaged[24] = '\x7f';  // the first byte that is compressed
  std::string later = made_hip_code({"gfx942"}, 3);
  later[4] = 9;  // the header's version
  for (const std::string& bytes : {other, damaged, later}) {
    const auto made = library(made_library({{}, "", {{".hip_fatbin", bytes}}}));
    ASSERT_TRUE(made);
    EXPECT_TRUE(hip_code(*made).targets.empty());
    EXPECT_TRUE(hip_code(*made).unreadable);
  }
}

TEST_F(GpuCodeOf, CudaTellsMachineCodeFromIntermediate) {
  const auto made = library(
      made_library({{},
                    "",
                    {{".nv_fatbin", made_cuda_code({"sm_80", "sm_90", "compute_90"}) +
                                        made_cuda_code({"sm_80", "sm_90", "compute_90"})}}}));
  ASSERT_TRUE(made);
  EXPECT_EQ(cuda_code(*made).targets, (Names{"sm_80", "sm_90"}));
  EXPECT_EQ(cuda_code(*made).intermediate, Names{"compute_90"});
}

TEST_F(GpuCodeOf, DamagedFilesGiveNothingAndEndNothing) {
  const std::string whole = made_library({{"libamdhip64.so.6"},
                                          "$ORIGIN/../lib",
                                          {{".hip_fatbin", made_hip_code({"gfx942"}, 3, 2)},
                                           {".nv_fatbin", made_cuda_code({"sm_90"})}}});
  std::mt19937 random(1);
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const auto cut = library(whole.substr(0, size));
    if (!cut) continue;
    (void)hip_code(*cut);
    (void)cuda_code(*cut);
  }
  for (int round = 0; round < 400; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto made = library(damaged);
    if (!made) continue;
    (void)hip_code(*made);
    (void)cuda_code(*made);
  }
}

TEST_F(GpuCodeOf, KernelFilesNameTheirGpu) {
  for (const char* name : {"TensileLibrary_lazy_gfx942.dat", "Kernels.so-000-gfx90a-xnack+.hsaco",
                           "TensileLibrary_Type_HH_fallback_gfx1100.hsaco", "README"})
    std::ofstream(folder_ / name) << "x";
  EXPECT_EQ(kernel_file_targets(folder_), (Names{"gfx1100", "gfx90a", "gfx942"}));
  EXPECT_TRUE(kernel_file_targets(folder_ / "nowhere").empty());
}

}  // namespace
}  // namespace parity::host
