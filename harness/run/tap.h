// Names of taps: which captured tensor this is, independent of how it was captured.
// Holds no value: what was captured there travels beside it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parity::run {

enum class TapKind : std::uint8_t { module, op, output };

[[nodiscard]] std::string_view name(TapKind kind);
[[nodiscard]] std::optional<TapKind> tap_kind_from_name(std::string_view name);

/// The layer path of the model's own output.
inline constexpr std::string_view kOutputPath = "<output>";

/// Identity of one captured tensor; two runs of the same model give equal ids in equal order.
struct TapId {
  TapKind kind = TapKind::module;
  std::string path;  ///< dotted module path as PyTorch names it; "" is the root module; kOutputPath
                     ///< for outputs
  std::string op;    ///< kind op only: "aten.softmax"
  std::int64_t call = 0;  ///< 0-based call of the module, or of that op inside that module
  std::string
      port;  ///< "" for a lone tensor; otherwise dotted position in nested outputs: "0", "hidden.1"

  auto operator<=>(const TapId&) const = default;
};

/// Whether it is an output of a further pass: the prompt's of a decode has call 0, each step's one
/// of its own.
[[nodiscard]] bool is_decode_step(const TapId& id);

/// `path#call:port` and `path/op#call:port`; call 0 and an empty port are left out.
[[nodiscard]] std::string to_string(const TapId& id);

}  // namespace parity::run
