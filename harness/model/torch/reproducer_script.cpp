#include "model/torch/reproducer_script.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include <ATen/ATen.h>

#include "model/operator_trace.h"
#include "model/torch/python_text.h"

namespace parity::model {
namespace {

/// The shortest text that gives the same number, always a float to Python.
std::string number_text(double value) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const std::string text(digits.data(), end);
  if (!std::isfinite(value)) return "float('" + text + "')";
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string scalar_text(const c10::IValue& value) {
  if (value.isNone() || (value.isTensor() && !value.toTensor().defined())) return "None";
  if (value.isBool()) return value.toBool() ? "True" : "False";
  if (value.isString()) return text_literal(value.toStringRef());
  if (value.isDevice()) return "device";
  if (value.isDouble()) return number_text(value.toDouble());
  std::ostringstream text;
  text << value;
  return text.str();
}

/// Python expressions for the arguments of calls, in the order in which values appear.
class Names {
 public:
  std::string of(const c10::IValue& value, const c10::Argument& argument) {
    if (value.isTensor() && value.toTensor().defined()) return of(value.toTensor());
    if (value.isList()) {
      std::string text;
      for (const c10::IValue& element : value.toListRef())
        text += (text.empty() ? "" : ", ") + of(element, argument);
      return "[" + text + "]";
    }
    // A ScalarType is an int to the dispatcher.
    if (value.isInt() && argument.name() == "dtype")
      return std::string("torch.") +
             c10::getDtypeNames(static_cast<at::ScalarType>(value.toInt())).first;
    return scalar_text(value);
  }
  std::string of(const at::Tensor& tensor) {
    const auto [found, is_new] = names_.emplace(tensor.unsafeGetTensorImpl(), "");
    if (is_new) found->second = "inputs[" + std::to_string(inputs_++) + "]";
    return found->second;
  }
  void returned(const c10::IValue& value, const std::string& name) {
    if (value.isTensor() && value.toTensor().defined())
      names_[value.toTensor().unsafeGetTensorImpl()] = name;
    if (!value.isTensorList()) return;
    const std::vector<at::Tensor> elements = value.toTensorVector();
    for (std::size_t i = 0; i < elements.size(); ++i)
      returned(elements[i], name + "[" + std::to_string(i) + "]");
  }

 private:
  std::map<const c10::TensorImpl*, std::string> names_;
  int inputs_ = 0;
};

std::string qualified(const c10::FunctionSchema& schema) {
  return "torch.ops." + dotted_name(schema) + "." +
         (schema.overload_name().empty() ? "default" : schema.overload_name());
}

std::string call_text(const RecordedCall& call, Names& names, const std::string& result) {
  std::string text;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const c10::Argument& argument = call.schema.arguments().at(i);
    const std::string value = names.of(call.inputs[i], argument);
    text += i == 0 ? "" : ", ";
    text += argument.kwarg_only() ? argument.name() + "=" + value : value;
  }
  names.returned(call.outputs.at(0), call.outputs.size() == 1 ? result : result + "[0]");
  for (std::size_t i = 1; i < call.outputs.size(); ++i)
    names.returned(call.outputs[i], result + "[" + std::to_string(i) + "]");
  const std::string from = call.source.empty() ? "" : "  # " + comment_text(call.source);
  return result + " = " + qualified(call.schema) + "(" + text + ")" + from + "\n";
}

std::string switches_text(const run::Settings& settings) {
  const std::string tf32 = settings.fp32_precision == run::Fp32Precision::tf32 ? "True" : "False";
  std::string text = "torch.manual_seed(" + std::to_string(settings.seed) + ")\n";
  text += "torch.backends.cuda.matmul.allow_tf32 = " + tf32 +
          "\ntorch.backends.cudnn.allow_tf32 = " + tf32 + "\n";
  if (settings.sdpa != run::Sdpa::default_choice) {
    for (const run::Sdpa form : {run::Sdpa::math, run::Sdpa::flash, run::Sdpa::efficient}) {
      const std::string name =
          form == run::Sdpa::efficient ? "mem_efficient" : run::to_string(form);
      text += "torch.backends.cuda.enable_" + name + "_sdp(" +
              (form == settings.sdpa ? "True" : "False") + ")\n";
    }
    text += "torch.backends.cuda.enable_cudnn_sdp(False)\n";
  }
  if (settings.deterministic == run::Determinism::on)
    text += "torch.use_deterministic_algorithms(True)\n";
  if (settings.threads > 0)
    text += "torch.set_num_threads(" + std::to_string(settings.threads) + ")\n";
  return text;
}

std::string comparison_text(const OperatorSlice& slice, const Reproducer& what) {
  const std::string wide = slice.value.is_complex() ? "complex128" : "float64";
  return "reference = torch.load(here / '" + std::string(ReproducerFiles::kReference) +
         "').to(torch." + wide +
         ")\n"
         "if candidate.shape != reference.shape:\n"
         "    print('shape', list(candidate.shape), 'instead of', list(reference.shape))\n"
         "    sys.exit(1)\n"
         "candidate = candidate.cpu().to(torch." +
         wide +
         ")\n"
         "finite = reference.isfinite() & candidate.isfinite()\n"
         "apart = (~finite & ~torch.isclose(candidate, reference, equal_nan=True)).sum().item()\n"
         "error, scale = (candidate - reference)[finite], reference[finite].abs()\n"
         "nrmse = (error.norm() / scale.norm()).item() if error.any() else 0.0\n"
         "largest = (error.abs().max() / scale.square().mean().sqrt()).item() if error.any() else "
         "0.0\n"
         "print('torch', torch.__version__, 'on', device)\n"
         "print('nrmse', nrmse, 'largest error over rms', largest, 'non-finite on one side', "
         "apart)\n"
         "sys.exit(0 if nrmse <= " +
         number_text(what.explained_nrmse) +
         " and largest <= " + number_text(what.explained_max_error_over_rms) +
         " and not apart else 1)\n";
}

}  // namespace

std::string reproducer_script(const OperatorSlice& slice, const Reproducer& what) {
  // Python takes an encoding out of the first two comments: theirs must not come from a title.
  std::string text = "# coding: utf-8\n# " + comment_text(what.title) +
                     "\n# In this folder: " + comment_text(what.command) +
                     "\nimport pathlib\nimport sys\n\nimport torch\n\n";
  for (const std::filesystem::path& library : what.libraries)
    text += "torch.ops.load_library(" + text_literal(library.string()) + ")\n";
  text += switches_text(what.settings);
  text += slice.value.is_cpu() ? "device = 'cpu'\n"
                               : "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n";
  text += "here = pathlib.Path(__file__).resolve().parent\n";
  text += std::string("inputs = [each.to(device) for each in torch.load(here / '") +
          ReproducerFiles::kInputs + "')]\n";
  Names names;
  for (std::size_t i = 0; i < slice.calls.size(); ++i)
    text += call_text(slice.calls[i], names, "value" + std::to_string(i));
  return text + "candidate = " + names.of(slice.result) + "\n" + comparison_text(slice, what);
}

}  // namespace parity::model
