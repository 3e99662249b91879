#include "run/probe.h"

#include <span>

#include "run/fact_groups.h"
#include "tensor/digest.h"

namespace parity::run {

Provenance probe_facts(const Fingerprint& fingerprint) {
  Provenance facts;
  std::string all;
  for (const Probe& probe : fingerprint) {
    facts.set(std::string(kProbes.prefix) + probe.name, probe.text);
    all.append(probe.name).append(" ").append(probe.text).append("\n");
  }
  facts.set(kProbes.summary, tensor::to_hex(tensor::digest_of(std::as_bytes(std::span(all)))));
  return facts;
}

bool is_answer(std::string_view text) {
  return !text.empty() && text != kNotAvailable && text != kNoMemory;
}

std::string_view name(Repeatable operation) {
  switch (operation) {
    case Repeatable::matmul:
      return "matmul";
    case Repeatable::softmax:
      return "softmax";
    case Repeatable::sum:
      return "sum";
    case Repeatable::attention:
      return "attention";
  }
  return "unknown";
}

}  // namespace parity::run
