// How a pipeline tells somebody that watches how far it is. Says nothing of how that is shown, and
// nothing that a result depends on.
#pragma once

#include <cstdint>
#include <string>

namespace parity::pipeline {

/// tap_done may be called from another thread than begin and end.
class Progress {
 public:
  virtual ~Progress() = default;
  /// `total_taps` is 0 when it is not known beforehand.
  virtual void begin(const std::string& stage, std::uint64_t total_taps) = 0;
  virtual void tap_done(std::uint64_t size_bytes) = 0;
  virtual void end() = 0;
};

/// For callers that nobody watches.
class NoProgress final : public Progress {
 public:
  void begin(const std::string& /*stage*/, std::uint64_t /*total_taps*/) override {}
  void tap_done(std::uint64_t /*size_bytes*/) override {}
  void end() override {}
};

}  // namespace parity::pipeline
