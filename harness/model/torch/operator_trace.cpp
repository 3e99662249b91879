// From a run that is listened to, to the operators of one segment and the files that run them
// alone.
#include <fstream>
#include <iomanip>
#include <iterator>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "error/error.h"
#include "model/torch/bridge.h"
#include "model/torch/device_tensor.h"
#include "model/torch/entries.h"
#include "model/torch/guard.h"
#include "model/torch/operator_float64.h"
#include "model/torch/operator_recorder.h"
#include "model/torch/operator_slice.h"
#include "model/torch/reproducer_script.h"
#include "run/noise.h"

namespace parity::model {
namespace {

/// Starts and stops the recorder where the segment does.
class TracingSink final : public run::TapSink {
 public:
  TracingSink(run::TapSink& sink, const Segment& segment, OperatorRecorder& recorder)
      : sink_(sink), segment_(segment), recorder_(recorder) {
    if (!segment.behind) recorder_.start();
  }

  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    if (id == segment_.up_to) {
      recorder_.stop();
      const std::vector<RecordedCall> calls = recorder_.take();
      const auto* tapped = dynamic_cast<const TorchDeviceTensor*>(&value);
      if (tapped != nullptr) slice_ = slice_for(tapped->tensor(), calls);
    }
    sink_.on_tap(id, value);
    if (segment_.behind && id == *segment_.behind) recorder_.start();
  }
  void on_skipped(const run::TapId& id, const std::string& reason) override {
    sink_.on_skipped(id, reason);
  }
  std::optional<tensor::TensorView> forced_value(const run::TapId& id) override {
    return sink_.forced_value(id);
  }
  void on_not_forced(const run::TapId& id, const std::string& reason) override {
    sink_.on_not_forced(id, reason);
  }

  [[nodiscard]] OperatorSlice take_slice() { return std::move(slice_); }

 private:
  run::TapSink& sink_;
  const Segment segment_;
  OperatorRecorder& recorder_;
  OperatorSlice slice_;
};

void write_file(const std::filesystem::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) throw Error(ErrorKind::resource, "cannot write " + file.string());
}

void write_pickled(const std::filesystem::path& file, const c10::IValue& value) {
  const std::vector<char> bytes = torch::jit::pickle_save(value);
  write_file(file, std::string(bytes.begin(), bytes.end()));
}

c10::IValue read_pickled(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  return torch::jit::pickle_load(bytes);
}

/// nrmse over pairs that are finite; infinite where others differ.
double distance(const at::Tensor& reference, const at::Tensor& candidate) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (reference.sizes() != candidate.sizes()) return kInfinity;
  const at::Tensor same = at::isclose(candidate, reference, 0, 0, /*equal_nan=*/true);
  const at::Tensor finite = reference.isfinite().logical_and(candidate.isfinite());
  if (!same.logical_or(finite).all().item<bool>()) return kInfinity;
  const at::Tensor exact = reference.to(at::kComplexDouble).masked_fill(~finite, 0);
  const at::Tensor error = candidate.to(at::kComplexDouble).masked_fill(~finite, 0) - exact;
  const double norm = error.norm().item<double>();
  return norm == 0 ? 0 : norm / exact.norm().item<double>();
}

/// Of the written operators with the written inputs, from the seed on.
at::Tensor run_written(const std::filesystem::path& folder, const c10::Device& device,
                       std::uint64_t seed) {
  at::manual_seed(seed);
  torch::jit::Module module = torch::jit::load((folder / ReproducerFiles::kModel).string(), device);
  const c10::IValue inputs = read_pickled(folder / ReproducerFiles::kInputs);
  std::vector<c10::IValue> arguments;
  for (const c10::IValue& input : inputs.toTupleRef().elements())
    arguments.emplace_back(input.toTensor().to(device));
  return module.forward(std::move(arguments)).toTensor();
}

class TorchOperatorTrace final : public OperatorTrace {
 public:
  explicit TorchOperatorTrace(OperatorSlice slice) : slice_(std::move(slice)) {
    for (const RecordedCall& call : slice_.calls) {
      if (call.caller != Caller::model) continue;
      operators_.push_back({dotted_name(call.schema), call.source});
      calls_.push_back(&call);
    }
  }

  [[nodiscard]] const std::vector<OperatorCall>& operators() const override { return operators_; }

  [[nodiscard]] tensor::Value inputs() const override {
    tensor::ValueTuple tuple;
    with_torch_errors("copying the operators' inputs from the device", [&] {
      for (const at::Tensor& input : slice_.inputs) tuple.items.push_back({to_host(input)});
    });
    return {std::move(tuple)};
  }

  [[nodiscard]] OwnValues in_float64(std::size_t index) const override {
    return model::in_float64(*calls_.at(index));
  }

  void save(const std::filesystem::path& folder, const Reproducer& what) const override {
    if (operators_.empty()) {
      throw Error(ErrorKind::usage, "no operator ran between the blamed tap and the one before it");
    }
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) {
      throw Error(ErrorKind::resource,
                  "cannot make the folder " + folder.string() + ": " + failure.message());
    }
    with_torch_errors("writing the reproducer to " + folder.string(), [&] {
      std::ostringstream module;
      slice_.module.save(module);
      write_file(folder / ReproducerFiles::kModel, module.str());
      std::vector<c10::IValue> inputs;
      for (const at::Tensor& input : slice_.inputs) inputs.emplace_back(input.cpu());
      write_pickled(folder / ReproducerFiles::kInputs, c10::ivalue::Tuple::create(inputs));
      write_pickled(folder / ReproducerFiles::kReference, to_torch(what.reference).clone());
      write_file(folder / ReproducerFiles::kScript, reproducer_script(slice_, what));
    });
  }

  [[nodiscard]] std::string difference_when_run(const std::filesystem::path& folder,
                                                std::uint64_t seed) const override {
    std::string difference;
    with_torch_errors("running the reproducer in " + folder.string(), [&] {
      const c10::Device device = slice_.value.device();
      const at::Tensor once = run_written(folder, device, seed);
      if (same_bits(once, slice_.value)) return;
      const double off = distance(slice_.value, once);
      if (off == 0) return;  // the sign of a zero, or the bits of a NaN
      const double noise = distance(once, run_written(folder, device, seed));
      if (noise > 0 && off <= run::kNoiseMultiple * noise) return;
      std::ostringstream text;
      text << "nrmse " << std::scientific << std::setprecision(1) << off;
      difference = text.str();
    });
    return difference;
  }

 private:
  OperatorSlice slice_;
  std::vector<OperatorCall> operators_;
  std::vector<const RecordedCall*> calls_;  ///< of operators_, in slice_
};

}  // namespace

namespace entry {

std::unique_ptr<OperatorTrace> trace_operators(Model& model, const tensor::Value& inputs,
                                               const Segment& segment, run::TapSink& sink) {
  OperatorRecorder recorder;
  TracingSink tracing(sink, segment, recorder);
  model.run(inputs, Instrumentation::taps, tracing);
  return std::make_unique<TorchOperatorTrace>(tracing.take_slice());
}

}  // namespace entry
}  // namespace parity::model
