// The built-in policy in the form in which a policy file gives one, so that it can be printed and
// put behind the rules of a file. Its numbers are those of default_policy.cpp.
#include <utility>

#include "gate/rule_book.h"

namespace parity::gate {
namespace {

std::string reason_for(tensor::DType dtype) {
  const std::string name(tensor::name(dtype));
  return tensor::is_integral(dtype) ? name + " is never rounded"
                                    : "what rounding to " + name + " explains across devices";
}

Rule rule_for(const DTypePolicy& limits) {
  Rule rule;
  rule.id = "default/" + std::string(tensor::name(limits.dtype));
  rule.selector.dtypes = {limits.dtype};
  rule.presence = Presence::optional;
  rule.reason = reason_for(limits.dtype);
  rule.bounds = limits.bounds;
  return rule;
}

RuleBook make_default_rules() {
  const Policy& policy = default_policy();
  RuleBook book;
  book.name = policy.name;
  for (const DTypePolicy& limits : policy.dtypes) {
    book.taps.push_back(rule_for(limits));
    book.truth_factors.emplace(limits.dtype, limits.truth_factor);
  }
  Rule logits;
  logits.id = "default/logits";
  logits.presence = Presence::optional;
  logits.reason = "what a user of a language model would not notice";
  logits.bounds = policy.logits;
  book.logits.push_back(std::move(logits));
  return book;
}

}  // namespace

const RuleBook& default_rules() {
  static const RuleBook book = make_default_rules();
  return book;
}

}  // namespace parity::gate
