#include "model/torch/heavy_operators.h"

#include <string_view>
#include <unordered_set>

namespace parity::model {
namespace {

const std::unordered_set<std::string_view>& heavy_names() {
  static const std::unordered_set<std::string_view> kNames = {
      // attention and softmax
      "scaled_dot_product_attention", "_scaled_dot_product_flash_attention",
      "_scaled_dot_product_efficient_attention", "_scaled_dot_product_attention_math",
      "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_cudnn_attention",
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
      "native_batch_norm", "_native_batch_norm_legit_no_training", "_native_batch_norm_legit",
      "_batch_norm_impl_index", "instance_norm", "rms_norm", "local_response_norm",
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

bool is_custom_operator(const std::string& name) {
  static const std::unordered_set<std::string_view> kBuiltIn = {
      "aten", "prim", "prims", "parity", "quantized", "onnx", "attr", "cuda", "_operator"};
  return kBuiltIn.count(std::string_view(name).substr(0, name.find('.'))) == 0;
}

bool is_heavy_operator(const std::string& name) {
  static constexpr std::string_view kOwn = "aten.";
  if (name.rfind(kOwn, 0) != 0) return is_custom_operator(name);
  return heavy_names().count(base_name(std::string_view(name).substr(kOwn.size()))) != 0;
}

}  // namespace parity::model
