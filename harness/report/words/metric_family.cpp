#include "report/words/metric_family.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "report/words/text.h"

namespace parity::report {

std::string label(std::string_view name, std::string_view value) {
  std::string text;
  for (const char c : clean(value)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return fmt::format("{}=\"{}\"", name, text);
}

Family::Family(std::string& out, std::string name, const std::string& help, const std::string& unit,
               const std::string& type)
    : out_(out), name_(std::move(name)) {
  head_ = fmt::format("# TYPE {} {}\n", name_, type);
  if (!unit.empty()) head_ += fmt::format("# UNIT {} {}\n", name_, unit);
  head_ += fmt::format("# HELP {} {}\n", name_, help);
}

void Family::add(const std::string& labels, double value) {
  if (std::isnan(value)) return;
  write(labels, std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf") : fmt::format("{}", value));
}

void Family::add(const std::string& labels, std::uint64_t value) {
  write(labels, std::to_string(value));
}

void Family::write(const std::string& labels, const std::string& value) {
  out_ += std::exchange(head_, "") + name_;
  if (!labels.empty()) out_ += "{" + labels + "}";
  out_ += " " + value + "\n";
}

}  // namespace parity::report
