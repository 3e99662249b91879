#include "model/exported/program_file.h"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/inputs.h"
#include "model/weights/file_kind.h"
#include "model/weights/file_writers.h"
#include "model/weights/zip_archive.h"

namespace parity::model {
namespace {

using testing::Records;

const std::filesystem::path kFixtures = PARITY_EXPORTED_FIXTURES;

Records records_of(const std::filesystem::path& file) {
  const ZipArchive zip(map_file(file), file.string());
  Records records;
  for (const ZipArchive::Entry& entry : zip.entries())
    records.emplace_back(entry.name, std::string(as_text(zip.read(entry.name)->bytes)));
  return records;
}

std::string& record(Records& records, const std::string& end) {
  for (auto& [name, content] : records) {
    if (name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      return content;
  }
  throw std::out_of_range(end);
}

void change_json(Records& records, const std::string& end,
                 const std::function<void(nlohmann::json&)>& change) {
  std::string& content = record(records, end);
  nlohmann::json json = nlohmann::json::parse(content);
  change(json);
  content = json.dump();
}

TEST(ProgramFile, MapsWeightsAndTellsWhatTheyAre) {
  const ProgramFile file = read_program_file(kFixtures / "tokens.pt2");
  const ProgramWeight& embed = file.weights.at("embed.weight");
  const ProgramWeight& head = file.weights.at("head.weight");
  EXPECT_EQ(embed.role, WeightRole::parameter);
  EXPECT_EQ(embed.record, head.record) << "tied weights are stored once";
  EXPECT_EQ(embed.stored.storage.data(), head.stored.storage.data());
  EXPECT_EQ(embed.stored.shape, (tensor::Shape{24, 8}));
  EXPECT_EQ(file.weights.at("calls").role, WeightRole::other);
  EXPECT_EQ(file.weights.at("calls").stored.shape, tensor::Shape{});
  EXPECT_EQ(file.program.schema_version.substr(0, 2), "8.");
}

TEST(ProgramFile, RefusesInOneSentence) {
  using Change = std::function<void(Records&)>;
  const std::string config = "model_weights_config.json";
  const auto in_config = [&](const std::function<void(nlohmann::json&)>& change) {
    return [=](Records& records) {
      change_json(records, config,
                  [&](nlohmann::json& json) { change(json["config"]["block.up.weight"]); });
    };
  };
  const std::pair<const char*, Change> rows[] = {
      {"schema version 7.",
       [](Records& records) {
         change_json(records, "models/model.json",
                     [](nlohmann::json& json) { json["schema_version"]["major"] = 7; });
       }},
      {"archive of version 3", [](Records& records) { record(records, "archive_version") = "3"; }},
      {"big-endian", [](Records& records) { record(records, "byteorder") = "big"; }},
      {"several exported programs (model, second)",
       [](Records& records) { records.emplace_back("tokens/models/second.json", "{}"); }},
      {"without an exported program",
       [](Records& records) {
         for (auto& [name, content] : records) {
           if (name.find("models/") != std::string::npos) name = "tokens/other";
         }
       }},
      {"before 2.8",
       [](Records& records) {
         records = {{"serialized_exported_program.json", "{}"}};
       }},
      {"is missing",
       [&](Records& records) {
         for (auto& [name, content] : records) {
           if (name.find(config) != std::string::npos) name = "tokens/other";
         }
       }},
      {"`block.up.weight` of", in_config([](auto& json) { json["use_pickle"] = true; })},
      {"reaches past the bytes", in_config([](auto& json) {
         json["tensor_meta"]["sizes"][0] = {{"as_int", 1000}};
       })},
      {"reaches past the bytes", in_config([](auto& json) {
         json["tensor_meta"]["strides"][0] = {{"as_int", std::int64_t{1} << 62U}};
       })},
      {"reaches past the bytes", in_config([](auto& json) {
         json["tensor_meta"]["storage_offset"] = {{"as_int", std::int64_t{1} << 62U}};
       })},
      {"has no size that is known", in_config([](auto& json) {
         json["tensor_meta"]["sizes"][0] = {{"as_int", -1}};
       })},
      {"dtype or layout", in_config([](auto& json) { json["tensor_meta"]["dtype"] = 9; })},
      {"dtype or layout", in_config([](auto& json) { json["tensor_meta"]["layout"] = 2; })},
      {"another form", in_config([](auto& json) { json["tensor_meta"] = 3; })},
      {"weight_77` is missing", in_config([](auto& json) { json["path_name"] = "weight_77"; })},
      {"is not in the file",
       [&](Records& records) {
         change_json(records, config,
                     [](nlohmann::json& json) { json["config"].erase("block.up.weight"); });
       }},
  };
  const testing::TemporaryFolder folder;
  for (const auto& [words, change] : rows) {
    Records records = records_of(kFixtures / "tokens.pt2");
    change(records);
    const std::filesystem::path file = folder.write("net.pt2", testing::zip_of(records));
    const std::string message = testing::error_of([&] { (void)read_program_file(file); });
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(message.find(';'), std::string::npos) << "says nothing to do: " << message;
  }
}

TEST(ProgramFile, SurvivesEveryCutAndByte) {
  const testing::TemporaryFolder folder;
  const std::string whole(as_text(map_file(kFixtures / "missing_operator.pt2").bytes));
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string altered = whole;
    altered[at] = static_cast<char>(~altered[at]);
    for (const std::string& content : {whole.substr(0, at), altered}) {
      const std::filesystem::path file = folder.write("net.pt2", content);
      (void)testing::error_of([&] { (void)read_program_file(file); });
      (void)testing::error_of([&] { (void)sample_inputs(file); });
    }
  }
}

TEST(SampleInputs, AreThoseOfTheFile) {
  const tensor::Value inputs = sample_inputs(kFixtures / "tokens.pt2");
  const auto& items = std::get<tensor::ValueTuple>(inputs.data).items;
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(std::get<tensor::HostTensor>(items[0].data).shape(), (tensor::Shape{2, 6}));
}

TEST(SampleInputs, AreAskedForWhereTheFileHasNone) {
  const testing::TemporaryFolder folder;
  Records records = records_of(kFixtures / "tokens.pt2");
  for (auto& [name, content] : records) {
    if (name.find("sample_inputs") != std::string::npos) name = "tokens/other";
  }
  const auto refusal = [](const std::filesystem::path& file) {
    return testing::error_of([&] { (void)sample_inputs(file); });
  };
  const std::string none = refusal(folder.write("net.pt2", testing::zip_of(records)));
  EXPECT_NE(none.find("holds no sample inputs; give --inputs"), std::string::npos) << none;
  const std::string other = refusal(kFixtures / "../decoder/model.torchscript.pt");
  EXPECT_NE(other.find("--inputs is required"), std::string::npos) << other;
  const std::string no_model = refusal(folder.write("net.pt", "nothing"));
  EXPECT_EQ(no_model.find("--inputs is required"), std::string::npos) << no_model;
  EXPECT_NE(no_model.find("net.pt"), std::string::npos) << no_model;
}

}  // namespace
}  // namespace parity::model
