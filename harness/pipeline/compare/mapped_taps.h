// Between the taps of a candidate and their comparison with a golden: gives each the golden's name,
// cuts fused ones into parts and puts parts together. Compares nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "name_map/case_names.h"

#include "capture/tap_filter.h"
#include "pipeline/compare/case_comparison.h"
#include "report/data/report.h"
#include "tensor/host_tensor.h"

namespace parity::pipeline {

/// A map that is in force, and where what it does is told.
struct MapInForce {
  const name_map::NameMap* map = nullptr;  ///< nullptr: every tap keeps its name
  report::NameMapping* told = nullptr;     ///< nullptr: nobody is told
};

/// Of one case. Holds the parts of one tap until all have come.
class MappedTaps {
 public:
  /// `filter` goes by the golden's names. All have to outlive this.
  MappedTaps(const MapInForce& force, const run::CaseRecord& golden, CaseComparison& comparison,
             capture::TapFilter& filter);

  [[nodiscard]] bool has_map() const { return force_.map != nullptr; }
  /// Whether there is anything to do with this tap of the candidate.
  [[nodiscard]] bool wants(const run::TapId& candidate);
  /// Whether add() needs the digest of this tap.
  [[nodiscard]] bool needs_digest(const run::TapId& candidate) const;
  /// A tap that is not wanted: only counted for the rule that names it.
  void pass_over(const run::TapId& candidate) { count(names_.of(candidate).rule); }
  /// A tap that is wanted.
  void add(const TapData& candidate);
  void add_remarks(const std::vector<run::SkippedTap>& skipped,
                   const std::vector<std::string>& notes);
  /// What is left of parts whose whole never came. Once, behind the last tap.
  void finish();

 private:
  /// Parts that have come of one tap of the golden.
  struct Gathered {
    std::vector<std::optional<tensor::HostTensor>> parts;
    std::vector<run::TapRecord> records;  ///< of those that have come
  };
  /// A tap as the golden calls it.
  struct Renamed {
    run::TapRecord record;
    tensor::TensorView stored;
    std::vector<std::string> own_names;
    const run::TapRecord* own = nullptr;  ///< the candidate's, or one of them
    bool by_rule = false;
  };

  void count(const name_map::Rule* rule);
  void deliver(Renamed tap);
  void add_split(const TapData& candidate, const name_map::Named& named);
  void add_part(const TapData& candidate, const name_map::Named& named);
  void add_whole(const run::TapId& golden, const name_map::Rule& rule);
  [[nodiscard]] std::string widths_of(const name_map::Named& named, const tensor::Shape& whole,
                                      std::vector<std::int64_t>& widths) const;
  void fail(const std::vector<run::TapId>& golden, const std::vector<run::TapRecord>& own,
            const std::string& why);
  void add_unmatched(const Renamed& tap);
  void add_additional(const run::TapRecord& own);

  const MapInForce force_;
  const run::CaseRecord& golden_;
  CaseComparison& comparison_;
  capture::TapFilter& filter_;
  name_map::CaseNames names_;
  std::map<run::TapId, const run::TapRecord*> records_;   ///< of the golden
  std::map<run::TapId, Gathered> gathered_;               ///< by the golden's name
  std::map<run::TapId, std::vector<std::string>> taken_;  ///< by whom, of the golden's names
  std::set<run::TapId> additional_;
};

}  // namespace parity::pipeline
