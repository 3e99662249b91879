// Values cross over as float64, which holds those of every type; they are narrowed on the host, so
// that the device has no part in making its own questions.
#include <algorithm>
#include <functional>
#include <optional>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include "model/torch/bridge.h"
#include "model/torch/device.h"
#include "model/torch/entries.h"
#include "model/torch/guard.h"
#include "model/torch/switches.h"

namespace parity::model {
namespace {

at::Tensor tensor_of(const std::vector<double>& values, at::IntArrayRef shape,
                     at::ScalarType dtype) {
  at::Tensor tensor = at::empty(shape, at::kDouble);
  std::copy(values.begin(), values.end(), tensor.data_ptr<double>());
  return tensor.to(dtype);
}

std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.cpu().to(at::kDouble).contiguous();
  const auto* first = wide.data_ptr<double>();
  return {first, first + wide.numel()};
}

/// Numbers between -1 and 1 without a pattern, the same at every call and on every machine.
at::Tensor numbers(at::IntArrayRef shape, at::ScalarType dtype) {
  const at::Tensor counted = at::arange(c10::multiply_integers(shape), at::kLong);
  return counted.mul(2654435761LL)
      .remainder(2097143)
      .to(at::kDouble)
      .div(1048571.5)
      .sub(1)
      .to(dtype)
      .view(shape);
}

class TorchProbeDevice final : public run::ProbeDevice {
 public:
  TorchProbeDevice(const c10::Device& device, const run::Settings& settings)
      : device_(device), settings_(settings) {}

  [[nodiscard]] run::Matrix product(const run::Matrix& a, const run::Matrix& b, tensor::DType dtype,
                                    run::Fp32Precision precision) override {
    run::Matrix result{a.rows, b.columns, {}};
    on_device([&] {
      put_fp32_precision(precision);
      const at::ScalarType type = scalar_type_of(dtype);
      result.values = values_of(at::matmul(moved(matrix_of(a, type)), moved(matrix_of(b, type))));
    });
    return result;
  }

  [[nodiscard]] std::vector<double> times(const std::vector<double>& a,
                                          const std::vector<double>& b,
                                          tensor::DType dtype) override {
    std::vector<double> result;
    on_device([&] { result = values_of(at::mul(vector_of(a, dtype), vector_of(b, dtype))); });
    return result;
  }

  [[nodiscard]] std::vector<double> plus_product(const std::vector<double>& c,
                                                 const std::vector<double>& a,
                                                 const std::vector<double>& b,
                                                 tensor::DType dtype) override {
    std::vector<double> result;
    on_device([&] {
      result =
          values_of(at::addcmul(vector_of(c, dtype), vector_of(a, dtype), vector_of(b, dtype)));
    });
    return result;
  }

  [[nodiscard]] std::vector<double> plus_scaled(const std::vector<double>& c,
                                                const std::vector<double>& a, double factor,
                                                tensor::DType dtype) override {
    std::vector<double> result;
    on_device(
        [&] { result = values_of(at::add(vector_of(c, dtype), vector_of(a, dtype), factor)); });
    return result;
  }

  [[nodiscard]] std::vector<double> repeated(run::Repeatable operation,
                                             tensor::DType dtype) override {
    std::vector<double> result;
    on_device([&] { result = values_of(called(operation, scalar_type_of(dtype))); });
    return result;
  }

 private:
  /// Puts the settings back in force, however an operation ended.
  class Restored {
   public:
    explicit Restored(const TorchProbeDevice& owner) : owner_(owner) {}
    ~Restored() { put_fp32_precision(owner_.settings_.fp32_precision); }
    Restored(const Restored&) = delete;
    Restored& operator=(const Restored&) = delete;

   private:
    const TorchProbeDevice& owner_;
  };

  /// torch's errors are the project's, as in a run.
  void on_device(const std::function<void()>& body) const {
    with_torch_errors("probing " + device_.str(), [&] {
      apply_switches(settings_, device_);
      const Restored restored(*this);
      const c10::OptionalDeviceGuard guard(device_.is_cpu() ? std::nullopt
                                                            : std::optional<c10::Device>(device_));
      body();
    });
  }

  [[nodiscard]] at::Tensor moved(const at::Tensor& tensor) const { return tensor.to(device_); }
  static at::Tensor matrix_of(const run::Matrix& matrix, at::ScalarType type) {
    return tensor_of(
        matrix.values,
        {static_cast<std::int64_t>(matrix.rows), static_cast<std::int64_t>(matrix.columns)}, type);
  }
  [[nodiscard]] at::Tensor vector_of(const std::vector<double>& values, tensor::DType dtype) const {
    return moved(
        tensor_of(values, {static_cast<std::int64_t>(values.size())}, scalar_type_of(dtype)));
  }

  [[nodiscard]] at::Tensor called(run::Repeatable operation, at::ScalarType type) const {
    switch (operation) {
      case run::Repeatable::matmul: {
        const at::Tensor a = moved(numbers({96, 768}, type));
        return at::matmul(a, a.t());
      }
      case run::Repeatable::softmax:
        return at::softmax(moved(numbers({32, 1000}, type)), -1);
      case run::Repeatable::sum:
        return moved(numbers({8, 20000}, type)).sum(-1);
      case run::Repeatable::attention: {
        const at::Tensor q = moved(numbers({1, 4, 64, 64}, type));
        return at::scaled_dot_product_attention(q, q, q);
      }
    }
    return {};
  }

  c10::Device device_;
  run::Settings settings_;
};

}  // namespace

namespace entry {

std::unique_ptr<run::ProbeDevice> open_probe_device(const run::Settings& settings) {
  return std::make_unique<TorchProbeDevice>(resolve_device(settings), settings);
}

}  // namespace entry
}  // namespace parity::model
