// What a model is forced to go on with at each of its taps, out of a golden that may call or fuse
// its taps otherwise. Runs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "name_map/case_names.h"

#include "capture/tap_filter.h"
#include "pipeline/compare/reference_taps.h"
#include "pipeline/compare/tap_places.h"

namespace parity::pipeline {

struct ForcedValue {
  std::vector<std::size_t> places;          ///< of the golden's taps that it is made of
  std::optional<tensor::HostTensor> value;  ///< of the model's tap; nullopt: its own
  std::string problem;                      ///< why there is no value, though the golden has some
};

class ForcedValues {
 public:
  /// Both have to outlive this. `map`: nullptr where names are the same.
  ForcedValues(TapValues& golden, const name_map::NameMap* map);

  /// Of the model's tap `id` of that shape. `compared` keeps the golden's taps that a comparison
  /// will ask for, too; nullptr: none.
  [[nodiscard]] ForcedValue of(const run::TapId& id, const tensor::Shape& shape,
                               capture::TapFilter* compared);

 private:
  [[nodiscard]] tensor::HostTensor read(std::size_t place, capture::TapFilter* compared);
  void put_together(const name_map::Rule& rule, const std::vector<tensor::HostTensor>& parts,
                    ForcedValue& forced) const;
  void cut_out(const name_map::Named& named, const tensor::HostTensor& whole,
               const tensor::Shape& shape, const run::TapId& id, ForcedValue& forced);

  TapValues& golden_;
  const name_map::NameMap* map_;
  const TapPlaces places_;
  const name_map::CaseNames names_;
  /// Last dimensions of the parts that have come, by the golden's name.
  std::map<run::TapId, std::map<std::size_t, std::int64_t>> widths_;
};

}  // namespace parity::pipeline
