#include "capture/capture_stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "capture/plain_device.h"
#include "error/error.h"
#include "tensor/block_digest.h"

namespace parity::capture {
namespace {

using test::PlainAllocator;
using test::PlainTensor;

struct Collected {
  run::TapId id;
  tensor::Shape shape;
  std::vector<std::byte> bytes;
  std::optional<tensor::Digest> digest;
};

class CollectingConsumer final : public TapConsumer {
 public:
  void consume(const CapturedTap& tap) override {
    sizes.push_back(tap.size_bytes);
    if (delay.count() > 0) std::this_thread::sleep_for(delay);
    if (taps.size() == fail_at) throw Error(ErrorKind::resource, "disk full");
    taps.push_back(
        {tap.id, tap.value.shape, {tap.value.bytes.begin(), tap.value.bytes.end()}, tap.digest});
  }
  [[nodiscard]] DigestWish digest_wish(const run::TapId& id) const override {
    if (id.path == "digest_alone") return DigestWish::alone;
    return id.path == "undigested" ? DigestWish::none : DigestWish::wanted;
  }

  std::vector<Collected> taps;
  std::vector<std::size_t> sizes;
  std::size_t fail_at = SIZE_MAX;
  std::chrono::milliseconds delay{0};
};

run::TapId module_tap(const std::string& path) { return {run::TapKind::module, path, "", 0, ""}; }

PlainTensor filled(std::size_t size_bytes, unsigned char value) {
  return {tensor::DType::uint8,
          {static_cast<std::int64_t>(size_bytes)},
          std::vector<std::byte>(size_bytes, std::byte{value})};
}

/// A tensor whose copy fails once it is waited for, as on a device that has failed.
class FailingTensor final : public run::DeviceTensor {
 public:
  [[nodiscard]] tensor::DType dtype() const override { return tensor::DType::uint8; }
  [[nodiscard]] const tensor::Shape& shape() const override { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const override { return 4; }
  [[nodiscard]] std::unique_ptr<run::Transfer> start_copy(
      run::HostBuffer& /*destination*/) const override {
    class Failing final : public run::Transfer {
      void wait() override { throw Error(ErrorKind::device, "the device is gone"); }
    };
    return std::make_unique<Failing>();
  }

 private:
  tensor::Shape shape_ = {4};
};

/// A tensor on a device that sums for digests; a copy of its values is counted.
class SummingTensor final : public run::DeviceTensor {
 public:
  explicit SummingTensor(std::vector<std::byte> bytes)
      : bytes_(std::move(bytes)), shape_{static_cast<std::int64_t>(bytes_.size())} {}
  [[nodiscard]] tensor::DType dtype() const override { return tensor::DType::uint8; }
  [[nodiscard]] const tensor::Shape& shape() const override { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const override { return bytes_.size(); }
  [[nodiscard]] std::unique_ptr<run::Transfer> start_copy(
      run::HostBuffer& destination) const override {
    ++copies;
    std::copy(bytes_.begin(), bytes_.end(), destination.bytes().begin());
    return std::make_unique<test::DoneTransfer>();
  }
  [[nodiscard]] std::size_t sums_bytes() const override {
    return tensor::block_sum_layout(bytes_.size()).size_bytes();
  }
  [[nodiscard]] std::unique_ptr<run::Transfer> start_sums(run::HostBuffer& destination,
                                                          std::size_t first) const override {
    if (is_full) return nullptr;
    const tensor::BlockSumLayout layout = tensor::block_sum_layout(bytes_.size());
    std::byte* to = destination.bytes().subspan(first, layout.size_bytes()).data();
    for (std::size_t block = 0; block < layout.blocks; ++block) {
      std::array<std::uint64_t, tensor::kDigestLanes> lanes{};
      tensor::sum_block(
          std::span<const std::byte, tensor::kDigestBlockBytes>(
              bytes_.data() + block * tensor::kDigestBlockBytes, tensor::kDigestBlockBytes),
          lanes);
      std::memcpy(to, lanes.data(), sizeof(lanes));
      to += sizeof(lanes);
    }
    std::memcpy(to, bytes_.data() + layout.tail_first, layout.tail_bytes);
    return std::make_unique<test::DoneTransfer>();
  }

  mutable int copies = 0;
  bool is_full = false;

 private:
  std::vector<std::byte> bytes_;
  tensor::Shape shape_;
};

TEST(CaptureStream, TakesDigestsFromSumsOfTheDevice) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {});
  std::vector<std::byte> bytes(std::size_t{1} << 20U);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i >> 5U);
  const SummingTensor tensor(bytes);
  stream.on_tap(module_tap("digest_alone"), tensor);
  EXPECT_EQ(tensor.copies, 0);
  EXPECT_LT(allocator.peak_bytes, bytes.size() / 4) << "the values stayed where they were";
  stream.on_tap(module_tap("both"), tensor);
  stream.on_tap(module_tap("undigested"), tensor);
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 3U);
  EXPECT_EQ(tensor.copies, 2);
  EXPECT_EQ(consumer.sizes, std::vector<std::size_t>(3, bytes.size()));
  EXPECT_TRUE(consumer.taps[0].bytes.empty());
  EXPECT_EQ(consumer.taps[0].digest, tensor::digest_of(bytes));
  EXPECT_EQ(consumer.taps[1].bytes, bytes);
  EXPECT_EQ(consumer.taps[1].digest, tensor::digest_of(bytes));
  EXPECT_EQ(consumer.taps[2].bytes, bytes);
}

TEST(CaptureStream, DigestsOnTheHostWhereTheDeviceHasNoMemoryForSums) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {});
  SummingTensor tensor(std::vector<std::byte>(100'000, std::byte{3}));
  tensor.is_full = true;
  stream.on_tap(module_tap("digest_alone"), tensor);
  stream.on_tap(module_tap("both"), tensor);
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 2U);
  EXPECT_EQ(tensor.copies, 2);
  const tensor::Digest expected = tensor::digest_of(std::vector<std::byte>(100'000, std::byte{3}));
  EXPECT_EQ(consumer.taps[0].digest, expected);
  EXPECT_EQ(consumer.taps[1].digest, expected);
}

TEST(CaptureStream, DigestsOnTheHostWhereTheDeviceDoesNot) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {});
  stream.on_tap(module_tap("digest_alone"), filled(1000, 7));
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 1U);
  EXPECT_EQ(consumer.taps[0].digest, tensor::digest_of(std::vector<std::byte>(1000, std::byte{7})));
}

TEST(CaptureStream, HandsOverEveryTapInOrderWithItsOwnBytes) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {});
  for (unsigned i = 0; i < 100; ++i) {
    stream.on_tap(module_tap("layer." + std::to_string(i)),
                  filled(10 + i, static_cast<unsigned char>(i)));
  }
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 100U);
  EXPECT_EQ(stream.tap_count(), 100U);
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(consumer.taps[i].id.path, "layer." + std::to_string(i));
    EXPECT_EQ(consumer.taps[i].bytes, std::vector<std::byte>(10 + i, static_cast<std::byte>(i)));
    EXPECT_EQ(consumer.taps[i].digest, tensor::digest_of(consumer.taps[i].bytes));
  }
}

TEST(CaptureStream, DigestsOnlyWhatTheConsumerWishesFor) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {});
  stream.on_tap(module_tap("undigested"), filled(16, 1));
  stream.on_tap(module_tap("digested"), filled(16, 1));
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 2U);
  EXPECT_FALSE(consumer.taps[0].digest.has_value());
  EXPECT_TRUE(consumer.taps[1].digest.has_value());
}

TEST(CaptureStream, ThrowsACopysErrorInFinishAndStopsTheRun) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {4096});
  stream.on_tap(module_tap("a"), FailingTensor{});
  bool stopped = false;
  for (int i = 0; i < 1000 && !stopped; ++i) {
    try {
      stream.on_tap(module_tap("b"), filled(4096, 1));
    } catch (const Error&) {
      stopped = true;
    }
  }
  EXPECT_TRUE(stopped);
  try {
    stream.finish();
    FAIL() << "finish() must throw the copy's error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the device is gone");
  }
}

TEST(CaptureStream, KeepsHostMemoryWithinTheRingWhenTheConsumerIsSlow) {
  constexpr std::size_t kCapacity = 64 << 10U;
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  consumer.delay = std::chrono::milliseconds(1);
  CaptureStream stream(allocator, filter, consumer, {kCapacity});
  for (int i = 0; i < 50; ++i) stream.on_tap(module_tap("a"), filled(16 << 10U, 1));
  stream.finish();
  EXPECT_EQ(consumer.taps.size(), 50U);
  EXPECT_LE(allocator.peak_bytes, kCapacity);
  EXPECT_LE(allocator.allocations, 4) << "buffers are used again";
}

TEST(CaptureStream, LetsOneTapLargerThanTheRingPassAlone) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {1024});
  stream.on_tap(module_tap("small"), filled(16, 1));
  stream.on_tap(module_tap("large"), filled(3 << 20U, 2));
  stream.on_tap(module_tap("small_again"), filled(16, 3));
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 3U);
  EXPECT_EQ(consumer.taps[1].bytes.size(), std::size_t{3} << 20U);
}

TEST(CaptureStream, ThrowsTheConsumersErrorInFinishAndStopsTheRun) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  consumer.fail_at = 1;
  CaptureStream stream(allocator, filter, consumer, {4096});
  bool stopped = false;
  for (int i = 0; i < 1000 && !stopped; ++i) {
    try {
      stream.on_tap(module_tap("a"), filled(4096, 1));
    } catch (const Error&) {
      stopped = true;
    }
  }
  EXPECT_TRUE(stopped) << "a run must not go on for long once nothing is kept";
  try {
    stream.finish();
    FAIL() << "finish() must throw the consumer's error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "disk full");
    EXPECT_EQ(error.kind(), ErrorKind::resource);
  }
}

TEST(CaptureStream, LeavesOutFilteredTapsButKeepsTheOutput) {
  PlainAllocator allocator;
  TapFilter filter({"keep.*"}, {"keep.not"});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {});
  for (const char* path : {"keep.a", "keep.not", "drop"})
    stream.on_tap(module_tap(path), filled(4, 1));
  stream.on_tap({run::TapKind::output, std::string(run::kOutputPath), "", 0, ""}, filled(4, 1));
  stream.on_skipped(module_tap("keep.text"), "a str has no distance");
  stream.on_skipped(module_tap("drop.text"), "a str has no distance");
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 2U);
  EXPECT_EQ(consumer.taps[0].id.path, "keep.a");
  EXPECT_EQ(consumer.taps[1].id.path, "<output>");
  ASSERT_EQ(stream.skipped().size(), 1U);
  EXPECT_EQ(stream.skipped()[0].id.path, "keep.text");
}

TEST(CaptureStream, CarriesEmptyAndZeroDimTensors) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  CaptureStream stream(allocator, filter, consumer, {});
  stream.on_tap(module_tap("empty"), PlainTensor(tensor::DType::float32, {3, 0, 2}, {}));
  stream.on_tap(module_tap("scalar"), PlainTensor(tensor::DType::uint8, {}, {std::byte{7}}));
  stream.finish();
  ASSERT_EQ(consumer.taps.size(), 2U);
  EXPECT_TRUE(consumer.taps[0].bytes.empty());
  EXPECT_EQ(consumer.taps[0].shape, (tensor::Shape{3, 0, 2}));
  EXPECT_EQ(consumer.taps[1].bytes.at(0), std::byte{7});
}

TEST(CaptureStream, CanBeDroppedWithoutFinish) {
  PlainAllocator allocator;
  TapFilter filter({}, {});
  CollectingConsumer consumer;
  {
    CaptureStream stream(allocator, filter, consumer, {});
    stream.on_tap(module_tap("a"), filled(4, 1));
  }
  EXPECT_EQ(allocator.live_bytes, 0U);
}

}  // namespace
}  // namespace parity::capture
