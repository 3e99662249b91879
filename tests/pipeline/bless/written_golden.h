// Goldens of a few values, written for one test: what is in them stands in the test, nothing is
// run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden_store/golden_writer.h"
#include "tensor/digest.h"

namespace parity::test {

struct WrittenTap {
  std::string path;
  std::vector<float> values;
  std::vector<std::int64_t> shape = {};  ///< one dimension where it is left out
  bool is_digest = false;                ///< its digest alone is stored
};

struct WrittenCase {
  std::string name;
  std::vector<WrittenTap> taps;
  std::int64_t inputs = 1;
  std::vector<double> truth = {};  ///< of its one tap
};

struct WrittenGolden {
  std::vector<WrittenCase> cases;
  std::vector<run::WeightDigest> weights = {};
  std::string kind = "torchscript";
  std::string device = "cpu";
};

inline run::WeightDigest weight(const std::string& name, float value) {
  return {
      name, tensor::DType::float32, {1}, tensor::digest_of(std::as_bytes(std::span(&value, 1)))};
}

inline run::TapRecord record_of(const WrittenTap& tap, tensor::DType dtype,
                                std::span<const std::byte> bytes) {
  run::TapRecord record;
  const bool is_output = tap.path == run::kOutputPath;
  record.id = {is_output ? run::TapKind::output : run::TapKind::module, tap.path, "", 0, ""};
  record.dtype = dtype;
  record.shape = tap.shape.empty() ? tensor::Shape{static_cast<std::int64_t>(tap.values.size())}
                                   : tensor::Shape(tap.shape.begin(), tap.shape.end());
  record.digest = tensor::digest_of(bytes);
  if (tap.is_digest) record.mode = run::StoreMode::digest;
  return record;
}

inline void write_golden(const std::filesystem::path& file, const WrittenGolden& golden) {
  golden_store::GoldenWriter writer(file, {});
  for (std::size_t i = 0; i < golden.cases.size(); ++i) {
    const WrittenCase& one = golden.cases[i];
    writer.begin_case(one.name, {one.inputs});
    for (const WrittenTap& tap : one.taps) {
      const auto bytes = std::as_bytes(std::span(tap.values));
      writer.add_tap(record_of(tap, tensor::DType::float32, bytes),
                     tap.is_digest ? bytes.first(0) : bytes);
    }
    writer.end_case({}, {});
    if (one.truth.empty()) continue;
    writer.begin_truth(i, tensor::DType::float64);
    const auto bytes = std::as_bytes(std::span(one.truth));
    writer.add_tap(record_of(one.taps.front(), tensor::DType::float64, bytes), bytes);
    writer.end_truth({});
  }
  run::RecordingHeader header;
  header.model.file_name = "model.pt";
  header.model.kind = golden.kind;
  header.model.weights = golden.weights;
  header.model.all_weights = run::digest_of_weights(golden.weights);
  header.provenance.set("device.name", golden.device);
  header.provenance.set("library.torch", "2.11.0");
  writer.finish(header);
}

}  // namespace parity::test
