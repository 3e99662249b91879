// What a run ran on and with: ordered key/value facts that a golden carries and a comparison puts
// side by side.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parity::run {

/// Facts by dotted key in insertion order, e.g. "device.name" = "NVIDIA H200",
/// "switch.fp32_precision" = "ieee". Groups: "device." "library." "switch." "variable." "probe."
/// "host." "run." "capture." "model.". Which of them change numbers is said in numeric_switch.h.
class Provenance {
 public:
  /// Sets or replaces the value of `key`.
  void set(std::string_view key, std::string value);
  /// "" when the key is absent.
  [[nodiscard]] std::string_view get(std::string_view key) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& facts() const {
    return facts_;
  }
  /// Takes over all facts of `other`, replacing equal keys.
  void merge(const Provenance& other);

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

/// One key whose values differ; a side that lacks the key has "".
struct Difference {
  std::string key;
  std::string reference;
  std::string candidate;
};

/// Differences in the reference's order, then the candidate's own keys. Left out: groups "run." and
/// "capture."; of a group (fact_groups.h) that one side did not record, all but its summary.
[[nodiscard]] std::vector<Difference> differences(const Provenance& reference,
                                                  const Provenance& candidate);

/// True when both ran on the same device model of the same vendor and machine: not a cross-vendor
/// comparison.
[[nodiscard]] bool same_device(const Provenance& reference, const Provenance& candidate);

}  // namespace parity::run
