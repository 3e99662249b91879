#include "pipeline/compare/weights_check.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "error/error.h"

namespace parity::pipeline {
namespace {

using ByName = std::map<std::string, const run::WeightDigest*>;

ByName by_name(const run::ModelDescription& model) {
  ByName names;
  for (const run::WeightDigest& weight : model.weights) names.emplace(weight.name, &weight);
  return names;
}

struct WeightsDifference {
  std::vector<std::string> changed;
  std::vector<std::string> reference_only;
  std::vector<std::string> candidate_only;
  std::size_t shared = 0;
};

WeightsDifference difference(const run::ModelDescription& reference,
                             const run::ModelDescription& candidate) {
  WeightsDifference result;
  const ByName left = by_name(reference);
  const ByName right = by_name(candidate);
  for (const auto& [name, weight] : left) {
    const auto found = right.find(name);
    if (found == right.end()) {
      result.reference_only.push_back(name);
    } else if (*found->second == *weight) {
      ++result.shared;
    } else {
      result.changed.push_back(name);
    }
  }
  for (const auto& [name, weight] : right) {
    if (left.find(name) == left.end()) result.candidate_only.push_back(name);
  }
  return result;
}

/// "a, b, c and 12 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::incompatible,
              what +
                  ", so a difference would say nothing about the backend; give the "
                  "model file the golden was recorded from, or --weights any");
}

}  // namespace

std::vector<std::string> check_weights(compare::Reference<run::ModelDescription> reference,
                                       compare::Candidate<run::ModelDescription> candidate,
                                       WeightsRule rule, WeightNames names) {
  const run::ModelDescription& left = reference.value;
  const run::ModelDescription& right = candidate.value;
  if (left.all_weights == right.all_weights) return {};
  const WeightsDifference found = difference(left, right);
  const bool same_kind = left.kind == right.kind && names == WeightNames::own;
  const std::size_t unshared = found.reference_only.size() + found.candidate_only.size();
  if (rule == WeightsRule::any) {
    std::vector<std::string> parts;
    if (!found.changed.empty())
      parts.push_back(fmt::format("{} changed: {}", found.changed.size(), listed(found.changed)));
    if (!found.reference_only.empty()) {
      parts.push_back(fmt::format("{} only in the golden: {}", found.reference_only.size(),
                                  listed(found.reference_only)));
    }
    if (!found.candidate_only.empty()) {
      parts.push_back(fmt::format("{} only in the candidate: {}", found.candidate_only.size(),
                                  listed(found.candidate_only)));
    }
    return {fmt::format("the weights are not the golden's ({}), allowed by --weights any",
                        fmt::join(parts, "; "))};
  }
  if (!found.changed.empty()) {
    refuse(fmt::format("the weights are not the golden's: {} differ in {} of {}",
                       listed(found.changed), found.changed.size(), left.weights.size()));
  }
  if (found.shared == 0 && unshared > 0) refuse("the two models share no weight by name");
  if (same_kind && !found.reference_only.empty()) {
    refuse(fmt::format("the model lacks weights of the golden: {}", listed(found.reference_only)));
  }
  if (same_kind && !found.candidate_only.empty()) {
    refuse(fmt::format("the model has weights that the golden does not: {}",
                       listed(found.candidate_only)));
  }
  return {fmt::format("{} weights agree; {} are named in one of the two model kinds only",
                      found.shared, unshared)};
}

std::string own_weights_text(compare::Reference<run::ModelDescription> reference,
                             compare::Candidate<run::ModelDescription> candidate,
                             const std::string& path) {
  std::vector<std::string> own;
  for (const std::string& name : difference(reference.value, candidate.value).changed) {
    if (!path.empty() && name.rfind(path + ".", 0) == 0) own.push_back(name);
  }
  if (own.empty()) return "";
  return fmt::format("its own {} {} not the golden's", listed(own), own.size() == 1 ? "is" : "are");
}

}  // namespace parity::pipeline
