// A model in memory that does what a test tells it to: gives these taps, refuses those, changes
// when it is watched.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "capture/plain_device.h"
#include "error/error.h"
#include "model/model.h"
#include "run/recording.h"

namespace parity::test {

struct FakeTap {
  run::TapId id;
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;
  std::vector<std::byte> bytes;
};

inline std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline FakeTap module_tap(const std::string& path, const std::vector<float>& values) {
  return {{run::TapKind::module, path, "", 0, ""},
          tensor::DType::float32,
          {static_cast<std::int64_t>(values.size())},
          bytes_of(values)};
}

/// The tap in float64, as a truth has it.
inline FakeTap widened(const FakeTap& tap) {
  FakeTap wide = tap;
  wide.dtype = tensor::DType::float64;
  wide.bytes.resize(2 * tap.bytes.size());
  for (std::size_t i = 0; i < tap.bytes.size() / sizeof(float); ++i) {
    float value = 0;
    std::memcpy(&value, tap.bytes.data() + i * sizeof value, sizeof value);
    const double as_double = static_cast<double>(value);
    std::memcpy(wide.bytes.data() + i * sizeof as_double, &as_double, sizeof as_double);
  }
  return wide;
}

inline FakeTap output_tap(const std::vector<float>& values) {
  FakeTap tap = module_tap(std::string(run::kOutputPath), values);
  tap.id.kind = run::TapKind::output;
  return tap;
}

class FakeModel final : public model::Model {
 public:
  explicit FakeModel(std::vector<FakeTap> given) : taps(std::move(given)) {
    description_.file_name = "fake.pt";
    description_.kind = "fake";
    description_.all_weights = run::digest_of_weights({});
  }

  [[nodiscard]] const run::ModelDescription& description() const override { return description_; }
  [[nodiscard]] run::Provenance provenance() const override { return facts; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
  [[nodiscard]] bool draws_random_numbers() const override { return random; }
  [[nodiscard]] std::string refusal_of(const tensor::Value& inputs) const override {
    return refuse ? refuse(inputs) : std::string{};
  }
  [[nodiscard]] run::HostAllocator& host_allocator() override { return allocator_; }
  void run(const tensor::Value& /*inputs*/, model::Instrumentation instrumentation,
           run::TapSink& sink) override {
    ++runs;
    if (!failure.empty()) throw Error(ErrorKind::model, failure);
    const bool watched = instrumentation == model::Instrumentation::taps;
    for (const FakeTap& tap : taps) {
      if (!watched && tap.id.kind != run::TapKind::output) continue;
      FakeTap seen = tap;
      if (watched && change_when_watched) change_when_watched(seen);
      if (change_in_run) change_in_run(runs, seen);
      sink.on_tap(seen.id, PlainTensor(seen.dtype, seen.shape, seen.bytes));
    }
    if (!watched) return;
    for (const run::SkippedTap& tap : skipped) sink.on_skipped(tap.id, tap.reason);
  }
  [[nodiscard]] bool is_logits(const run::TapId& /*output*/, const tensor::Shape& /*shape*/,
                               const tensor::Value& /*inputs*/) const override {
    return false;
  }

  std::vector<FakeTap> taps;
  std::vector<run::SkippedTap> skipped;
  std::function<void(FakeTap&)> change_when_watched;
  std::function<void(int run, FakeTap&)> change_in_run;  ///< the first run is 1
  run::Provenance facts;
  std::function<std::string(const tensor::Value&)> refuse;
  bool random = false;  ///< says that it drew random numbers
  std::string failure;  ///< of every run; empty: it succeeds
  int runs = 0;

 private:
  run::ModelDescription description_;
  PlainAllocator allocator_;
};

}  // namespace parity::test
