#include "pipeline/stored/stored_report.h"

#include <cstdint>
#include <utility>

#include "pipeline/stored/report_agreement.h"
#include "report/json_reader/json_reader.h"
#include "text_file/text_file.h"

namespace parity::pipeline {

StoredReport read_stored_report(const std::filesystem::path& file) {
  constexpr std::uint64_t kLargest = std::uint64_t{2} << 30U;
  static constexpr text_file::Kind kReport = {"report", kLargest, "2 GiB",
                                              "name a report that --json wrote"};
  StoredReport stored;
  stored.text = text_file::read(file, kReport);
  stored.report = stored_report(stored.text, file.string());
  return stored;
}

report::Report stored_report(std::string_view text, const std::string& file) {
  report::Report report = report::read_json(text, file);
  require_agreement(report, file);
  return report;
}

}  // namespace parity::pipeline
