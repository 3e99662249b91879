// Names of cases: where they end, what they may be.
#include "cli/case_input.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "error/error.h"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

/// A folder of its own as working directory, with the files that the rows below name.
class CaseInputs : public ::testing::Test {
 protected:
  CaseInputs() : before_(fs::current_path()) {
    folder_ = fs::temp_directory_path() / ("case_input_test." + std::to_string(::getpid()));
    fs::create_directories(folder_ / "in");
    fs::current_path(folder_);
    for (const char* name : {"x.json", "in/x.json", "lr=3.pt", "in/lr=3.pt", "\x1b[31m.pt"}) {
      std::ofstream(name) << "[1]";
    }
  }
  ~CaseInputs() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  fs::path before_;
  fs::path folder_;
};

TEST_F(CaseInputs, NamesAndSpecs) {
  const struct {
    std::string text, name, spec;
  } rows[] = {
      {"x.json", "x", "x.json"},
      {"in/x.json", "x", "in/x.json"},
      {"a=x.json", "a", "x.json"},
      {"a=in/x.json", "a", "in/x.json"},
      {"a=b=x.json", "a=b", "x.json"},
      {"a=b=nowhere.json", "a", "b=nowhere.json"},
      {"lr=3=in/lr=3.pt", "lr=3", "in/lr=3.pt"},
      {"a=lr=3.pt", "a", "lr=3.pt"},
      {"lr=3.pt", "lr=3", "lr=3.pt"},
      {"in/lr=3.pt", "lr=3", "in/lr=3.pt"},
      {"tokens:4x8", "tokens:4x8", "tokens:4x8"},
      {"str:a=b", "str:a=b", "str:a=b"},
      {"x.json;str:a=b", "x.json;str:a=b", "x.json;str:a=b"},
      {"a=str:b=c", "a", "str:b=c"},
      {".=x.json", ".", "x.json"},
      {"\u00e9t\u00e9=x.json", "\u00e9t\u00e9", "x.json"},
      {std::string(200, 'n') + "=x.json", std::string(200, 'n'), "x.json"},
      // No such file: what is missing is for the reader to say.
      {"nowhere/lr=3.pt", "nowhere/lr=3.pt", "nowhere/lr=3.pt"},
  };
  for (const auto& row : rows) {
    const pipeline::CaseInput input = case_input_of(row.text);
    EXPECT_EQ(input.name, row.name) << row.text;
    EXPECT_EQ(input.spec, row.spec) << row.text;
  }
}

TEST_F(CaseInputs, NamesThatAreRefused) {
  const std::pair<std::string, std::string> rows[] = {
      {"=x.json", "is empty"},
      {"a=", "nothing behind"},
      {"a/b=x.json", "has a '/'"},
      {"../a=in/x.json", "has a '/'"},
      {"a\nb=x.json", "control characters"},
      {"a\x7f=x.json", "control characters"},
      {"\x1b[31mred=x.json", "control characters"},
      {"a\u009b"
       "31m=x.json",
       "control characters"},
      {"\u202e=x.json", "control characters"},
      {"a\xff=x.json", "no UTF-8"},
      {std::string(201, 'n') + "=x.json", "has 201 bytes"},
      {std::string(5000, 'n') + "=x.json", "has 5000 bytes"},
      {"\x1b[31m.pt", "name it: --inputs NAME="},
      {std::string(300, 'n'), "name it: --inputs NAME="},
  };
  for (const auto& [text, words] : rows) {
    try {
      static_cast<void>(case_input_of(text));
      FAIL() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_LT(std::string(error.what()).size(), 250U) << error.what();
    }
  }
}

}  // namespace
}  // namespace parity::cli
