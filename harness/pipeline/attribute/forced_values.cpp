#include "pipeline/attribute/forced_values.h"

#include <utility>

#include "name_map/parts.h"

namespace parity::pipeline {
namespace {

/// The same values in a shape of as many rows of the same length, where the map allows that.
tensor::HostTensor seen_as(const tensor::HostTensor& value, const tensor::Shape& shape,
                           const name_map::NameMap* map) {
  const bool reshaped = map != nullptr && map->leading == name_map::LeadingDimensions::any &&
                        value.shape() != shape && name_map::same_rows(value.shape(), shape);
  if (!reshaped) return value;
  const std::span<const std::byte> bytes = value.bytes();
  return {value.dtype(), shape, std::vector<std::byte>(bytes.begin(), bytes.end())};
}

}  // namespace

ForcedValues::ForcedValues(TapValues& golden, const name_map::NameMap* map)
    : golden_(golden), map_(map), places_(places_of(golden.taps())), names_(map, golden.taps()) {}

tensor::HostTensor ForcedValues::read(std::size_t place, capture::TapFilter* compared) {
  const run::TapId& id = golden_.taps()[place].id;
  const bool consumed =
      compared != nullptr && compared->keeps(id) && names_.left_out().count(id) == 0;
  return consumed ? golden_.read_ahead(place) : golden_.take(place);
}

ForcedValue ForcedValues::of(const run::TapId& id, const tensor::Shape& shape,
                             capture::TapFilter* compared) {
  const name_map::Named named = names_.of(id);
  ForcedValue forced;
  std::vector<tensor::HostTensor> values;
  for (const run::TapId& golden : named.golden) {
    const auto found = places_.find(golden);
    if (found == places_.end()) continue;
    forced.places.push_back(found->second);
    values.push_back(read(found->second, compared));
  }
  if (values.empty()) return forced;
  if (values.size() < named.golden.size()) {
    forced.problem = "the golden has not all of its parts";
  } else if (named.rule == nullptr || named.rule->kind == name_map::RuleKind::rename) {
    forced.value = std::move(values.front());
  } else if (named.rule->kind == name_map::RuleKind::split) {
    put_together(*named.rule, values, forced);
  } else {
    cut_out(named, values.front(), shape, id, forced);
  }
  if (forced.value) forced.value = seen_as(*forced.value, shape, map_);
  return forced;
}

void ForcedValues::put_together(const name_map::Rule& rule,
                                const std::vector<tensor::HostTensor>& parts,
                                ForcedValue& forced) const {
  forced.problem = name_map::cannot_join(parts, rule.groups);
  if (forced.problem.empty()) forced.value = name_map::join(parts, rule.groups);
}

/// The parts before this one have come, so that their widths are known; what is left is behind it.
void ForcedValues::cut_out(const name_map::Named& named, const tensor::HostTensor& whole,
                           const tensor::Shape& shape, const run::TapId& id, ForcedValue& forced) {
  run::TapId golden = named.golden.front();
  golden.call = id.call;
  std::map<std::size_t, std::int64_t>& known = widths_[golden];
  const std::int64_t own = shape.empty() ? 0 : shape.back();
  known[named.part] = own;
  std::int64_t before = 0;
  for (std::size_t part = 0; part < named.part; ++part) {
    const auto found = known.find(part);
    if (found == known.end()) {
      forced.problem = "the parts before it have not come yet";
      return;
    }
    before += found->second;
  }
  const std::int64_t width = whole.shape().empty() ? 0 : whole.shape().back();
  const std::int64_t behind = width - before - own;
  if (behind < 0) {
    forced.problem = "the parts are longer than the golden's " + run::to_string(golden);
    return;
  }
  const std::vector<std::int64_t> widths = {before, own, behind};
  forced.problem = name_map::cannot_cut(whole.shape(), widths, named.rule->groups);
  if (forced.problem.empty())
    forced.value = name_map::cut(whole.view(), widths, named.rule->groups)[1];
}

}  // namespace parity::pipeline
