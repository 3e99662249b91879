// A small decoder on disk for tests: any config, weights that are never near zero, token ids.
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sample_configs.h"
#include <gtest/gtest.h>

#include "error/error.h"
#include "model/decoder/decoder_model.h"
#include "model/decoder/weight_layout.h"

namespace parity::model {

/// A folder with config.json and model.safetensors, gone with the test.
class DecoderFixture : public testing::Test {
 protected:
  DecoderFixture()
      : folder_(std::filesystem::temp_directory_path() /
                ("parity_decoder_" +
                 std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    source.model = folder_ / "model.safetensors";
    source.config = folder_ / "config.json";
    settings.device = "cpu";
    settings.threads = 1;
  }
  ~DecoderFixture() override { std::filesystem::remove_all(folder_); }

  void write(const nlohmann::json& config, const std::string& left_out = "") {
    std::ofstream(source.config) << config.dump();
    nlohmann::json header;
    std::vector<float> values;
    places_.clear();
    for (const Parameter& parameter :
         parameters_of(parse_decoder_config(config.dump(), "config.json"))) {
      if (parameter.name == left_out) {
        continue;
      }
      const std::size_t start = values.size();
      for (std::uint64_t i = 0; i < tensor::element_count(parameter.shape); ++i) {
        values.push_back(
            0.5F + 0.7F * static_cast<float>(std::sin(1.7 * static_cast<double>(values.size()))));
      }
      places_[parameter.name] = {start * sizeof(float), values.size() - start};
      header[parameter.name] = {
          {"dtype", "F32"},
          {"shape", parameter.shape},
          {"data_offsets", {start * sizeof(float), values.size() * sizeof(float)}}};
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = text.size();
    for (auto& [name, place] : places_) place.first += sizeof size + size;
    std::ofstream file(source.model, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << text;
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }

  /// Every element of one parameter of the model that was written.
  void fill(const std::string& parameter, float value) {
    const auto& [start, count] = places_.at(parameter);
    std::fstream file(source.model, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(start));
    const std::vector<float> values(count, value);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(count * sizeof(float)));
  }

  std::string refusal() {
    try {
      (void)open_decoder(source, settings);
    } catch (const Error& error) {
      return error.what();
    }
    return "opened";
  }

  Source source;
  run::Settings settings;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places_;  ///< first byte, elements
};

inline tensor::Value ids(const tensor::Shape& shape, const std::vector<std::int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int64_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {tensor::HostTensor(tensor::DType::int64, shape, std::move(bytes))};
}

}  // namespace parity::model
