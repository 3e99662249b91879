// Digests through xxHash, in canonical byte order so that a golden means the same on every machine.
// The only file that knows xxHash.
#include "tensor/digest.h"

#include <algorithm>
#include <array>
#include <new>

#include <xxhash.h>
#ifdef PARITY_XXHASH_DISPATCHES
#include <xxh_x86dispatch.h>  // puts the dispatching functions in the place of the plain ones
#endif

#include "error/error.h"

namespace parity::tensor {
namespace {

Digest canonical(XXH128_hash_t hash) {
  XXH128_canonical_t out;
  XXH128_canonicalFromHash(&out, hash);
  Digest digest;
  std::copy(std::begin(out.digest), std::end(out.digest), digest.bytes.begin());
  return digest;
}

/// The dispatching functions choose at the first long input, without a lock.
void choose_instructions() {
  static const XXH128_hash_t once = [] {
    const std::array<std::byte, 1024> zeros{};
    return XXH3_128bits(zeros.data(), zeros.size());
  }();
  static_cast<void>(once);
}

}  // namespace

std::string to_hex(const Digest& digest) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.bytes.size());
  for (const std::uint8_t byte : digest.bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::optional<Digest> digest_from_hex(std::string_view hex) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  Digest digest;
  if (hex.size() != 2 * digest.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const std::size_t high = kDigits.find(hex[2 * i]);
    const std::size_t low = kDigits.find(hex[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    digest.bytes.at(i) = static_cast<std::uint8_t>(high << 4U | low);
  }
  return digest;
}

Digest digest_of(std::span<const std::byte> bytes) {
  choose_instructions();
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

struct DigestStream::State {
  XXH3_state_t* handle = XXH3_createState();

  State() {
    choose_instructions();
    if (handle == nullptr) throw std::bad_alloc();
    PARITY_CHECK(XXH3_128bits_reset(handle) == XXH_OK);
  }
  ~State() { XXH3_freeState(handle); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

DigestStream::DigestStream() : state_(std::make_unique<State>()) {}
DigestStream::~DigestStream() = default;
DigestStream::DigestStream(DigestStream&&) noexcept = default;
DigestStream& DigestStream::operator=(DigestStream&&) noexcept = default;

void DigestStream::update(std::span<const std::byte> bytes) {
  PARITY_CHECK(XXH3_128bits_update(state_->handle, bytes.data(), bytes.size()) == XXH_OK);
}

Digest DigestStream::finish() const { return canonical(XXH3_128bits_digest(state_->handle)); }

}  // namespace parity::tensor
