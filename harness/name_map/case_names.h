// Which of one recorded case's taps each of the candidate's is, by the rules of a map.
// Knows the golden's names beforehand and the candidate's as they come; no values.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "name_map/name_map.h"

#include "run/recording.h"
#include "run/tap.h"

namespace parity::name_map {

/// Of one tap of the candidate.
struct Named {
  const Rule* rule = nullptr;      ///< nullptr: it keeps its own name
  std::vector<run::TapId> golden;  ///< several of a split, none of what is ignored, else one
  std::size_t part = 0;            ///< of a concat: which part of golden.front() it is
};

class CaseNames {
 public:
  /// `map` has to outlive this; nullptr: every tap keeps its name.
  CaseNames(const NameMap* map, const std::vector<run::TapRecord>& golden);

  /// By the first rule that matches, in the file's order. A concat matches the taps that its parts
  /// are called where the golden has a tap of that name.
  [[nodiscard]] Named of(const run::TapId& candidate) const;

  /// The golden's taps that are not to be compared, by the rule that says so. Never outputs.
  [[nodiscard]] const std::map<run::TapId, const Rule*>& left_out() const { return left_out_; }

 private:
  struct Part {
    const Rule* rule;
    run::TapId golden;
    std::size_t part;
  };

  const NameMap* map_;
  std::map<run::TapId, const Rule*> left_out_;
  std::map<run::TapId, Part> parts_;  ///< of concats, by the candidate's name
};

}  // namespace parity::name_map
