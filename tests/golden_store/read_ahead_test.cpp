// Stretches of files read in parts and ahead: the same bytes, or none where they are not what they
// should be.
#include "golden_store/read_ahead.h"

#include <cstring>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "golden_store/descriptor.h"
#include "golden_store/read_at.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store {
namespace {

constexpr std::size_t kFileBytes = (std::size_t{40} << 20U) + 4097;

class ReadAheadTest : public ::testing::Test {
 protected:
  ReadAheadTest() : bytes_(kFileBytes) {
    std::uint32_t state = 1;
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>((state = state * 48271U) >> 16U);
    const std::filesystem::path path = folder_.path() / "bytes";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()),
               static_cast<std::streamsize>(bytes_.size()));
    file_ = Descriptor(::open(path.c_str(), O_RDONLY));
  }

  [[nodiscard]] Stretch stretch(std::size_t offset, std::size_t size) const {
    return {file_.number(), offset, size,
            tensor::digest_of(std::span(bytes_).subspan(offset, size))};
  }
  [[nodiscard]] bool are_bytes_of(const Stretch& stretch, const ReadAhead::Bytes& read) const {
    return read != nullptr &&
           std::memcmp(read.get(), bytes_.data() + stretch.offset, stretch.size_bytes) == 0;
  }

  testing::ScratchFolder folder_;
  std::vector<std::byte> bytes_;
  Descriptor file_{-1};
};

TEST_F(ReadAheadTest, ReadsEveryByteAtEveryOffsetAndSize) {
  for (const std::size_t offset : {std::size_t{0}, std::size_t{513}, std::size_t{9} << 20U}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, (std::size_t{8} << 20U) - 1,
                                   (std::size_t{16} << 20U) + 3, std::size_t{31} << 20U}) {
      for (const std::size_t parts : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
        std::vector<std::byte> read(size);
        const ReadEnd end = read_in_parts(file_.number(), offset, read, parts);
        EXPECT_EQ(end.error, 0);
        EXPECT_EQ(end.bytes, size);
        EXPECT_EQ(std::memcmp(read.data(), bytes_.data() + offset, size), 0)
            << offset << " " << size << " " << parts;
      }
    }
  }
}

TEST_F(ReadAheadTest, SaysWhereTheFileEndsAndThatItCannotRead) {
  std::vector<std::byte> read(std::size_t{32} << 20U);
  for (const std::size_t parts : {std::size_t{1}, std::size_t{3}, std::size_t{8}}) {
    EXPECT_EQ(read_in_parts(file_.number(), kFileBytes - 1000, read, parts).bytes, 1000U);
    EXPECT_EQ(
        read_in_parts(file_.number(), kFileBytes - (std::size_t{20} << 20U), read, parts).bytes,
        std::size_t{20} << 20U);
    EXPECT_EQ(read_in_parts(file_.number(), kFileBytes + 5, read, parts).bytes, 0U);
    EXPECT_EQ(read_in_parts(-1, 0, read, parts).error, EBADF);
  }
  EXPECT_EQ(read_at(file_.number(), kFileBytes - 1000, read).bytes, 1000U);
}

TEST_F(ReadAheadTest, HandsOverWhatWasAskedForAndNothingElse) {
  ReadAhead ahead;
  EXPECT_EQ(ahead.take({0, 0}), nullptr);
  const Stretch first = stretch(100, 5'000'000);
  ahead.start({0, 1}, first);
  EXPECT_EQ(ahead.take({0, 2}), nullptr);
  EXPECT_TRUE(are_bytes_of(first, ahead.take({0, 1})));
  EXPECT_EQ(ahead.take({0, 1}), nullptr) << "handed over once";
  const Stretch second = stretch(0, kFileBytes);
  ahead.start({0, 2}, first);
  ahead.start({0, 3}, second);
  EXPECT_EQ(ahead.take({0, 2}), nullptr);
  EXPECT_TRUE(are_bytes_of(second, ahead.take({0, 3})));
}

TEST_F(ReadAheadTest, GivesMemoryAgainOnlyWhenNobodyHasIt) {
  ReadAhead ahead;
  const Stretch one = stretch(0, 5'000'000);
  const Stretch other = stretch(7'000'000, 5'000'000);
  std::vector<ReadAhead::Bytes> held;
  for (std::size_t tap = 0; tap < 6; ++tap) {
    const Stretch& asked = tap % 2 == 0 ? one : other;
    ahead.start({0, tap}, asked);
    held.push_back(ahead.take({0, tap}));
    for (std::size_t before = 0; before <= tap; ++before)
      EXPECT_TRUE(are_bytes_of(before % 2 == 0 ? one : other, held[before])) << before;
  }
  held.clear();
  const std::byte* last = nullptr;
  for (std::size_t tap = 0; tap < 4; ++tap) {
    ahead.start({1, tap}, one);
    const ReadAhead::Bytes bytes = ahead.take({1, tap});
    EXPECT_TRUE(are_bytes_of(one, bytes));
    if (last != nullptr) {
      EXPECT_EQ(bytes.get(), last) << "free memory was there";
    }
    last = bytes.get();
  }
}

TEST_F(ReadAheadTest, LeavesToTheUsualWayWhatIsNotAsRecorded) {
  ReadAhead ahead;
  Stretch damaged = stretch(4096, 1'000'000);
  damaged.digest.bytes[3] ^= 1U;
  ahead.start({1, 1}, damaged);
  EXPECT_EQ(ahead.take({1, 1}), nullptr);
  Stretch beyond = stretch(4096, 1'000'000);
  beyond.offset = kFileBytes - 10;
  ahead.start({1, 2}, beyond);
  EXPECT_EQ(ahead.take({1, 2}), nullptr);
}

TEST_F(ReadAheadTest, ForgetsWhatItReadWhenMemoryIsWanted) {
  ReadAhead ahead;
  ahead.start({0, 0}, stretch(0, 5'000'000));
  ahead.release();
  EXPECT_EQ(ahead.take({0, 0}), nullptr);
  const Stretch again = stretch(100, 5'000'000);
  ahead.start({0, 1}, again);
  EXPECT_TRUE(are_bytes_of(again, ahead.take({0, 1})));
}

TEST_F(ReadAheadTest, MayBeLeftWithATapThatNobodyTakes) {
  ReadAhead ahead;
  ahead.start({0, 0}, stretch(0, kFileBytes));
}

}  // namespace
}  // namespace parity::golden_store
