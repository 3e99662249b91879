// Reads the tap that will be asked for next while the last one is compared, on a thread of its own.
// Calls nothing of HDF5, which is used by one thread at a time; what it reads counts only if it has
// the digest that was recorded.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tensor/digest.h"

namespace parity::golden_store {

/// A stretch of a file that holds the values of a tap as they are.
struct Stretch {
  int descriptor = -1;
  std::uint64_t offset = 0;
  std::size_t size_bytes = 0;
  tensor::Digest digest;
};

/// Of one reader, one tap at a time; called by one thread.
class ReadAhead {
 public:
  using Key = std::pair<std::size_t, std::size_t>;  ///< case and tap
  using Bytes = std::shared_ptr<std::byte>;

  ReadAhead() = default;
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Begins with this one; what was read and not taken is dropped.
  void start(const Key& key, const Stretch& stretch);
  /// The bytes of this tap, waited for; nullptr when another one or none was begun, or when it
  /// could not be read or has another digest, which the usual way will say.
  [[nodiscard]] Bytes take(const Key& key);
  /// Gives back all memory that nobody else has.
  void release();

 private:
  void work();
  [[nodiscard]] Bytes read(const Stretch& stretch);
  [[nodiscard]] Bytes memory_of(std::size_t size_bytes);

  /// Memory that was handed out and may be free again: fresh memory costs as much as the read.
  struct Used {
    Bytes bytes;
    std::size_t size_bytes = 0;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;  ///< from the first start() on
  bool ended_ = false;
  std::optional<Key> key_;        ///< what is being read or has been
  std::optional<Stretch> asked_;  ///< until it is read
  Bytes bytes_;
  std::array<Used, 2> used_;  ///< of the thread while it reads
};

}  // namespace parity::golden_store
