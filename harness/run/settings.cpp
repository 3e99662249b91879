// Names of the settings as flags and provenance spell them.
#include "run/settings.h"

namespace parity::run {

std::string to_string(Fp32Precision value) {
  return value == Fp32Precision::ieee ? "ieee" : "tf32";
}

std::string to_string(Sdpa value) {
  switch (value) {
    case Sdpa::math:
      return "math";
    case Sdpa::flash:
      return "flash";
    case Sdpa::efficient:
      return "efficient";
    case Sdpa::default_choice:
      return "default";
  }
  return "default";
}

std::string to_string(TapDepth value) { return value == TapDepth::modules ? "modules" : "ops"; }
std::string to_string(Determinism value) { return value == Determinism::off ? "off" : "on"; }

}  // namespace parity::run
