// Digests of all weights, several at a time.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "model/weights/state_dict.h"
#include "model/weights/strided_bytes.h"
#include "tensor/digest.h"

namespace parity::model {
namespace {

tensor::Digest digest_of(const StoredTensor& tensor) {
  tensor::DigestStream stream;
  for_each_piece(tensor, [&stream](std::span<const std::byte> piece) { stream.update(piece); });
  return stream.finish();
}

}  // namespace

std::vector<run::WeightDigest> digest_weights(const StateDict& weights) {
  const std::vector<StoredTensor>& tensors = weights.tensors;
  std::vector<run::WeightDigest> digests(tensors.size());
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < tensors.size(); i = next++) {
      try {
        digests[i] = {tensors[i].name, tensors[i].dtype, tensors[i].shape, digest_of(tensors[i])};
      } catch (...) {
        const std::scoped_lock lock(failure_mutex);
        failure = std::current_exception();
        return;
      }
    }
  };
  const std::size_t wanted = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < std::min(wanted, tensors.size()); ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: those that run, and this one, do the work.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  std::sort(digests.begin(), digests.end(),
            [](const run::WeightDigest& first, const run::WeightDigest& second) {
              return first.name < second.name;
            });
  return digests;
}

}  // namespace parity::model
