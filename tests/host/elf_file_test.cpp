#include "host/elf_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/made_library.h"

namespace parity::host {
namespace {

TEST(ElfFile, ReadsWhatThisProgramAsksFor) {
  const auto self = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(self);
  const std::vector<std::string>& needed = self->needed();
  EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
  EXPECT_GT(self->section(".text").size(), 1000U);
  EXPECT_TRUE(self->section(".nowhere").empty());
}

TEST(ElfFile, PutsTheFoldersPlaceInForOrigin) {
  std::string pattern = (std::filesystem::temp_directory_path() / "parity-elf-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  std::ofstream(folder / "a.so", std::ios::binary)
      << made_library({{"libx.so.1", "liby.so.2"}, "$ORIGIN/../x:/opt/rocm/lib:${ORIGIN}", {}});
  const auto library = ElfFile::open(folder / "a.so");
  ASSERT_TRUE(library);
  EXPECT_EQ(library->needed(), (std::vector<std::string>{"libx.so.1", "liby.so.2"}));
  EXPECT_EQ(library->search_folders(),
            (std::vector<std::filesystem::path>{pattern + "/../x", "/opt/rocm/lib", pattern}));
  std::filesystem::remove_all(folder);
}

TEST(ElfFile, RefusesWhatIsNone) {
  for (const char* file : {"/etc/passwd", "/nowhere", "/etc", "/dev/null"})
    EXPECT_FALSE(ElfFile::open(file)) << file;
}

}  // namespace
}  // namespace parity::host
