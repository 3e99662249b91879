#include "report/words/unmeasured.h"

#include "report/words/text.h"

namespace parity::report {

std::string unmeasured_text(const Report& report) {
  std::string text;
  for (const std::string& metric : report.unmeasured_metrics) {
    text +=
        text.empty() ? "not measured here, so that optional bounds on it judged nothing: " : ", ";
    text += clean(metric);
  }
  return text;
}

}  // namespace parity::report
