// The facts of a comparison of two runs that are both right, as what a calibration is made from.
// Chooses no limit, and takes no verdict of the comparison for a fact.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gate/calibration.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// Adds what `report` says of run number `run`. Returns what a person should know of it: taps that
/// could not be compared.
[[nodiscard]] std::vector<std::string> add_spreads(const report::Report& report, std::size_t run,
                                                   gate::CalibrationInput& input);

/// What a golden says of itself, from a comparison with itself: the noise of its repeats as run
/// number `repeat`, and as run number `truth` what another backend that is as good is off by.
void add_own_noise(const report::Report& report, std::size_t repeat, gate::CalibrationInput& input);
void add_own_truth(const report::Report& report, std::size_t truth, gate::CalibrationInput& input);

}  // namespace parity::pipeline
