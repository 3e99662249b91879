#include "golden_store/packed_chunks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "error/error.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/packing.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

constexpr unsigned kMostThreads = 8;
constexpr std::size_t kPiecesPerThread = 4;  // in memory at a time

struct Piece {
  std::vector<hsize_t> at;  ///< of its first element
  std::size_t offset = 0;   ///< of its first byte in the tensor
  std::size_t bytes = 0;    ///< of the tensor; the last of a row is stored with zeros behind
};

std::size_t full_bytes(const Cut& cut) {
  std::size_t bytes = cut.element_bytes;
  for (const hsize_t size : cut.piece) bytes *= size;
  return bytes;
}

std::vector<Piece> pieces_of(const Cut& cut) {
  std::vector<Piece> pieces;
  std::vector<hsize_t> at(cut.shape.size(), 0);
  for (bool more = true; more;) {
    Piece piece{at, 0, cut.element_bytes};
    std::size_t stride = cut.element_bytes;
    for (std::size_t axis = at.size(); axis-- > 0;) {
      piece.offset += at[axis] * stride;
      piece.bytes *= std::min(cut.piece[axis], cut.shape[axis] - at[axis]);
      stride *= cut.shape[axis];
    }
    pieces.push_back(std::move(piece));
    more = false;
    for (std::size_t axis = at.size(); axis-- > 0 && !more;) {
      at[axis] += cut.piece[axis];
      more = at[axis] < cut.shape[axis];
      if (!more) at[axis] = 0;
    }
  }
  return pieces;
}

/// Byte b of every element, then byte b+1 of every element: H5Z_FILTER_SHUFFLE.
template <std::size_t kWidth>
void shuffle(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t byte = 0; byte < kWidth; ++byte) {
    for (std::size_t i = 0; i < count; ++i) to[byte * count + i] = from[i * kWidth + byte];
  }
}

template <std::size_t kWidth>
void unshuffle(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t byte = 0; byte < kWidth; ++byte)
      to[i * kWidth + byte] = from[byte * count + i];
  }
}

bool has_width(std::size_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
}

/// `operation` of shuffle and unshuffle for an element width that has_width() knows.
template <typename Operation>
void with_width(std::size_t width, Operation operation) {
  switch (width) {
    case 1:
      return operation(std::integral_constant<std::size_t, 1>{});
    case 2:
      return operation(std::integral_constant<std::size_t, 2>{});
    case 4:
      return operation(std::integral_constant<std::size_t, 4>{});
    case 8:
      return operation(std::integral_constant<std::size_t, 8>{});
    default:
      return operation(std::integral_constant<std::size_t, 16>{});
  }
}

std::vector<std::byte> packed_piece(const Cut& cut, std::span<const std::byte> bytes,
                                    const run::Compression& compression) {
  std::vector<std::byte> whole(full_bytes(cut));
  std::copy(bytes.begin(), bytes.end(), whole.begin());
  std::vector<std::byte> shuffled(whole.size());
  with_width(cut.element_bytes, [&](auto width) {
    shuffle<width>(whole.data(), shuffled.data(), whole.size() / width);
  });
  return packed(shuffled, compression);
}

/// The HDF5 library stores a piece that packing made no smaller as it is behind the shuffle.
struct Stored {
  std::vector<std::byte> bytes;
  bool packed = true;
};

/// nullopt where the shuffle was left out, which nobody does.
std::optional<Stored> stored_piece(const H5::DataSet& dataset, const Piece& piece) {
  constexpr std::uint32_t kPackerLeftOut = 2;  // a bit for each filter
  hsize_t size = 0;
  checked(H5Dget_chunk_storage_size(dataset.getId(), piece.at.data(), &size),
          "H5Dget_chunk_storage_size");
  Stored stored{std::vector<std::byte>(size)};
  std::uint32_t left_out = 0;
  checked(
      H5Dread_chunk(dataset.getId(), H5P_DEFAULT, piece.at.data(), &left_out, stored.bytes.data()),
      "H5Dread_chunk");
  if (left_out != 0 && left_out != kPackerLeftOut) return std::nullopt;
  stored.packed = left_out == 0;
  return stored;
}

bool unpack_piece(const Cut& cut, const Stored& stored, run::Packer packer,
                  std::span<std::byte> bytes) {
  std::vector<std::byte> shuffled(full_bytes(cut));
  if (stored.packed) {
    if (!unpack(stored.bytes, packer, shuffled)) return false;
  } else {
    if (stored.bytes.size() != shuffled.size()) return false;
    shuffled = stored.bytes;
  }
  std::vector<std::byte> padded;
  std::span<std::byte> whole = bytes;
  if (bytes.size() != shuffled.size()) {
    padded.resize(shuffled.size());
    whole = padded;
  }
  with_width(cut.element_bytes, [&](auto width) {
    unshuffle<width>(shuffled.data(), whole.data(), whole.size() / width);
  });
  if (!padded.empty()) std::memcpy(bytes.data(), padded.data(), bytes.size());
  return true;
}

std::size_t thread_count(std::size_t pieces) {
  const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  return std::min<std::size_t>(cores, pieces);
}

/// Calls `work` for 0 to count-1 on several threads; the first exception is thrown again here.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < thread_count(count); ++i) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

std::size_t batch_size(std::size_t pieces) { return thread_count(pieces) * kPiecesPerThread; }

}  // namespace

Cut cut_of(std::vector<hsize_t> shape, std::size_t element_bytes) {
  Cut cut{std::move(shape), {}, element_bytes};
  cut.piece.assign(cut.shape.size(), 1);
  hsize_t room = kMaxChunkBytes / element_bytes;
  for (std::size_t axis = cut.shape.size(); axis-- > 0 && room > 1;) {
    cut.piece[axis] = std::min(cut.shape[axis], room);
    room /= cut.piece[axis];
  }
  return cut;
}

void write_packed(const H5::DataSet& dataset, const Cut& cut, std::span<const std::byte> bytes,
                  const run::Compression& compression) {
  PARITY_CHECK(has_width(cut.element_bytes));
  if (bytes.empty()) return;
  const std::vector<Piece> pieces = pieces_of(cut);
  const std::size_t batch = batch_size(pieces.size());
  std::vector<std::vector<std::byte>> packed(batch);
  for (std::size_t first = 0; first < pieces.size(); first += batch) {
    const std::size_t count = std::min(batch, pieces.size() - first);
    in_parallel(count, [&](std::size_t i) {
      const Piece& piece = pieces[first + i];
      packed[i] = packed_piece(cut, bytes.subspan(piece.offset, piece.bytes), compression);
    });
    for (std::size_t i = 0; i < count; ++i) {
      checked(H5Dwrite_chunk(dataset.getId(), H5P_DEFAULT, 0, pieces[first + i].at.data(),
                             packed[i].size(), packed[i].data()),
              "H5Dwrite_chunk");
    }
  }
}

bool read_packed(const H5::DataSet& dataset, const Cut& cut, run::Packer packer,
                 std::span<std::byte> bytes) {
  if (!has_width(cut.element_bytes)) return false;
  const std::vector<Piece> pieces = pieces_of(cut);
  const std::size_t batch = batch_size(pieces.size());
  std::vector<Stored> stored(batch);
  std::atomic<bool> usable{true};
  for (std::size_t first = 0; first < pieces.size() && usable; first += batch) {
    const std::size_t count = std::min(batch, pieces.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      std::optional<Stored> piece = stored_piece(dataset, pieces[first + i]);
      if (!piece) return false;
      stored[i] = *std::move(piece);
    }
    in_parallel(count, [&](std::size_t i) {
      const Piece& piece = pieces[first + i];
      const auto part = bytes.subspan(piece.offset, piece.bytes);
      if (!unpack_piece(cut, stored[i], packer, part)) usable = false;
    });
  }
  return usable;
}

}  // namespace parity::golden_store
