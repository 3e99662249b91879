// What the gate says of a case with a fault in it. Alone knows how a case becomes an exit code, and
// nothing of which fault was put in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/compare/decode_facts.h"
#include "pipeline/selftest/selftest.h"
#include "report/data/report.h"
#include "report/data/selftest.h"

namespace parity::pipeline {

enum class Light : std::uint8_t { green, red };

struct GateAnswer {
  Light light = Light::green;
  /// Taps, logits and decodes that fail; without one, a red gate's reason stands alone.
  std::vector<report::FaultPlace> failing;
  std::vector<report::Case> cases;  ///< as judged
};

/// What both sides of a case were given.
struct TrialInputs {
  const tensor::Value& inputs;
  Passes passes;
};

class GateOnTrial {
 public:
  GateOnTrial(const SelftestRequest& request, const Gate& gate) : request_(request), gate_(gate) {}

  [[nodiscard]] const SelftestRequest& request() const { return request_; }
  [[nodiscard]] GateAnswer ask(std::vector<report::Case> cases) const;

  /// Of one case, of which the decode was not added yet.
  [[nodiscard]] GateAnswer ask(report::Case one, const TrialInputs& given) const;

 private:
  const SelftestRequest& request_;
  const Gate& gate_;
};

}  // namespace parity::pipeline
