#include "pipeline/compare/mapped_taps.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "name_map/parts.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

tensor::HostTensor copy_of(const tensor::TensorView& view) {
  return {view.dtype, view.shape, std::vector<std::byte>(view.bytes.begin(), view.bytes.end())};
}

/// Why a tap of which not every value is stored can neither be cut nor be a part; empty where all
/// are.
std::string not_whole(const run::TapRecord& record) {
  if (record.mode == run::StoreMode::full) return {};
  return fmt::format(
      "{} holds only {}, and fused taps are compared by all their values; record it "
      "in full",
      run::to_string(record.id), record.mode == run::StoreMode::rows ? "rows of it" : "its digest");
}

}  // namespace

MappedTaps::MappedTaps(const MapInForce& force, const run::CaseRecord& golden,
                       CaseComparison& comparison, capture::TapFilter& filter)
    : force_(force),
      golden_(golden),
      comparison_(comparison),
      filter_(filter),
      names_(force.map, golden.taps) {
  if (force.map == nullptr) return;
  for (const run::TapRecord& tap : golden.taps) records_.emplace(tap.id, &tap);
  for (const auto& [id, rule] : names_.left_out()) {
    comparison.leave_out(id);
    count(rule);
  }
}

bool MappedTaps::wants(const run::TapId& candidate) {
  if (force_.map == nullptr) return filter_.keeps(candidate);
  const name_map::Named named = names_.of(candidate);
  bool any = named.golden.empty();  // ignored: add() says so
  for (const run::TapId& id : named.golden) any = filter_.keeps(id) || any;
  return any;
}

bool MappedTaps::needs_digest(const run::TapId& candidate) const {
  const name_map::Named named = names_.of(candidate);
  // Those of parts and wholes are made here.
  const bool whole = named.rule == nullptr || named.rule->kind == name_map::RuleKind::rename;
  return whole && comparison_.needs_digest(named.golden.front());
}

void MappedTaps::count(const name_map::Rule* rule) {
  if (rule == nullptr || force_.told == nullptr) return;
  const auto index = static_cast<std::size_t>(rule - force_.map->rules.data());
  ++force_.told->rules.at(index).taps;
}

void MappedTaps::add(const TapData& candidate) {
  if (force_.map == nullptr) {
    comparison_.add(candidate);
    return;
  }
  const name_map::Named named = names_.of(candidate.record.id);
  count(named.rule);
  if (named.golden.empty()) return;
  if (named.rule != nullptr && named.rule->kind == name_map::RuleKind::split) {
    add_split(candidate, named);
  } else if (named.rule != nullptr && named.rule->kind == name_map::RuleKind::concat) {
    add_part(candidate, named);
  } else {
    Renamed tap{candidate.record, candidate.stored, {}, &candidate.record, named.rule != nullptr};
    tap.record.id = named.golden.front();
    if (tap.record.id != candidate.record.id)
      tap.own_names.push_back(run::to_string(candidate.record.id));
    deliver(std::move(tap));
  }
}

void MappedTaps::deliver(Renamed tap) {
  if (!filter_.keeps(tap.record.id) || names_.left_out().count(tap.record.id) != 0) return;
  const auto found = records_.find(tap.record.id);
  if (found == records_.end()) {
    add_unmatched(tap);
    return;
  }
  std::vector<std::string>& takers = taken_[tap.record.id];
  takers.push_back(tap.own_names.empty() ? run::to_string(tap.own->id)
                                         : fmt::format("{}", fmt::join(tap.own_names, " + ")));
  if (takers.size() > 1) {
    add_additional(*tap.own);
    return;
  }
  const tensor::Shape& wanted = found->second->shape;
  if (force_.map->leading == name_map::LeadingDimensions::any && tap.record.shape != wanted &&
      name_map::same_rows(tap.record.shape, wanted)) {
    tap.record.shape = wanted;
    if (tap.record.mode == run::StoreMode::full) tap.stored.shape = wanted;
    if (force_.told != nullptr) ++force_.told->reshaped;
  }
  if (force_.told != nullptr && !tap.own_names.empty()) ++force_.told->mapped;
  TapData data{tap.record, tap.stored};
  data.own_names = tap.own_names.empty() ? nullptr : &tap.own_names;
  comparison_.add(data);
}

/// Last dimensions of the parts of a fused tap, as the golden has them; of one that it lacks, what
/// the others leave. Returns why that is not possible.
std::string MappedTaps::widths_of(const name_map::Named& named, const tensor::Shape& whole,
                                  std::vector<std::int64_t>& widths) const {
  std::optional<std::size_t> unknown;
  for (const run::TapId& id : named.golden) {
    const auto found = records_.find(id);
    const bool has_width = found != records_.end() && !found->second->shape.empty();
    if (!has_width && unknown)
      return fmt::format("the golden has neither {} nor {}", run::to_string(named.golden[*unknown]),
                         run::to_string(id));
    if (!has_width) unknown = widths.size();
    widths.push_back(has_width ? found->second->shape.back() : 0);
  }
  if (unknown && !whole.empty()) {
    const std::int64_t rest =
        whole.back() - std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
    widths[*unknown] = std::max<std::int64_t>(rest, 0);
  }
  return name_map::cannot_cut(whole, widths, named.rule->groups);
}

void MappedTaps::add_split(const TapData& candidate, const name_map::Named& named) {
  std::vector<std::int64_t> widths;
  std::string why = not_whole(candidate.record);
  if (why.empty()) {
    why = widths_of(named, candidate.record.shape, widths);
    if (!why.empty())
      why = fmt::format("{} is not made of it: {}", run::to_string(candidate.record.id), why);
  }
  if (!why.empty()) {
    fail(named.golden, {candidate.record}, why);
    return;
  }
  const std::vector<tensor::HostTensor> parts =
      name_map::cut(candidate.stored, widths, named.rule->groups);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    Renamed tap{candidate.record,
                parts[part].view(),
                {run::to_string(candidate.record.id)},
                &candidate.record,
                true};
    tap.record.id = named.golden[part];
    tap.record.shape = parts[part].shape();
    if (comparison_.needs_digest(tap.record.id))
      tap.record.digest = tensor::digest_of(parts[part].bytes());
    deliver(std::move(tap));
  }
}

void MappedTaps::add_part(const TapData& candidate, const name_map::Named& named) {
  const run::TapId& golden = named.golden.front();
  if (!filter_.keeps(golden) || names_.left_out().count(golden) != 0) return;
  Gathered& gathered = gathered_[golden];
  gathered.parts.resize(named.rule->names.size());
  gathered.records.push_back(candidate.record);
  if (const std::string why = not_whole(candidate.record); !why.empty()) {
    fail({golden}, {candidate.record}, why);
    gathered.records.pop_back();
    return;
  }
  gathered.parts[named.part] = copy_of(candidate.stored);
  const bool complete = std::all_of(gathered.parts.begin(), gathered.parts.end(),
                                    [](const auto& part) { return part.has_value(); });
  if (complete) add_whole(golden, *named.rule);
}

void MappedTaps::add_whole(const run::TapId& golden, const name_map::Rule& rule) {
  const Gathered gathered = std::move(gathered_.extract(golden).mapped());
  std::vector<tensor::HostTensor> parts;
  for (const auto& part : gathered.parts) parts.push_back(*part);
  if (const std::string why = name_map::cannot_join(parts, rule.groups); !why.empty()) {
    fail({golden}, gathered.records, why);
    return;
  }
  const tensor::HostTensor whole = name_map::join(parts, rule.groups);
  Renamed tap{gathered.records.front(), whole.view(), {}, &gathered.records.front(), true};
  tap.record.id = golden;
  tap.record.shape = whole.shape();
  if (comparison_.needs_digest(golden)) tap.record.digest = tensor::digest_of(whole.bytes());
  for (const run::TapRecord& record : gathered.records)
    tap.own_names.push_back(run::to_string(record.id));
  deliver(std::move(tap));
}

/// The golden's taps are missing then, with the reason, and the candidate's are additional.
void MappedTaps::fail(const std::vector<run::TapId>& golden, const std::vector<run::TapRecord>& own,
                      const std::string& why) {
  for (const run::TapId& id : golden) comparison_.note_missing(id, why);
  for (const run::TapRecord& record : own) {
    if (force_.told != nullptr) {
      force_.told->unmatched.push_back(
          {golden_.name, run::to_string(record.id), run::to_string(golden.front())});
    }
    add_additional(record);
  }
}

void MappedTaps::add_unmatched(const Renamed& tap) {
  if (force_.told != nullptr) {
    force_.told->unmatched.push_back({golden_.name, run::to_string(tap.own->id),
                                      tap.by_rule ? run::to_string(tap.record.id) : ""});
  }
  add_additional(*tap.own);
}

void MappedTaps::add_additional(const run::TapRecord& own) {
  if (additional_.insert(own.id).second) comparison_.add_additional(own);
}

void MappedTaps::add_remarks(const std::vector<run::SkippedTap>& skipped,
                             const std::vector<std::string>& notes) {
  std::vector<run::SkippedTap> named;
  for (const run::SkippedTap& tap : skipped) {
    for (const run::TapId& id : names_.of(tap.id).golden) named.push_back({id, tap.reason});
  }
  comparison_.add_remarks(named, notes);
}

void MappedTaps::finish() {
  for (const auto& [golden, gathered] : gathered_) {
    std::vector<std::string> come;
    for (const run::TapRecord& record : gathered.records) come.push_back(run::to_string(record.id));
    fail({golden}, gathered.records,
         fmt::format("of its {} parts, the candidate has only {}", gathered.parts.size(),
                     fmt::join(come, " and ")));
  }
  gathered_.clear();
  if (force_.told == nullptr) return;
  for (const auto& [golden, takers] : taken_) {
    if (takers.size() > 1)
      force_.told->collisions.push_back({golden_.name, run::to_string(golden), takers});
  }
}

}  // namespace parity::pipeline
