#include "model/torch/operator_float64.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include "model/torch/bridge.h"
#include "model/torch/failure.h"

namespace parity::model {
namespace {

using Stack = std::vector<c10::IValue>;

/// Why a call is not judged.
struct NotJudged {
  std::string reason;
};

bool has_fractions(at::ScalarType type) {
  return at::isFloatingType(type) || at::isComplexType(type);
}

at::ScalarType widened(at::ScalarType type) {
  if (at::isComplexType(type)) return at::kComplexDouble;
  return at::isFloatingType(type) ? at::kDouble : type;
}

/// Moves every element of tensors up or down by its `step`th part, by turns that have no pattern,
/// neither within a tensor nor between two.
class Nudge {
 public:
  explicit Nudge(double step)
      : step_(step), generator_(at::make_generator<at::CPUGeneratorImpl>(/*seed_in=*/1)) {}

  [[nodiscard]] at::Tensor of(const at::Tensor& tensor) {
    const at::Tensor upwards = at::randint(0, 2, tensor.sizes(), generator_, at::kDouble);
    return tensor * (1.0 - step_ + 2.0 * step_ * upwards);
  }

 private:
  double step_;
  at::Generator generator_;
};

/// The arguments of a call, on the CPU and in float64. `step` 0: as they are.
class Arguments {
 public:
  Arguments(const RecordedCall& call, double step) : call_(call), step_(step), nudge_(step) {}

  [[nodiscard]] Stack stack() {
    Stack stack;
    for (std::size_t i = 0; i < call_.given.size(); ++i)
      stack.push_back(of(call_.given[i], call_.schema.arguments()[i]));
    return stack;
  }

 private:
  [[nodiscard]] c10::IValue of(const c10::IValue& value, const c10::Argument& argument) {
    if (value.isTensor() && value.toTensor().defined())
      return of(value.toTensor(), is_written(argument));
    if (value.isDevice()) return c10::Device(c10::kCPU);
    // A ScalarType is an int to the dispatcher.
    if (value.isInt() && argument.name() == "dtype")
      return static_cast<std::int64_t>(widened(static_cast<at::ScalarType>(value.toInt())));
    if (!value.isList()) return value;
    const auto list = value.toListRef();
    c10::impl::GenericList result(value.type()->expectRef<c10::ListType>().getElementType());
    for (const c10::IValue& element : list) {
      const bool tensor = element.isTensor() && element.toTensor().defined();
      result.push_back(tensor ? of(element.toTensor(), is_written(argument)) : element);
    }
    return result;
  }
  [[nodiscard]] at::Tensor of(const at::Tensor& tensor, bool written) {
    const at::ScalarType type = widened(tensor.scalar_type());
    const at::Tensor wide =
        tensor.to(at::TensorOptions().device(c10::kCPU).dtype(type), /*non_blocking=*/false,
                  /*copy=*/written);
    return step_ > 0 && has_fractions(type) ? nudge_.of(wide) : wide;
  }

  const RecordedCall& call_;
  double step_;
  Nudge nudge_;
};

bool holds_fractions(const c10::IValue& value) {
  bool found = false;
  each_tensor(value, [&](const at::Tensor& tensor) {
    found = found || has_fractions(tensor.scalar_type());
  });
  return found;
}

std::vector<at::Tensor> tensors_in(const std::vector<c10::IValue>& values) {
  std::vector<at::Tensor> tensors;
  each_tensor(values, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

c10::OperatorHandle operator_of(const c10::FunctionSchema& schema) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(schema.name().c_str(),
                                                        schema.overload_name().c_str());
}

std::vector<at::Tensor> evaluated(const RecordedCall& call, double step) {
  Stack stack = Arguments(call, step).stack();
  operator_of(call.schema).callBoxed(&stack);
  return tensors_in(stack);
}

void refuse_what_is_not_dense(const std::vector<c10::IValue>& values) {
  each_tensor(values, [](const at::Tensor& tensor) {
    if (tensor.layout() != c10::kStrided || tensor.is_quantized() || tensor.is_nested())
      throw NotJudged{"it works on tensors that are not plain ones"};
  });
}

void refuse_overlapping_arguments(const RecordedCall& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!is_written(call.schema.arguments()[i])) continue;
    for (std::size_t j = 0; j < call.inputs.size(); ++j) {
      if (i == j) continue;
      each_tensor(call.inputs[i], [&](const at::Tensor& written) {
        if (!is_fresh(written, {call.inputs[j]}))
          throw NotJudged{"it writes to memory that it reads through another argument"};
      });
    }
  }
}

/// The results that the call computed: not those that only view an input. With their places.
std::vector<std::pair<std::size_t, at::Tensor>> computed(const RecordedCall& call) {
  std::vector<std::pair<std::size_t, at::Tensor>> results;
  std::size_t place = 0;
  for (std::size_t i = 0; i < call.made.size(); ++i) {
    const bool written = is_written(call.schema.returns()[i]);
    each_tensor(call.made[i], [&](const at::Tensor& made) {
      if (written || is_fresh(made, call.inputs)) results.emplace_back(place, made);
      ++place;
    });
  }
  return results;
}

/// The largest rounding of the results; nullopt when they are integers.
std::optional<double> rounding_of(const std::vector<std::pair<std::size_t, at::Tensor>>& results) {
  std::optional<double> rounding;
  for (const auto& [place, made] : results) {
    const std::optional<tensor::DType> dtype = dtype_of(made.scalar_type());
    if (!dtype) throw NotJudged{"its result has a dtype that parity does not compare"};
    if (made.scalar_type() == at::kDouble || made.scalar_type() == at::kComplexDouble)
      throw NotJudged{"its result is of float64 already"};
    if (has_fractions(made.scalar_type())) {
      const double one = tensor::unit_roundoff(tensor::component(*dtype));
      rounding = std::max(rounding.value_or(0), one);
    }
  }
  return rounding;
}

/// What is too large for the result's dtype rounds to infinity.
at::Tensor as_it_could_be(const at::Tensor& exact, const at::Tensor& made) {
  if (!has_fractions(made.scalar_type())) return exact;
  const at::Tensor wide = exact.to(widened(made.scalar_type()));
  if (at::isComplexType(made.scalar_type())) return wide;
  const at::Tensor rounded = wide.to(made.scalar_type()).to(at::kDouble);
  return at::where(rounded.isinf(), rounded, wide);
}

void refuse_random_results(const RecordedCall& call, const std::vector<at::Tensor>& results) {
  if (!operator_of(call.schema).hasTag(at::Tag::nondeterministic_seeded)) return;
  const std::vector<at::Tensor> again = evaluated(call, 0);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!same_bits(results[i], again.at(i))) throw NotJudged{"it draws random numbers"};
  }
}

std::vector<OwnValue> own_values(const RecordedCall& call) {
  const auto results = computed(call);
  if (results.empty()) return {};
  refuse_what_is_not_dense(call.given);
  refuse_what_is_not_dense(call.made);
  refuse_overlapping_arguments(call);
  const std::optional<double> rounding = rounding_of(results);
  const std::vector<at::Tensor> exact = evaluated(call, 0);
  refuse_random_results(call, exact);
  const std::vector<at::Tensor> moved = rounding ? evaluated(call, *rounding) : exact;
  std::vector<OwnValue> values;
  for (const auto& [place, made] : results) {
    const bool same_shape =
        exact.at(place).sizes() == made.sizes() && moved.at(place).sizes() == made.sizes();
    if (!same_shape) throw NotJudged{"its result has another shape in float64"};
    OwnValue value{to_host(made), to_host(as_it_could_be(exact[place], made)),
                   to_host(as_it_could_be(moved[place], made))};
    const bool chosen = !has_fractions(made.scalar_type()) &&
                        std::any_of(call.given.begin(), call.given.end(), holds_fractions);
    if (chosen && !same_bits(exact[place], made.cpu()))
      throw NotJudged{"a choice between its inputs may turn on their last bit"};
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

OwnValues in_float64(const RecordedCall& call) {
  try {
    return {{}, own_values(call)};
  } catch (const NotJudged& refusal) {
    return {refusal.reason, {}};
  } catch (const std::bad_alloc&) {
    return {"there is not enough memory to compute it in float64", {}};
  } catch (const std::exception& error) {
    return {"it does not run in float64 on the CPU: " + cause_of(error.what()), {}};
  }
}

}  // namespace parity::model
