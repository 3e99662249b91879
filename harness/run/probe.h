// Numeric probes: small computations whose results show which arithmetic a device does, and the
// device as they see it. Knows neither torch nor what the results mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/provenance.h"
#include "run/settings.h"
#include "tensor/dtype.h"

namespace parity::run {

/// Row-major.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;
};

/// Operations that may give other bits each time they are called.
enum class Repeatable : std::uint8_t { matmul, softmax, sum, attention };

/// Every value that goes in is one of `dtype`, and what comes out was one before it was widened.
/// Each operation runs on the device and throws Error where it has none for the dtype.
class ProbeDevice {
 public:
  virtual ~ProbeDevice() = default;

  /// a [m, k] times b [k, n], as a Linear layer computes it. `precision` counts for float32 alone.
  [[nodiscard]] virtual Matrix product(const Matrix& a, const Matrix& b, tensor::DType dtype,
                                       Fp32Precision precision) = 0;
  /// a * b, element by element.
  [[nodiscard]] virtual std::vector<double> times(const std::vector<double>& a,
                                                  const std::vector<double>& b,
                                                  tensor::DType dtype) = 0;
  /// c + a * b, element by element, as one operation of the library.
  [[nodiscard]] virtual std::vector<double> plus_product(const std::vector<double>& c,
                                                         const std::vector<double>& a,
                                                         const std::vector<double>& b,
                                                         tensor::DType dtype) = 0;
  /// c + factor * a, element by element, as one operation of the library.
  [[nodiscard]] virtual std::vector<double> plus_scaled(const std::vector<double>& c,
                                                        const std::vector<double>& a, double factor,
                                                        tensor::DType dtype) = 0;
  /// The operation on numbers that are the same at every call.
  [[nodiscard]] virtual std::vector<double> repeated(Repeatable operation, tensor::DType dtype) = 0;
};

/// Whether a device's arithmetic is to be probed.
enum class Probing : std::uint8_t { off, on };

struct Probe {
  std::string name;    ///< "accumulation.float16"
  std::string text;    ///< what came out, compact, the same wherever the arithmetic is the same
  std::string detail;  ///< figures and causes for a person, which `text` leaves out; may be empty
};

/// Texts of a probe that did not come to an answer: the device has no such operation, or there was
/// no memory for it just then.
inline constexpr std::string_view kNotAvailable = "not available";
inline constexpr std::string_view kNoMemory = "failed for lack of memory";

/// Whether a probe's text tells how the device computes. "", of a probe that was not made, does
/// not.
[[nodiscard]] bool is_answer(std::string_view text);

using Fingerprint = std::vector<Probe>;

/// Facts "probe.NAME" = text, and "probe.digest" over all of them (see kProbes of fact_groups.h),
/// by which two fingerprints are compared at a glance.
[[nodiscard]] Provenance probe_facts(const Fingerprint& fingerprint);

[[nodiscard]] std::string_view name(Repeatable operation);

}  // namespace parity::run
