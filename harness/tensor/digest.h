// XXH3-128 content digests of tensors and files. Not cryptographic: guards against corruption, not
// against forgery.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parity::tensor {

/// XXH3-128 in canonical (big-endian) byte order; to_hex gives 32 lower-case digits, as `xxhsum
/// -H2` prints.
struct Digest {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Digest&) const = default;
};

[[nodiscard]] std::string to_hex(const Digest& digest);
[[nodiscard]] std::optional<Digest> digest_from_hex(std::string_view hex);
[[nodiscard]] Digest digest_of(std::span<const std::byte> bytes);

/// The same digest over pieces that arrive one after the other.
class DigestStream {
 public:
  DigestStream();
  ~DigestStream();
  DigestStream(DigestStream&&) noexcept;
  DigestStream& operator=(DigestStream&&) noexcept;
  DigestStream(const DigestStream&) = delete;
  DigestStream& operator=(const DigestStream&) = delete;

  void update(std::span<const std::byte> bytes);
  [[nodiscard]] Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::tensor
