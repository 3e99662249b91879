// Plain threads over numbered chunks: every chunk is done once, by any thread; the first exception
// is passed on.
#pragma once

#include <cstddef>
#include <functional>

namespace parity::compare {

/// Calls `work(thread, chunk)` for every chunk in [0, chunks); `thread` is in [0,
/// thread_count(chunks, threads)).
void for_each_chunk(std::size_t chunks, int threads,
                    const std::function<void(std::size_t, std::size_t)>& work);

/// Threads that for_each_chunk uses: no more than there are chunks, at least one.
[[nodiscard]] std::size_t thread_count(std::size_t chunks, int threads);

}  // namespace parity::compare
