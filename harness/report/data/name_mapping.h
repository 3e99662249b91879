// What a name map did in a comparison: its rules, how often each was followed, and the names that
// found no partner. Plain data; the matching is done elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::report {

struct NameMapRule {
  int line = 0;  ///< of the map file
  std::string kind;
  std::string pattern;
  std::vector<std::string> names;  ///< of the other side, as written
  std::uint64_t taps = 0;  ///< of the candidate that it named; of the golden that it left out
};

/// A tap of the candidate that stands for none of the golden's.
struct UnmatchedName {
  std::string case_name;
  std::string candidate;
  std::string golden;  ///< that a rule named it, which the golden lacks; empty where none did
};

/// Taps of the candidate that are all the same one of the golden's.
struct NameCollision {
  std::string case_name;
  std::string golden;
  std::vector<std::string> candidates;  ///< the first was compared
};

struct NameMapping {
  std::string file;
  std::vector<NameMapRule> rules;
  std::uint64_t mapped =
      0;  ///< taps of the golden that were compared with others of the candidate's
  std::uint64_t reshaped = 0;  ///< taps with other dimensions before the last
  std::vector<UnmatchedName> unmatched;
  std::vector<NameCollision> collisions;
};

}  // namespace parity::report
