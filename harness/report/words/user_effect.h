// Whether somebody who uses the model would notice the difference, in words: of the tokens that it
// would choose and of the distribution over them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/data/report.h"

namespace parity::report {

/// Over all outputs with logits: of a decode's steps, all together.
struct TokenEffect {
  std::uint64_t outputs = 0;
  std::uint64_t positions = 0;
  std::uint64_t flips = 0;
  std::uint64_t decided = 0;
  std::uint64_t non_finite = 0;  ///< positions with NaN or infinity on some side
  std::uint64_t failed = 0;      ///< outputs
  double gap = 0;
  double largest_flip_gap = 0;
  double kl_mean = 0;
  double kl_max = 0;
  std::string warning;  ///< the first reason of one that is suspect
  std::string failure;  ///< likewise of one that failed
};

[[nodiscard]] TokenEffect token_effect(const Report& report);

/// Whether somebody would notice, in a sentence; of an effect on at least one output.
[[nodiscard]] std::string answer_of(const TokenEffect& all);
/// The same where no output has logits.
[[nodiscard]] std::string effect_without_logits(const Report& report);

/// Sentences, the answer first: over the logits of all cases, of a decode's steps all together.
[[nodiscard]] std::vector<std::string> user_effect(const Report& report);

}  // namespace parity::report
