// Small goldens that the tests of selftest spoil, and one fault of a result by its name.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "capture/row_selection.h"
#include "fault/value_changes.h"
#include "golden_store/golden_writer.h"
#include "pipeline/selftest/selftest.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {

using report::FaultResult;
using report::Selftest;

struct MadeTap {
  run::TapId id;
  tensor::HostTensor value;
  run::StoreMode mode = run::StoreMode::full;
  run::Role role = run::Role::activation;
};

/// Values without order, around zero; the same for the same seed.
inline tensor::HostTensor floats(const tensor::Shape& shape, std::uint64_t seed, float factor = 1) {
  std::vector<float> values(tensor::element_count(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto mixed = fault::mixed(seed * 1000003 + i);
    values[i] = factor * (static_cast<float>(mixed % 20001) / 10000.0F - 1.0F);
  }
  const auto bytes = std::as_bytes(std::span(values));
  return {tensor::DType::float32, shape, {bytes.begin(), bytes.end()}};
}

inline run::TapId module(const std::string& path) {
  return {run::TapKind::module, path, "", 0, ""};
}
inline run::TapId output() {
  return {run::TapKind::output, std::string(run::kOutputPath), "", 0, ""};
}

class SelftestTest : public testing::Test {
 protected:
  [[nodiscard]] SelftestRequest golden(const std::vector<MadeTap>& taps,
                                       const std::vector<std::string>& cases = {"one"}) const {
    const std::filesystem::path path = folder_.path() / "golden.h5";
    golden_store::GoldenWriter writer(path, {});
    for (const std::string& name : cases) {
      writer.begin_case(name, {});
      for (const MadeTap& made : taps) add(writer, made);
      writer.end_case({}, {});
    }
    run::RecordingHeader header;
    header.model.file_name = "model.pt";
    header.model.kind = "torchscript";
    header.model.all_weights = run::digest_of_weights({});
    writer.finish(header);
    SelftestRequest request;
    request.golden = path;
    return request;
  }

  static void add(golden_store::GoldenWriter& writer, const MadeTap& made) {
    run::TapRecord record;
    record.id = made.id;
    record.dtype = made.value.dtype();
    record.shape = made.value.shape();
    record.digest = tensor::digest_of(made.value.bytes());
    record.mode = made.mode;
    record.role = made.role;
    std::vector<std::byte> stored(made.value.bytes().begin(), made.value.bytes().end());
    if (made.mode == run::StoreMode::digest) stored.clear();
    if (made.mode == run::StoreMode::rows) {
      record.rows = run::stored_rows(capture::row_count(record.shape), 2);
      stored = capture::select_rows(made.value.view(), record.rows);
    }
    writer.add_tap(record, stored);
  }

  [[nodiscard]] static std::vector<MadeTap> three_taps() {
    return {{module("blocks.0.fc"), floats({4, 8}, 1)},
            {module("blocks.1.fc"), floats({4, 8}, 2)},
            {output(), floats({4, 8}, 3, 20), run::StoreMode::full, run::Role::logits}};
  }

  [[nodiscard]] static Selftest run(const SelftestRequest& request) {
    NoProgress progress;
    return selftest(request, progress);
  }
  [[nodiscard]] static Selftest run(const SelftestRequest& request, const Gate& gate) {
    NoProgress progress;
    return selftest_gate(request, gate, progress);
  }

  [[nodiscard]] static const FaultResult& fault(const Selftest& found, std::string_view name) {
    for (const FaultResult& each : found.faults) {
      if (each.name == name) return each;
    }
    throw std::runtime_error("no fault " + std::string(name));
  }

  test::TemporaryFolder folder_;
};

}  // namespace parity::pipeline
