// The parts that OpenMetrics text is made of, for every file of that format. Private to the folder.
//
// OpenMetrics 1.0: the samples of a family stand together below its TYPE, UNIT and HELP, a unit is
// the end of the family's name, no two samples have the same labels, and the label "quantile" is a
// summary's. No other types than gauges and these: readers of Prometheus' older text format take
// the file too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parity::report {

/// name="value", escaped and clean.
[[nodiscard]] std::string label(std::string_view name, std::string_view value);

/// One metric family. Nothing is written of one without samples.
class Family {
 public:
  Family(std::string& out, std::string name, const std::string& help, const std::string& unit = "",
         const std::string& type = "gauge");

  /// NaN has no sample.
  void add(const std::string& labels, double value);
  void add(const std::string& labels, std::uint64_t value);

 private:
  void write(const std::string& labels, const std::string& value);

  std::string& out_;
  std::string name_;
  std::string head_;
};

}  // namespace parity::report
