// The judgement of a whole report, from nothing but the facts that it holds: the same whether they
// were measured a moment ago or come out of a file.
#pragma once

#include "gate/rule_book.h"
#include "report/data/report.h"
#include "run/verdict.h"

namespace parity::pipeline {

/// Gives every verdict with its reasons and its rule, results of cases, the truth's summary, first
/// divergence, totals, exit code, and the bounds that had a say. Whatever was there of these
/// is replaced; nothing else changes.
void judge_report(report::Report& report, const gate::RuleBook& policy, run::Strictness strictness);

/// The last part of it, from the verdicts that taps, logits and decodes have: results of cases,
/// reasons, first divergence, totals and exit code.
void conclude(report::Report& report, run::Strictness strictness);

}  // namespace parity::pipeline
