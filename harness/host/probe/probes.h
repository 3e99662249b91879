// The numeric probes: pure functions of a device, so that one made of scalar arithmetic can stand
// in for it. Knows no torch, no vendor and no expected result.
#pragma once

#include <string>

#include "run/probe.h"

namespace parity::host {

/// Products of small integers at many batch sizes: exact in any order, with any accumulator.
[[nodiscard]] run::Probe probe_integers(run::ProbeDevice& device, tensor::DType dtype);

/// How a sum of products is accumulated: its order, the bits that are kept below the largest term,
/// the rounding of the sum, and what becomes of a small term beside large ones that cancel.
/// `name`: "accumulation." and what the operands are.
[[nodiscard]] run::Probe probe_accumulation(run::ProbeDevice& device, const std::string& name,
                                            tensor::DType dtype, run::Fp32Precision precision);

/// Whether subnormal operands and results survive, in products of matrices and of elements.
[[nodiscard]] run::Probe probe_subnormals(run::ProbeDevice& device, tensor::DType dtype);

/// How many fraction bits of float32 operands a matrix product uses, what it does with the others,
/// and whether that shows as a signed mean error.
[[nodiscard]] run::Probe probe_operands(run::ProbeDevice& device, run::Fp32Precision precision);

/// Whether c + a * b rounds once or twice.
[[nodiscard]] run::Probe probe_contraction(run::ProbeDevice& device);

/// Whether the second and third call give the bits of the first.
[[nodiscard]] run::Probe probe_repetition(run::ProbeDevice& device);

/// All of them, in the order in which they are shown. What the device cannot do is "not available".
[[nodiscard]] run::Fingerprint fingerprint(run::ProbeDevice& device);

}  // namespace parity::host
