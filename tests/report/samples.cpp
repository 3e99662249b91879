// Writes reports that go through every branch of the writers, in every format, for the tests that
// read them with tools of others.
#include <fstream>
#include <iostream>
#include <string>

#include "report/ci/annotations.h"
#include "report/ci/junit.h"
#include "report/ci/markdown.h"
#include "report/ci/openmetrics.h"
#include "report/html/html.h"
#include "report/json/json.h"
#include "report/made_report.h"

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_all(const std::string& stem, const parity::report::Report& report) {
  write(stem + ".json", parity::report::to_json(report));
  write(stem + ".xml", parity::report::to_junit(report));
  write(stem + ".md", parity::report::to_markdown(report));
  write(stem + ".html", parity::report::to_html(report));
  write(stem + ".openmetrics", parity::report::to_openmetrics(report));
  write(stem + ".annotations", parity::report::to_annotations(report));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: parity_report_samples FOLDER\n";
    return 2;
  }
  using namespace parity::report_test;
  const std::string folder = std::string(argv[1]) + "/";
  write_all(folder + "failing", failing_report());
  write_all(folder + "identical", identical_report());
  write_all(folder + "complex", complex_report());
  write_all(folder + "attributed", attributed_report());
  write_all(folder + "judged", judged_report());
  write_all(folder + "noisy", noisy_report());
  write_all(folder + "decoded", decoded_report());
  write_all(folder + "stored", stored_report());
  write_all(folder + "hostile", hostile_report());
  write_all(folder + "empty", {});
  return 0;
}
