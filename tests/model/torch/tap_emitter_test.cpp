#include "model/torch/tap_emitter.h"

#include <cstring>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/collecting_sink.h"

namespace parity::model {
namespace {

using Names = std::vector<std::string>;

at::Tensor tensor() { return at::arange(4, at::kFloat).view({2, 2}); }

c10::IValue tuple(std::vector<c10::IValue> items) {
  return c10::ivalue::Tuple::create(std::move(items));
}

c10::IValue dict(const std::vector<std::pair<c10::IValue, c10::IValue>>& items) {
  c10::impl::GenericDict result(c10::AnyType::get(), c10::AnyType::get());
  for (const auto& [key, value] : items) result.insert(key, value);
  return result;
}

TEST(TapEmitter, CountsCallsPerModuleAndPerOpInsideAModule) {
  CollectingSink sink;
  TapEmitter emitter(sink);
  emitter.module_output("a", tensor());
  emitter.op_output("a", "aten.softmax", tensor());
  emitter.op_output("b", "aten.softmax", tensor());
  emitter.op_output("a", "aten.softmax", tensor());
  emitter.module_output("a", tensor());
  emitter.model_output(tensor());
  emitter.model_output(tensor());
  EXPECT_EQ(sink.names, (Names{"a", "a/aten.softmax", "b/aten.softmax", "a/aten.softmax#1", "a#1",
                               "<output>", "<output>#1"}));
  EXPECT_EQ(sink.ids.back().kind, run::TapKind::output);
  EXPECT_EQ(emitter.emitted(), 7);
  EXPECT_EQ(emitter.last_tap(), "<output>#1");
}

TEST(TapEmitter, NamesNestedTensorsByPlaceAndALoneOneNot) {
  c10::List<at::Tensor> list({tensor(), tensor()});
  struct Row {
    c10::IValue value;
    Names names;
  };
  const std::vector<Row> rows = {
      {tensor(), {"m"}},
      {tuple({tensor()}), {"m"}},
      {tuple({tensor(), c10::IValue()}), {"m"}},
      {tuple({c10::IValue(), tuple({c10::IValue(), tensor()})}), {"m"}},
      {tuple({tensor(), tensor()}), {"m:0", "m:1"}},
      {list, {"m:0", "m:1"}},
      {tuple({tensor(), c10::IValue(), tuple({tensor(), tensor()})}), {"m:0", "m:2.0", "m:2.1"}},
      {dict({{"hidden", list}, {"a.b", tensor()}}), {"m:hidden.0", "m:hidden.1", "m:a.b"}},
      {dict({{std::int64_t{7}, tensor()}, {1.5, tensor()}}), {"m:7", "m:1"}},
      {dict({{"", tensor()}, {"a", tensor()}}), {"m:''", "m:a"}},
  };
  for (const Row& row : rows) {
    CollectingSink sink;
    TapEmitter(sink).module_output("m", row.value);
    EXPECT_EQ(sink.names, row.names);
    EXPECT_TRUE(sink.skipped.empty());
  }
}

TEST(TapEmitter, TakesTheFieldNamesOfANamedTuple) {
  const auto type = c10::TupleType::createNamed(
      c10::QualifiedName("Pair"), std::vector<std::string>{"values", "indices"},
      std::vector<c10::TypePtr>{c10::TensorType::get(), c10::TensorType::get()});
  CollectingSink sink;
  TapEmitter(sink).module_output("m", c10::ivalue::Tuple::createNamed({tensor(), tensor()}, type));
  EXPECT_EQ(sink.names, (Names{"m:values", "m:indices"}));
}

TEST(TapEmitter, SaysWhyALeafCannotBeCaptured) {
  struct Row {
    c10::IValue value;
    std::string name;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {1.5, "m", "float"},
      {"text", "m", "str"},
      {c10::IValue(), "m", "None"},
      {c10::List<at::Tensor>(), "m", "empty list"},
      {c10::List<std::int64_t>({1, 2, 3}), "m", "List[int]"},
      {tensor().to_sparse(), "m", "sparse"},
      {at::quantize_per_tensor(tensor(), 0.1, 0, at::kQInt8), "m", "quantised"},
      {at::empty({2}, at::device(at::kMeta)), "m", "meta"},
      {tuple({tensor(), 3}), "m:1", "int"},
  };
  for (const Row& row : rows) {
    CollectingSink sink;
    TapEmitter(sink).module_output("m", row.value);
    ASSERT_EQ(sink.skipped.size(), 1U) << row.reason;
    EXPECT_EQ(sink.skipped.at(0).first, row.name);
    EXPECT_NE(sink.skipped.at(0).second.find(row.reason), std::string::npos)
        << sink.skipped.at(0).second;
  }
}

TEST(TapEmitter, HandsOverRowMajorValuesOfStridedAndLazyTensors) {
  const at::Tensor complex = at::complex(tensor(), tensor());
  const std::vector<at::Tensor> tensors = {tensor().t(),         tensor().slice(1, 0, 2, 2),
                                           at::conj(complex),    at::imag(at::conj(complex)),
                                           tensor().to_mkldnn(), tensor().expand({3, 2, 2})};
  for (const at::Tensor& each : tensors) {
    CollectingSink sink;
    TapEmitter(sink).module_output("m", each);
    const tensor::HostTensor& host = sink.tensors.at("m");
    const at::Tensor dense =
        (each.is_mkldnn() ? each.to_dense() : each).contiguous().resolve_conj().resolve_neg();
    ASSERT_EQ(host.bytes().size(), dense.nbytes());
    EXPECT_EQ(std::memcmp(host.bytes().data(), dense.const_data_ptr(), dense.nbytes()), 0)
        << each.sizes();
  }
}

}  // namespace
}  // namespace parity::model
