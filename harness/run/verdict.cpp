// Names of verdicts and which of them pass. A verdict that is not listed as passing fails.
#include "run/verdict.h"

#include <array>

namespace parity::run {
namespace {

constexpr std::array<std::string_view, 12> kNames = {
    "identical",     "within",        "closer",  "suspect",    "diverged",  "non_finite",
    "shape_differs", "dtype_differs", "missing", "additional", "untrusted", "untested"};

}  // namespace

std::string_view name(Verdict verdict) { return kNames.at(static_cast<std::size_t>(verdict)); }

std::optional<Verdict> verdict_from_name(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == text) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

bool passes(Verdict verdict, Strictness strictness) {
  switch (verdict) {
    case Verdict::identical:
    case Verdict::within:
    case Verdict::closer:
      return true;
    case Verdict::suspect:
      return strictness == Strictness::normal;
    default:
      return false;
  }
}

}  // namespace parity::run
