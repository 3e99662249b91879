// Writes reports that go through every branch of the JSON writer, for the schema test.
#include <fstream>
#include <iostream>
#include <string>

#include "report/json.h"
#include "report/made_report.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: parity_report_samples FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  std::ofstream(folder + "/failing.json")
      << parity::report::to_json(parity::report_test::failing_report());
  std::ofstream(folder + "/identical.json")
      << parity::report::to_json(parity::report_test::identical_report());
  std::ofstream(folder + "/complex.json")
      << parity::report::to_json(parity::report_test::complex_report());
  std::ofstream(folder + "/attributed.json")
      << parity::report::to_json(parity::report_test::attributed_report());
  std::ofstream(folder + "/judged.json")
      << parity::report::to_json(parity::report_test::judged_report());
  std::ofstream(folder + "/noisy.json")
      << parity::report::to_json(parity::report_test::noisy_report());
  std::ofstream(folder + "/decoded.json")
      << parity::report::to_json(parity::report_test::decoded_report());
  std::ofstream(folder + "/empty.json") << parity::report::to_json({});
  return 0;
}
