// What `parity selftest` found: which seeded faults turned a gate red, and which did not. Plain
// data; judged in pipeline/, shown from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/data/report.h"
#include "report/terminal/table.h"

namespace parity::report {

/// A tap with a fault in it, and what the gate made of it.
struct FaultPlace {
  std::string case_name;
  std::string tap;   ///< full name; empty for a fault of the whole case
  std::string rule;  ///< of the policy, which judged it; empty where none did
  std::string said;  ///< the gate's first reason; empty where it had none
  double nrmse = 0;  ///< of the fault, measured without the gate
  double max_error_over_rms = 0;
};

/// Taps in which a fault could not be put.
struct NotInjected {
  std::string reason;
  std::uint64_t taps = 0;
  std::string case_name;  ///< of the first
  std::string tap;        ///< likewise; empty for a whole case
};

/// `values`: of one tap. `structure`: which taps there are, of which shape and dtype.
enum class FaultKind : std::uint8_t { values, structure };

struct FaultResult {
  std::string name;
  std::string text;
  FaultKind kind = FaultKind::values;
  std::uint64_t injected = 0;
  std::uint64_t seen = 0;          ///< of these, the gate was red
  std::uint64_t gross = 0;         ///< of the injected ones, too large for any rounding
  std::uint64_t gross_seen = 0;    ///< all of them must be
  std::vector<FaultPlace> missed;  ///< gross and not seen: the first ones
  std::optional<FaultPlace>
      largest_miss;  ///< not gross and not seen: the one with the largest nrmse
  std::vector<NotInjected> not_injected;
};

/// What is no fault: the gate must stay green.
struct ControlResult {
  std::string name;
  std::string text;
  std::uint64_t runs = 0;
  std::uint64_t green = 0;
  std::vector<FaultPlace> red;  ///< where it was not: the first ones
};

/// The smallest fault of one kind that the gate sees.
struct Reach {
  std::optional<double> seen_from;  ///< at its blindest tap; nullopt: not seen however large
  FaultPlace blindest;              ///< `said`: by what it was seen there
};

/// Taps whose names differ in numbers alone.
struct Sensitivity {
  std::string layers;  ///< with numbers replaced: "model.layers.*.mlp"
  std::uint64_t taps = 0;
  Reach factor;  ///< every element times 1 + x
  Reach spike;   ///< x times the rms added to one element
};

struct Selftest {
  Result result = Result::fail;
  int exit_code = 1;
  std::vector<std::string> reasons;
  std::string golden;
  std::string model_file;
  std::string model_kind;
  std::string policy_name;
  run::Strictness strictness = run::Strictness::normal;
  std::uint64_t cases = 0;
  std::uint64_t taps = 0;
  std::vector<ControlResult> controls;
  std::vector<FaultResult> faults;
  std::vector<Sensitivity> sensitivity;  ///< blindest for a factor first
  std::vector<std::string> notes;
  std::string repro;  ///< the command as typed
};

/// One JSON document, schema "parity-selftest/1".
[[nodiscard]] std::string to_json(const Selftest& selftest);

/// For a terminal; see TableOptions.
[[nodiscard]] std::string to_table(const Selftest& selftest, const TableOptions& options);

}  // namespace parity::report
