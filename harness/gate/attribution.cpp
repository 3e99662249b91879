#include "gate/attribution.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "gate/noise.h"

namespace parity::gate {
namespace {

/// In units of the dtype's unit roundoff.
struct Multiples {
  double dtype = 0;
  double peer_floor = 0;
};
constexpr Multiples kWide = {64, 16};
constexpr Multiples kHalf = {2, 1.0 / 8};
constexpr double kOutlierShare = 1.0 / 64;
constexpr double kPeerMultiple = 4;
constexpr std::size_t kPeersNeeded = 3;
constexpr double kCulpritShare = 0.5;

const Multiples& multiples_of(tensor::DType dtype) {
  constexpr int kFloat32Bits = 24;
  return tensor::significand_bits(tensor::component(dtype)) >= kFloat32Bits ? kWide : kHalf;
}

double in_roundings(double Multiples::*multiple, tensor::DType dtype) {
  if (tensor::is_integral(dtype)) return 0;
  return multiples_of(dtype).*multiple * tensor::unit_roundoff(tensor::component(dtype));
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// By case and peer name, the places of the errors.
using Peers = std::map<std::pair<std::string, std::string>, std::vector<std::size_t>>;

Peers peers_of(const std::vector<IntroducedError>& errors) {
  Peers peers;
  for (std::size_t i = 0; i < errors.size(); ++i)
    peers[{errors[i].case_name, peer_name(errors[i].tap)}].push_back(i);
  return peers;
}

double explained(const std::vector<IntroducedError>& errors, std::size_t place,
                 const std::vector<std::size_t>& alike) {
  const IntroducedError& error = errors[place];
  double by_rounding = in_roundings(&Multiples::dtype, error.dtype);
  std::vector<double> others;
  for (const std::size_t other : alike) {
    if (other != place) others.push_back(errors[other].nrmse);
  }
  if (others.size() >= kPeersNeeded) {
    const double by_peers =
        std::max(in_roundings(&Multiples::peer_floor, error.dtype), kPeerMultiple * median(others));
    by_rounding = std::min(by_rounding, by_peers);
  }
  return std::max({by_rounding, run::kNoiseMultiple * error.noise_nrmse, error.reference_error});
}

double outliers_explained(const IntroducedError& error, double explained) {
  return std::max(explained, in_roundings(&Multiples::dtype, error.dtype));
}

double excess_of(const IntroducedError& error, double explained) {
  return std::max(error.nrmse - explained,
                  kOutlierShare * error.max_error_over_rms - outliers_explained(error, explained));
}

struct Excess {
  Blame blame;
  double largest = 0;
  double total = 0;
  double of_layer = 0;
};

/// Largest layer first, then the layer's largest tap.
void sort_by_layer(std::vector<Excess>& found) {
  std::map<std::string, double> by_path;
  for (const Excess& each : found) by_path[each.blame.tap.path] += each.total;
  for (Excess& each : found) each.of_layer = by_path[each.blame.tap.path];
  std::stable_sort(found.begin(), found.end(), [](const Excess& one, const Excess& other) {
    return std::tie(other.of_layer, one.blame.tap.path, other.total) <
           std::tie(one.of_layer, other.blame.tap.path, one.total);
  });
}

std::vector<Blame> ranked(const std::vector<IntroducedError>& errors, const Peers& peers) {
  std::vector<Excess> found;  // in execution order of the first case that has the tap
  std::map<run::TapId, std::size_t> by_tap;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const IntroducedError& error = errors[i];
    const double limit = explained(errors, i, peers.at({error.case_name, peer_name(error.tap)}));
    const double excess = excess_of(error, limit);
    if (!(excess > 0)) continue;
    const auto [entry, is_new] = by_tap.emplace(error.tap, found.size());
    if (is_new) found.emplace_back();
    Excess& of_tap = found[entry->second];
    of_tap.total += excess;
    if (excess <= of_tap.largest) continue;
    of_tap.largest = excess;
    of_tap.blame = {error.case_name,
                    error.tap,
                    error.nrmse,
                    error.max_error_over_rms,
                    limit,
                    explained_outlier(outliers_explained(error, limit)),
                    0};
  }
  double sum = 0;
  for (const Excess& each : found) sum += each.total;
  sort_by_layer(found);
  std::vector<Blame> blames;
  for (const Excess& each : found) {
    blames.push_back(each.blame);
    blames.back().share = each.total / sum;
  }
  return blames;
}

std::vector<Source> sources_of(const std::vector<IntroducedError>& errors, const Peers& peers) {
  std::map<std::string, Source> by_name;
  double sum = 0;
  for (const auto& [key, places] : peers) {
    Source& source = by_name[key.second];
    source.layers = key.second;
    source.taps = std::max<std::uint64_t>(source.taps, places.size());
    for (const std::size_t place : places) {
      const double square = errors[place].nrmse * errors[place].nrmse;
      source.share += square;
      sum += square;
      source.nrmse = std::max(source.nrmse, errors[place].nrmse);
    }
  }
  std::vector<Source> sources;
  for (auto& [name, source] : by_name) {
    if (!(source.share > 0)) continue;
    source.share /= sum;
    sources.push_back(source);
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& one, const Source& other) { return one.share > other.share; });
  return sources;
}

/// Of the layer that is blamed most: all its results and operators.
double largest_layer_share(const std::vector<Blame>& ranked) {
  double share = 0;
  for (const Blame& blame : ranked) {
    if (blame.tap.path == ranked.front().tap.path) share += blame.share;
  }
  return share;
}

std::string sentence_of(const Attribution& attribution) {
  if (attribution.finding == Finding::culprit) {
    const Blame& top = attribution.ranked.front();
    return fmt::format(
        "{} introduces the difference: nrmse {:.2e} where rounding explains {:.1e}, largest error "
        "{:.2e} rms; {:.0f} % of all that is unexplained (case {})",
        run::to_string(top.tap), top.introduced_nrmse, top.explained_nrmse, top.max_error_over_rms,
        100 * largest_layer_share(attribution.ranked), top.case_name);
  }
  if (attribution.finding == Finding::no_single_culprit) {
    const Blame& top = attribution.ranked.front();
    return fmt::format(
        "no single culprit: {} taps introduce more than is explained, {} the most with {:.0f} % of "
        "it",
        attribution.ranked.size(), run::to_string(top.tap), 100 * top.share);
  }
  if (attribution.sources.empty()) return "no layer introduces any difference";
  const Source& top = attribution.sources.front();
  return fmt::format(
      "no culprit: no layer introduces more than rounding explains; the largest source is {} with "
      "{:.0f} % (nrmse up to {:.2e})",
      top.layers, 100 * top.share, top.nrmse);
}

/// An error without a number counts as one as large as the tensor itself.
std::vector<IntroducedError> in_numbers(std::vector<IntroducedError> errors) {
  for (IntroducedError& error : errors) {
    if (!std::isfinite(error.nrmse)) error.nrmse = 1;
    if (!std::isfinite(error.max_error_over_rms)) error.max_error_over_rms = 1 / kOutlierShare;
    if (!std::isfinite(error.reference_error)) error.reference_error = 0;
  }
  return errors;
}

}  // namespace

std::string peer_text(std::string_view name) {
  std::string general;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) {
      general += c;
    } else if (general.empty() || general.back() != '*') {
      general += '*';
    }
  }
  return general;
}

std::string peer_name(const run::TapId& tap) {
  run::TapId general = tap;
  general.path = peer_text(tap.path);
  general.call = 0;
  return run::to_string(general);
}

double explained_by_rounding(tensor::DType dtype, double unit) {
  return tensor::is_integral(dtype) ? 0 : multiples_of(dtype).dtype * unit;
}

double explained_outlier(double nrmse) { return nrmse / kOutlierShare; }

Attribution attribute(const std::vector<IntroducedError>& measured) {
  const std::vector<IntroducedError> errors = in_numbers(measured);
  const Peers peers = peers_of(errors);
  Attribution attribution;
  attribution.ranked = ranked(errors, peers);
  attribution.sources = sources_of(errors, peers);
  if (attribution.ranked.empty()) {
    attribution.finding = Finding::none;
  } else {
    attribution.finding = largest_layer_share(attribution.ranked) >= kCulpritShare
                              ? Finding::culprit
                              : Finding::no_single_culprit;
  }
  attribution.sentence = sentence_of(attribution);
  return attribution;
}

}  // namespace parity::gate
