// A device made of scalar arithmetic: the matrix units of the literature, one group of products
// after the other, and elementwise units that flush, fuse or forget. Follows the descriptions of
// MMA-Sim (arXiv 2511.10909) and of Khattak and Mikaitis (arXiv 2512.07004).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "run/probe.h"

namespace parity::host {

enum class Adder : std::uint8_t {
  truncating,   ///< NVIDIA: terms and sum cut below `bits` of the largest
  exact,        ///< CDNA1: one rounding for each group
  pairwise,     ///< CDNA2: every addition rounds, subnormals are flushed
  two_chains,   ///< Intel AMX: even and odd places by themselves, subnormals are flushed
  floor_joined  ///< CDNA3: products cut, then joined with the accumulator towards minus infinity
};

struct Unit {
  Adder adder = Adder::truncating;
  std::size_t group = 1;  ///< products that are added together with the accumulator
  int bits = 23;          ///< fraction bits kept below the largest term, of a truncating unit
  std::size_t slice = 0;  ///< products that a kernel sums by themselves; 0: all of them
};

enum class Operands : std::uint8_t { whole, rounded_to_10_bits, cut_to_10_bits };
enum class Contraction : std::uint8_t { separate, fused, fused_but_remainder };

/// How this machine differs from one that does everything by IEEE 754.
struct Machine {
  std::optional<Unit> half;  ///< for float16 and bfloat16; none: a chain of multiply-adds
  std::optional<Unit> tf32;  ///< for float32 where TF32 is asked for; none: as IEEE
  Operands tf32_operands = Operands::rounded_to_10_bits;
  bool flushes_elements = false;
  Contraction contraction = Contraction::separate;
  int drifts_after = 0;         ///< calls of an operation behind which its bits change; 0: never
  std::size_t wrong_batch = 0;  ///< number of rows at which one element is wrong; 0: none
  bool lacks_float16 = false;   ///< throws Error
};

class EmulatedDevice final : public run::ProbeDevice {
 public:
  explicit EmulatedDevice(const Machine& machine) : machine_(machine) {}

  [[nodiscard]] run::Matrix product(const run::Matrix& a, const run::Matrix& b, tensor::DType dtype,
                                    run::Fp32Precision precision) override;
  [[nodiscard]] std::vector<double> times(const std::vector<double>& a,
                                          const std::vector<double>& b,
                                          tensor::DType dtype) override;
  [[nodiscard]] std::vector<double> plus_product(const std::vector<double>& c,
                                                 const std::vector<double>& a,
                                                 const std::vector<double>& b,
                                                 tensor::DType dtype) override;
  [[nodiscard]] std::vector<double> plus_scaled(const std::vector<double>& c,
                                                const std::vector<double>& a, double factor,
                                                tensor::DType dtype) override;
  [[nodiscard]] std::vector<double> repeated(run::Repeatable operation,
                                             tensor::DType dtype) override;

 private:
  void check(tensor::DType dtype) const;

  Machine machine_;
  int calls_ = 0;
};

/// One probe of such a machine by its name, "accumulation.float16".
[[nodiscard]] run::Probe probed(const Machine& machine, const std::string& name);

}  // namespace parity::host
