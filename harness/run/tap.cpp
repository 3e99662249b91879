// Tap names as reports and goldens spell them.
#include "run/tap.h"

namespace parity::run {

std::string_view name(TapKind kind) {
  switch (kind) {
    case TapKind::module:
      return "module";
    case TapKind::op:
      return "op";
    case TapKind::output:
      return "output";
  }
  return "unknown";
}

std::optional<TapKind> tap_kind_from_name(std::string_view text) {
  for (const TapKind kind : {TapKind::module, TapKind::op, TapKind::output}) {
    if (name(kind) == text) return kind;
  }
  return std::nullopt;
}

bool is_decode_step(const TapId& id) { return id.kind == TapKind::output && id.call > 0; }

std::string to_string(const TapId& id) {
  std::string text = id.path;
  if (!id.op.empty()) text.append("/").append(id.op);
  if (id.call != 0) text.append("#").append(std::to_string(id.call));
  if (!id.port.empty()) text.append(":").append(id.port);
  return text;
}

}  // namespace parity::run
