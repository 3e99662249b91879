// Where the decoder's modules meet the tap emitter and torch's exceptions become errors with a
// layer in them.
#include "model/decoder/forward_taps.h"

#include <utility>

#include "model/torch/guard.h"

namespace parity::model {

at::Tensor ForwardTaps::module(const std::string& path,
                               const std::function<at::Tensor()>& body) const {
  at::Tensor output;
  with_torch_errors("running layer " + path, [&] { output = body(); });
  if (fires()) {
    emitter_.module_output(path, output);
  }
  return output;
}

void ForwardTaps::module_outputs(const std::string& path,
                                 const std::vector<at::Tensor>& outputs) const {
  if (fires()) {
    std::vector<c10::IValue> elements(outputs.begin(), outputs.end());
    emitter_.module_output(path, c10::ivalue::Tuple::create(std::move(elements)));
  }
}

void ForwardTaps::op(const std::string& path, const char* op, const at::Tensor& output) const {
  if (fires()) {
    emitter_.op_output(path, op, output);
  }
}

void ForwardTaps::light_op(const std::string& path, const char* op,
                           const at::Tensor& output) const {
  if (depth_ == run::TapDepth::ops) {
    this->op(path, op, output);
  }
}

}  // namespace parity::model
