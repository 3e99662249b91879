// `parity bless`: what a refreshed golden changes, for the review before it replaces the old one.
// Replaces nothing, and gives no verdict: a person blesses.
#pragma once

#include <filesystem>
#include <string>

#include "gate/rule_book.h"
#include "pipeline/record/progress.h"
#include "report/data/blessing.h"
#include "run/verdict.h"

namespace parity::pipeline {

struct BlessRequest {
  std::filesystem::path before;
  std::filesystem::path after;
  gate::RuleBook policy = gate::default_rules();
  run::Strictness strictness = run::Strictness::normal;
  std::string command;
};

/// Reads both and writes neither. Other weights, inputs, cases or taps are findings here. Values of
/// cases that both have are judged as compare_recordings() judges them, the old golden being the
/// reference; its truth, where it has one, says which side is nearer, unless weights or inputs are
/// others.
[[nodiscard]] report::Blessing bless(const BlessRequest& request, Progress& progress);

}  // namespace parity::pipeline
