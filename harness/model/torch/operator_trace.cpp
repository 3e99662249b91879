// From a run that is listened to, to the operators of one segment and the files that run them
// alone.
#include "model/operator_trace.h"

#include <fstream>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "error/error.h"
#include "model/torch/bridge.h"
#include "model/torch/device_tensor.h"
#include "model/torch/guard.h"
#include "model/torch/operator_recorder.h"
#include "model/torch/operator_slice.h"
#include "model/torch/reproducer_script.h"

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
  if (!stream) throw Error(ErrorKind::store, "cannot write " + file.string());
}

void write_pickled(const std::filesystem::path& file, const c10::IValue& value) {
  const std::vector<char> bytes = torch::jit::pickle_save(value);
  write_file(file, std::string(bytes.begin(), bytes.end()));
}

class TorchOperatorTrace final : public OperatorTrace {
 public:
  explicit TorchOperatorTrace(OperatorSlice slice) : slice_(std::move(slice)) {
    for (const RecordedCall& call : slice_.calls) {
      operators_.push_back({dotted_name(call.schema), call.source});
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

  void save(const std::filesystem::path& folder, const tensor::HostTensor& expected,
            const std::string& title, const run::Settings& settings) const override {
    if (slice_.calls.empty()) {
      throw Error(ErrorKind::usage, "no operator ran between the blamed tap and the one before it");
    }
    with_torch_errors("writing the reproducer to " + folder.string(), [&] {
      std::filesystem::create_directories(folder);
      slice_.module.save((folder / ReproducerFiles::kModel).string());
      std::vector<c10::IValue> inputs;
      for (const at::Tensor& input : slice_.inputs) inputs.emplace_back(input.cpu());
      write_pickled(folder / ReproducerFiles::kInputs, c10::ivalue::Tuple::create(inputs));
      write_pickled(folder / ReproducerFiles::kExpected, to_torch(expected).clone());
      write_file(folder / ReproducerFiles::kScript, reproducer_script(slice_, title, settings));
    });
  }

 private:
  OperatorSlice slice_;
  std::vector<OperatorCall> operators_;
};

}  // namespace

std::unique_ptr<OperatorTrace> trace_operators(Model& model, const tensor::Value& inputs,
                                               const Segment& segment, run::TapSink& sink) {
  OperatorRecorder recorder;
  TracingSink tracing(sink, segment, recorder);
  model.run(inputs, Instrumentation::taps, tracing);
  return std::make_unique<TorchOperatorTrace>(tracing.take_slice());
}

}  // namespace parity::model
