// How a part is written in a sentence.
#include "run/shard.h"

namespace parity::run {

std::string to_string(const Shard& shard) {
  return "shard " + std::to_string(shard.index) + " of " + std::to_string(shard.count);
}

}  // namespace parity::run
