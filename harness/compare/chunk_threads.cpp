// Chunks are handed out by an atomic counter, in ascending order.
#include "compare/chunk_threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace parity::compare {

std::size_t thread_count(std::size_t chunks, int threads) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), 1,
                                 std::max<std::size_t>(chunks, 1));
}

void for_each_chunk(std::size_t chunks, int threads,
                    const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t count = thread_count(chunks, threads);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_guard;
  const auto run = [&](std::size_t thread) {
    try {
      for (std::size_t chunk = next++; chunk < chunks; chunk = next++) work(thread, chunk);
    } catch (...) {
      next = chunks;
      const std::lock_guard lock(failure_guard);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < count; ++thread) others.emplace_back(run, thread);
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace parity::compare
