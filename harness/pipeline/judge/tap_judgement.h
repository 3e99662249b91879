// Verdicts on taps, logits and decodes out of what a report holds of them. Measures nothing, and
// looks at no verdict that was there before.
#pragma once

#include "gate/rule_book.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// What a tap's verdict depends on beside the tap itself.
struct JudgeContext {
  const gate::RuleBook& policy;
  const std::string& case_name;    ///< as rules know it
  const std::string& asked_dtype;  ///< of report::Report
};

/// Gives verdict, reasons, rule and whose bounds, whatever they were before.
void judge_tap(report::Tap& tap, const JudgeContext& context);

/// The same for everything in the case: its taps, their logits, its decode.
void judge_case(report::Case& item, const gate::RuleBook& policy, const std::string& asked_dtype);

}  // namespace parity::pipeline
