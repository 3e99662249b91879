// Small recordings made in memory, for tests that need a golden to read. Knows no model and no
// device.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "golden_store/golden_writer.h"
#include "run/recording.h"
#include "tensor/digest.h"
#include "tensor/shape.h"
#include "tensor/value.h"

namespace parity::golden_store::testing {

struct SampleTap {
  run::TapRecord record;
  std::vector<std::byte> stored;
};

struct SampleCase {
  std::string name;
  tensor::Value inputs;
  std::vector<SampleTap> taps;
  std::vector<run::SkippedTap> skipped;
  std::vector<std::string> notes;
};

struct SampleGolden {
  run::RecordingHeader header;
  std::vector<SampleCase> cases;
};

/// Reproducible bytes with every bit pattern in them: NaN payloads, subnormals, both zeros.
inline std::vector<std::byte> sample_bytes(std::size_t count, std::uint64_t seed) {
  std::vector<std::byte> bytes(count);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;
  for (std::byte& byte : bytes) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<std::byte>(state >> 32U);
  }
  return bytes;
}

template <typename Number>
std::vector<std::byte> bytes_of(const std::vector<Number>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Number));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A tap that is stored whole.
inline SampleTap full_tap(run::TapId id, tensor::DType dtype, tensor::Shape shape,
                          std::vector<std::byte> bytes) {
  SampleTap tap;
  tap.record.id = std::move(id);
  tap.record.dtype = dtype;
  tap.record.shape = std::move(shape);
  tap.record.digest = tensor::digest_of(bytes);
  tap.stored = std::move(bytes);
  return tap;
}

/// A whole tap of reproducible bytes.
inline SampleTap random_tap(run::TapId id, tensor::DType dtype, const tensor::Shape& shape,
                            std::uint64_t seed) {
  const std::size_t size = tensor::element_count(shape) * tensor::size_bytes(dtype);
  std::vector<std::byte> bytes = sample_bytes(size, seed);
  if (dtype == tensor::DType::boolean) {
    for (std::byte& byte : bytes) byte &= std::byte{1};
  }
  return full_tap(std::move(id), dtype, shape, std::move(bytes));
}

inline run::TapId module_id(const std::string& path) {
  return {run::TapKind::module, path, "", 0, ""};
}

inline WriteOptions gzipped(int level) { return {run::Compression{run::Packer::gzip, level}}; }

inline void write_sample(const std::filesystem::path& path, const SampleGolden& golden,
                         const WriteOptions& options = {}) {
  GoldenWriter writer(path, options);
  for (const SampleCase& sample : golden.cases) {
    writer.begin_case(sample.name, sample.inputs);
    for (const SampleTap& tap : sample.taps) writer.add_tap(tap.record, tap.stored);
    writer.end_case(sample.skipped, sample.notes);
  }
  writer.finish(golden.header);
}

inline run::RecordingHeader sample_header() {
  run::RecordingHeader header;
  header.model.file_name = "model.pt";
  header.model.kind = "decoder:llama";
  header.model.parameter_count = 12;
  header.model.weights = {
      {"a.weight", tensor::DType::float32, {2, 4}, tensor::digest_of(sample_bytes(32, 1))},
      {"b.bias", tensor::DType::bfloat16, {4}, tensor::digest_of(sample_bytes(8, 2))},
      {"scale", tensor::DType::float64, {}, tensor::digest_of(sample_bytes(8, 3))},
  };
  header.model.all_weights = run::digest_of_weights(header.model.weights);
  header.provenance.set("device.name", "NVIDIA H200");
  header.provenance.set("device.vendor", "NVIDIA");
  header.provenance.set("switch.fp32_precision", "ieee");
  header.notes = {"recorded for a test"};
  return header;
}

/// Two layers and logits of one case, small enough for any test.
inline SampleGolden small_golden() {
  const std::vector<float> hidden = {1.0F, -2.5F, 0.0F, -0.0F, 3.0e-40F, 1.0e30F, 0.1F, 7.0F};
  const std::vector<float> logits = {0.5F, 2.5F, -1.0F, 4.0F, 0.25F, 0.125F};
  SampleCase sample;
  sample.name = "prompt";
  sample.inputs.data =
      tensor::HostTensor(tensor::DType::int64, {1, 3}, bytes_of<std::int64_t>({5, 7, 9}));
  sample.taps.push_back(
      full_tap(module_id("embed"), tensor::DType::float32, {2, 4}, bytes_of(hidden)));
  sample.taps.push_back(
      random_tap(module_id("blocks.0.mlp"), tensor::DType::bfloat16, {2, 3, 4}, 11));
  sample.taps.push_back(full_tap({run::TapKind::output, std::string(run::kOutputPath), "", 0, ""},
                                 tensor::DType::float32, {1, 2, 3}, bytes_of(logits)));
  sample.taps.back().record.role = run::Role::logits;
  return {sample_header(), {std::move(sample)}};
}

/// One tap of every dtype named after it, in the shape given.
inline SampleGolden golden_of_every_dtype(const tensor::Shape& shape) {
  SampleGolden golden = small_golden();
  std::vector<SampleTap>& taps = golden.cases.front().taps;
  taps.clear();
  for (const tensor::DType dtype : tensor::all_dtypes()) {
    taps.push_back(
        random_tap(module_id(std::string(tensor::name(dtype))), dtype, shape, taps.size() + 1));
  }
  return golden;
}

}  // namespace parity::golden_store::testing
