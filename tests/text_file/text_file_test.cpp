// What is read, and what is refused without waiting for it or filling memory with it.
#include "text_file/text_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error/error.h"

namespace parity::text_file {
namespace {

namespace fs = std::filesystem;

constexpr Kind kNote = {"note", 100000, "100 kB", "name a note"};

class TextFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("parity_text_file_" + std::to_string(getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path written(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

/// The message of the refusal; "" where there is none.
std::string refusal(const fs::path& file) {
  try {
    (void)read(file, kNote);
  } catch (const Error& error) {
    EXPECT_EQ(exit_code(error.kind()), 2);
    return error.what();
  }
  return {};
}

TEST_F(TextFile, IsReadByteForByteUpToTheMostThatThereIs) {
  for (const std::string& text :
       {std::string{}, std::string("a\0b\r\n\xff", 6), std::string(100000, 'x')}) {
    EXPECT_EQ(read(written("note", text), kNote), text);
  }
  fs::create_symlink(folder_ / "note", folder_ / "link");
  EXPECT_EQ(read(folder_ / "link", kNote).size(), 100000U);
}

TEST_F(TextFile, OfMoreThanThatIsRefused) {
  const fs::path file = written("note", std::string(100001, 'x'));
  EXPECT_EQ(refusal(file), file.string() + " is larger than 100 kB, as no note is; name a note");
}

TEST_F(TextFile, IsHeldToThatWhileItIsRead) {
  // Its size is said to be 0.
  constexpr Kind kShort = {"note", 16, "16 B", "name a note"};
  EXPECT_THROW((void)read("/proc/self/status", kShort), Error);
  EXPECT_NO_THROW((void)read("/proc/self/status", kNote));
}

TEST_F(TextFile, IsNoFolderAndNoDeviceAndNoPipe) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  struct Row {
    fs::path file;
    const char* said;
  };
  for (const Row& row : {Row{folder_, " cannot be read: it is a folder; name a note"},
                         Row{pipe, " cannot be read: it is a pipe or a device"},
                         Row{"/dev/zero", " cannot be read: it is a pipe or a device"},
                         Row{"/dev/null", " cannot be read: it is a pipe or a device"},
                         Row{folder_ / "none", " cannot be read: No such file or directory"},
                         Row{"-", " cannot be read: a file is needed, not standard input"}}) {
    EXPECT_EQ(refusal(row.file).find(row.file.string() + row.said), 0U) << refusal(row.file);
  }
}

}  // namespace
}  // namespace parity::text_file
