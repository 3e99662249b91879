// Reads a stretch of a file, a large one on several threads: one thread copies from the page cache
// at a fraction of what memory takes. Knows no format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace parity::golden_store {

struct ReadEnd {
  std::size_t bytes = 0;  ///< from the first on, all that were there before the file's end
  int error = 0;          ///< errno; then the bytes mean nothing
};

/// May be called from any thread, for one descriptor as well.
[[nodiscard]] ReadEnd read_at(int descriptor, std::uint64_t offset,
                              std::span<std::byte> buffer) noexcept;

/// The same in this many parts, at most 8, each on a thread of its own where there is one to be
/// had.
[[nodiscard]] ReadEnd read_in_parts(int descriptor, std::uint64_t offset,
                                    std::span<std::byte> buffer, std::size_t parts) noexcept;

}  // namespace parity::golden_store
