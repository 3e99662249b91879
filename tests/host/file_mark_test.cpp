// Marks of files by content.
#include "host/file_mark.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/elf_file.h"
#include "host/made_library.h"

namespace parity::host {
namespace {

/// A note of the linker: sizes of name and description, type 3, "GNU", the id.
std::string build_id_note(const std::string& id) {
  std::string note;
  const auto add = [&](std::uint32_t number) {
    for (int i = 0; i < 4; ++i) note += static_cast<char>(number >> (8 * i) & 255U);
  };
  add(4);
  add(static_cast<std::uint32_t>(id.size()));
  add(3);
  return note + std::string("GNU\0", 4) + id;
}

class FileMark : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "parity-mark-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path write(const std::string& name,
                                            const std::string& bytes) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  [[nodiscard]] std::string library(const std::string& id, const std::string& code) const {
    return file_mark(write(
        "a.so",
        made_library({{}, "", {{".note.gnu.build-id", build_id_note(id)}, {".text", code}}})));
  }

  std::filesystem::path folder_;
};

TEST_F(FileMark, OfALibraryIsItsBuildId) {
  const std::string mark = library("\x3f\x94\x7a\xbf\x60\x7f\x59\x61\x99", "code");
  EXPECT_EQ(mark.rfind("build-id 3f947abf607f5961, ", 0), 0U) << mark;
  EXPECT_NE(mark.find(" bytes"), std::string::npos) << mark;
  EXPECT_NE(library("\x40\x94\x7a\xbf\x60\x7f\x59\x61\x99", "code"), mark);
  EXPECT_NE(library("\x3f\x94\x7a\xbf\x60\x7f\x59\x61\x99", "longer code"), mark) << "another size";
}

TEST_F(FileMark, ReadsTheIdOfThisProgram) {
  const auto self = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(self);
  // Linkers leave it out where they are told to; then the content stands in for it.
  if (self->build_id().empty()) GTEST_SKIP() << "linked without a build id";
  EXPECT_GE(self->build_id().size(), 16U);
}

TEST_F(FileMark, OfADamagedNoteIsTheContent) {
  std::string note = build_id_note("12345678");
  for (const std::size_t length : {0U, 5U, 12U, 17U}) {
    const std::string mark = file_mark(
        write("a.so", made_library({{}, "", {{".note.gnu.build-id", note.substr(0, length)}}})));
    EXPECT_EQ(mark.rfind("xxh3 ", 0), 0U) << length << ": " << mark;
  }
}

TEST_F(FileMark, OfAnyOtherFileIsItsContent) {
  const std::string mark = file_mark(write("tuned.csv", "1,2,3"));
  EXPECT_EQ(mark.rfind("xxh3 ", 0), 0U) << mark;
  EXPECT_EQ(mark.substr(mark.find(',')), ", 5 bytes");
  EXPECT_NE(file_mark(write("tuned.csv", "1,2,4")), mark);
  EXPECT_EQ(file_mark(write("other.csv", "1,2,3")), mark) << "the name does not count";
  EXPECT_EQ(file_mark(write("empty", "")).substr(0, 5), "xxh3 ");
  EXPECT_EQ(file_mark(folder_ / "none"), "unreadable");
  EXPECT_EQ(file_mark(folder_), "unreadable");
}

TEST_F(FileMark, OfALargeFileIsASampleThatSeesEveryMiB) {
  const std::filesystem::path file = folder_ / "large";
  constexpr std::uintmax_t kSize = (std::uintmax_t{70} << 20U) + 5;
  std::ofstream(file).close();
  std::filesystem::resize_file(file, kSize);  // sparse
  const std::string zeros = file_mark(file);
  EXPECT_EQ(zeros.rfind("xxh3-sampled ", 0), 0U) << zeros;
  for (const std::uintmax_t place : {std::uintmax_t{0}, std::uintmax_t{33} << 20U, kSize - 1}) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(place)).put('x');
    out.close();
    EXPECT_NE(file_mark(file), zeros) << place;
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(static_cast<std::streamoff>(place))
        .put('\0');
    EXPECT_EQ(file_mark(file), zeros) << place;
  }
}

TEST_F(FileMark, OfAFolderCountsTheKernelsOfOneArchitecture) {
  const std::filesystem::path kernels = folder_ / "library";
  (void)write("library/Kernels_gfx942.co", "one");
  (void)write("library/Kernels_gfx90a.co", "other");
  (void)write("library/TensileLibrary.dat", "all");
  (void)write("library/gfx942/deep.hsaco", "two");
  const std::string mark = folder_mark(kernels, "gfx942");
  EXPECT_EQ(mark.rfind("3 files, 9 bytes, xxh3 ", 0), 0U) << mark;
  (void)write("library/Kernels_gfx90a.co", "changed");
  EXPECT_EQ(folder_mark(kernels, "gfx942"), mark);
  (void)write("library/Kernels_gfx942.co", "One");
  EXPECT_NE(folder_mark(kernels, "gfx942"), mark);
  EXPECT_EQ(folder_mark(folder_ / "none", "gfx942"), "");
  EXPECT_EQ(folder_mark(kernels, "").rfind("1 file, 3 bytes", 0), 0U);
}

}  // namespace
}  // namespace parity::host
