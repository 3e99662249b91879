#include "model/torchscript/op_choice.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace parity::model {
namespace {

using torch::jit::Node;

const std::unordered_set<std::string_view>& heavy_names() {
  static const std::unordered_set<std::string_view> kNames = {
      // attention and softmax
      "scaled_dot_product_attention", "_scaled_dot_product_flash_attention",
      "_scaled_dot_product_efficient_attention", "_scaled_dot_product_attention_math",
      "_native_multi_head_attention", "softmax", "_softmax", "log_softmax", "_log_softmax",
      "logsumexp",
      // products
      "matmul", "mm", "bmm", "mv", "dot", "addmm", "addbmm", "baddbmm", "addmv", "addr", "einsum",
      "linear", "bilinear", "tensordot", "inner", "outer", "chain_matmul", "linalg_matmul",
      "linalg_multi_dot", "_scaled_mm", "cdist",
      // convolutions
      "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",
      "conv_transpose3d", "convolution", "_convolution", "_convolution_mode",
      // normalisation
      "layer_norm", "native_layer_norm", "group_norm", "native_group_norm", "batch_norm",
      "native_batch_norm", "_batch_norm_impl_index", "instance_norm", "rms_norm",
      "local_response_norm",
      // recurrent
      "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell",
      "rnn_relu_cell",
      // Fourier transforms
      "stft", "istft", "fft_fft", "fft_ifft", "fft_rfft", "fft_irfft", "fft_fft2", "fft_ifft2",
      "fft_rfft2", "fft_irfft2", "fft_fftn", "fft_ifftn", "fft_rfftn", "fft_irfftn"};
  return kNames;
}

/// "name" of "aten::name" and of its in-place twin "aten::name_".
std::string_view base_name(std::string_view unqualified) {
  if (unqualified.size() > 1 && unqualified.back() == '_') unqualified.remove_suffix(1);
  return unqualified;
}

}  // namespace

bool is_custom(const Node& node) {
  static const std::unordered_set<std::string_view> kBuiltIn = {
      "aten", "prim", "prims", "parity", "quantized", "onnx", "attr", "cuda", "_operator"};
  return kBuiltIn.count(node.kind().ns().toUnqualString()) == 0;
}

std::string op_name(const Node& node) {
  return std::string(node.kind().ns().toUnqualString()) + "." + node.kind().toUnqualString();
}

bool is_operator(const Node& node) { return node.kind().is_aten() || is_custom(node); }

bool yields_tensor(const Node& node) {
  const auto outputs = node.outputs();
  return std::any_of(outputs.begin(), outputs.end(), [](const torch::jit::Value* output) {
    return can_hold_tensor(output->type());
  });
}

bool is_heavy(const Node& node) {
  if (!node.kind().is_aten()) return is_custom(node);
  return heavy_names().count(base_name(node.kind().toUnqualString())) != 0;
}

bool can_hold_tensor(const c10::TypePtr& type) {
  if (type->isSubtypeOf(*c10::TensorType::get()) || type->kind() == c10::TypeKind::AnyType)
    return true;
  const auto contained = type->containedTypes();
  return std::any_of(contained.begin(), contained.end(), can_hold_tensor);
}

}  // namespace parity::model
