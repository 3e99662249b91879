// A golden that lost, gained or changed a single bit is refused, and so is everything that never
// was one.
#include <random>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "error/error.h"
#include "golden_store/child_process.h"
#include "golden_store/forge.h"
#include "golden_store/golden_reader.h"
#include "golden_store/sample_golden.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store {
namespace {

using namespace testing;

class GoldenDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    write_sample(golden_, golden_of_every_dtype({3, 5}));
    whole_ = file_bytes(golden_);
  }

  /// The sentence with which `bytes` are refused; "" and a failure when they are accepted.
  std::string refusal(const std::string& bytes) {
    write_file(golden_, bytes);
    return refusal_of_file(golden_);
  }

  static std::string refusal_of_file(const std::filesystem::path& path) {
    try {
      const GoldenReader reader(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }

  ScratchFolder folder_;
  std::filesystem::path golden_ = folder_ / "golden.h5";
  std::string whole_;
};

TEST_F(GoldenDamage, NoByteMissingOrAddedPasses) {
  for (const std::size_t percent : {0, 10, 50, 90, 99}) {
    EXPECT_NE(refusal(whole_.substr(0, whole_.size() * percent / 100)), "") << percent << " %";
  }
  for (const std::size_t size : {1, 15, 16, 63, 64, 511, 512, 513, 560}) {
    EXPECT_NE(refusal(whole_.substr(0, size)), "") << size << " bytes";
  }
  EXPECT_NE(refusal(whole_.substr(0, whole_.size() - 1)).find("bytes where"), std::string::npos);
  EXPECT_NE(refusal(whole_ + '\0').find("bytes where"), std::string::npos);
  EXPECT_NE(refusal(whole_ + whole_).find("bytes where"), std::string::npos);
}

TEST_F(GoldenDamage, NoFlippedBitPassesAnywhere) {
  std::mt19937_64 random(1);
  std::vector<std::size_t> bits;
  for (std::size_t bit = 0; bit < 64 * 8; bit += 5) bits.push_back(bit);
  for (int i = 0; i < 400; ++i) bits.push_back(random() % (whole_.size() * 8));
  for (const std::size_t bit : bits) {
    std::string flipped = whole_;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(refusal(flipped), "") << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST_F(GoldenDamage, SwappedAndZeroedBlocksAreRefused) {
  std::string zeroed = whole_;
  std::fill(zeroed.begin() + 4096, zeroed.begin() + 8192, '\0');
  EXPECT_NE(refusal(zeroed).find("altered"), std::string::npos);
  std::string swapped = whole_;
  std::swap_ranges(swapped.begin() + 1024, swapped.begin() + 2048, swapped.begin() + 2048);
  EXPECT_NE(refusal(swapped).find("altered"), std::string::npos);
}

TEST_F(GoldenDamage, EachKindOfOtherFileIsNamed) {
  const std::string zip("PK\x03\x04", 4);
  std::string other_version = whole_;
  const auto bump = [&](std::uint32_t major) {
    UserBlock block = decode_user_block(std::as_bytes(std::span(whole_)).first(kUserBlockBytes));
    block.major = major;
    const UserBlockBytes bytes = encode(block);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(other_version.data()));
    return other_version;
  };
  std::string text_copy = whole_;
  text_copy.erase(text_copy.find('\r'), 1);
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "the file is empty"},
      {"x", "does not begin as a golden does"},
      {zip + std::string(1000, 'x'), "does not begin as a golden does"},
      {std::string(100'000, '\0'), "its writer never finished it"},
      {std::string(512, '\0') + whole_.substr(512), "its writer never finished it"},
      {whole_.substr(512), "it is an HDF5 file, but none that `parity record` wrote"},
      {text_copy, "does not begin as a golden does"},
      {bump(2), "it has format version 2.3 and this parity reads version 1"},
      {bump(0), "it has format version 0.3"},
      {whole_.substr(0, 100), "it is cut off after 100 bytes"},
      {sealed(""), "not the HDF5 layout of a golden"},
      {sealed("no HDF5 in here"), "not the HDF5 layout of a golden"},
      {sealed(std::string(100'000, '\xff')), "not the HDF5 layout of a golden"},
      {sealed(whole_), "not the HDF5 layout of a golden"},
      {sealed(whole_.substr(512) + std::string(8, '\0')), "not the HDF5 layout of a golden"},
  };
  for (const auto& [bytes, reason] : table) {
    const std::string sentence = refusal(bytes);
    EXPECT_NE(sentence.find(reason), std::string::npos) << sentence << " instead of: " << reason;
  }
}

TEST_F(GoldenDamage, ANewerMinorVersionIsRead) {
  UserBlock block = decode_user_block(std::as_bytes(std::span(whole_)).first(kUserBlockBytes));
  block.minor = 7;
  const UserBlockBytes bytes = encode(block);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(whole_.data()));
  write_file(golden_, whole_);
  EXPECT_EQ(GoldenReader(golden_).cases().size(), 1U);
}

TEST_F(GoldenDamage, WhatIsNoFileIsRefusedWithoutWaiting) {
  std::filesystem::create_directory(folder_ / "folder");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", folder_ / "dangling");
  std::filesystem::create_symlink("circle", folder_ / "circle");
  const std::vector<std::pair<std::filesystem::path, std::string>> table = {
      {folder_ / "missing.h5", "No such file"}, {folder_ / "folder", "not a file"},
      {folder_ / "pipe", "not a file"},         {folder_ / "dangling", "No such file"},
      {folder_ / "circle", "symbolic"},         {"/dev/zero", "not a file"},
  };
  for (const auto& [path, reason] : table) {
    const std::string sentence = refusal_of_file(path);
    EXPECT_NE(sentence.find(reason), std::string::npos) << sentence;
  }
}

TEST_F(GoldenDamage, AValueChangedAfterOpeningIsRefused) {
  SampleGolden golden = small_golden();
  golden.cases[0].taps.push_back(
      random_tap(module_id("large"), tensor::DType::float32, {1000, 100}, 5));
  write_sample(golden_, golden);
  const std::string bytes = file_bytes(golden_);
  const std::string values(reinterpret_cast<const char*>(golden.cases[0].taps.back().stored.data()),
                           400'000);
  const std::size_t at = bytes.find(values);
  ASSERT_NE(at, std::string::npos) << "values lie in the file as they are";
  const GoldenReader reader(golden_);
  std::fstream file(golden_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at + 200'000));
  file.put(static_cast<char>(bytes[at + 200'000] ^ 1));
  file.close();
  try {
    static_cast<void>(reader.read_tap(0, golden.cases[0].taps.size() - 1));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::store);
    EXPECT_NE(std::string(error.what()).find("'large' of case 'prompt' do not have the digest"),
              std::string::npos);
  }
}

TEST_F(GoldenDamage, ALockOfAnotherProcessNeitherHangsNorFailsTheReader) {
  const int file = ::open(golden_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
  for (const char* setting : {"TRUE", "FALSE", "BEST_EFFORT", ""}) {
    const int status = run_in_child([&] {
      ::setenv("HDF5_USE_FILE_LOCKING", setting, 1);
      static_cast<void>(GoldenReader(golden_).read_tap(0, 0));
    });
    EXPECT_EQ(status, kFinished) << "HDF5_USE_FILE_LOCKING=" << setting;
  }
  ::close(file);
}

TEST_F(GoldenDamage, AReadOnlyFileInAReadOnlyFolderIsRead) {
  ::chmod(golden_.c_str(), 0400);
  ::chmod(folder_.path().c_str(), 0500);
  EXPECT_EQ(GoldenReader(golden_).cases().size(), 1U);
  ::chmod(folder_.path().c_str(), 0700);
}

}  // namespace
}  // namespace parity::golden_store
