#include "model/exported/program_inputs.h"

#include <cstring>

#include <gtest/gtest.h>

#include "model/exported/input_checks.h"
#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using tensor::DType;
using tensor::Value;

Value tensor_of(DType dtype, const tensor::Shape& shape) {
  const std::size_t size = tensor::element_count(shape) * tensor::size_bytes(dtype);
  return {tensor::HostTensor(dtype, shape, std::vector<std::byte>(size))};
}

ProgramInput user(const std::string& name) { return {InputRole::user, {GraphValue{name}}, name}; }

TreeSpec leaf() { return {}; }

TreeSpec node(const std::string& type, std::vector<std::string> keys,
              std::vector<TreeSpec> children) {
  return {type, std::move(keys), std::move(children)};
}

/// forward(ids, mask, *, scale={"by": ...}, use_cache=False), with sizes s0 x s1, s0 x 2*s1, 4.
Program program() {
  Program result;
  result.inputs = {
      user("ids"), user("mask"), user("scale"), {InputRole::constant, {false}, "use_cache"}};
  const std::string s0 = "Symbol('s0', integer=True)";
  const std::string s1 = "Symbol('s1', integer=True)";
  result.graph.tensors["ids"] = {DType::int64, {s0, s1}};
  result.graph.tensors["mask"] = {DType::float32, {s0, "Mul(Integer(2), " + s1 + ")"}};
  result.graph.tensors["scale"] = {DType::float32, {std::int64_t{4}}};
  result.input_tree = node("builtins.tuple", {},
                           {node("builtins.tuple", {}, {leaf(), leaf()}),
                            node("builtins.dict", {"scale", "use_cache"},
                                 {node("builtins.dict", {"by"}, {leaf()}), leaf()})});
  result.argument_names = {"ids", "mask", "scale", "use_cache"};
  result.ranges["s0"] = {2, 8};
  result.ranges["s1"] = {1, std::nullopt};
  result.guards = {"L['ids'].size()[1] % 2 == 0", "L['scale']['by'].size()[0] == 4",
                   "something(that) is not known"};
  return result;
}

Value scale() { return {tensor::ValueDict{{{"by", tensor_of(DType::float32, {4})}}}}; }

Value keywords(Value ids, Value mask) {
  return {
      tensor::ValueDict{{{"scale", scale()}, {"ids", std::move(ids)}, {"mask", std::move(mask)}}}};
}

std::string refusal(const Value& inputs, FloatingInputs floating = FloatingInputs::as_given) {
  return testing::error_of([&] { (void)program_arguments(program(), inputs, floating); });
}

TEST(ProgramInputs, TakesPositionsAndKeywordsAndFillsInConstants) {
  const Value ids = tensor_of(DType::int64, {3, 4});
  const Value mask = tensor_of(DType::float32, {3, 8});
  const std::vector<Value> by_keyword =
      program_arguments(program(), keywords(ids, mask), FloatingInputs::as_given);
  ASSERT_EQ(by_keyword.size(), 4U);
  EXPECT_EQ(std::get<tensor::HostTensor>(by_keyword[0].data).shape(), (tensor::Shape{3, 4}));
  EXPECT_EQ(std::get<tensor::HostTensor>(by_keyword[2].data).shape(), (tensor::Shape{4}));
  EXPECT_FALSE(std::get<bool>(by_keyword[3].data));
  const Value all{tensor::ValueTuple{{ids, mask, scale(), Value{false}}}};
  EXPECT_EQ(program_arguments(program(), all, FloatingInputs::as_given).size(), 4U);
}

TEST(ProgramInputs, SaysWhatDoesNotFit) {
  const auto ids = [](tensor::Shape shape) { return tensor_of(DType::int64, shape); };
  const auto mask = [](tensor::Shape shape) { return tensor_of(DType::float32, shape); };
  const auto four = [&](Value last) {
    return Value{tensor::ValueTuple{{ids({3, 4}), mask({3, 8}), scale(), std::move(last)}}};
  };
  const std::pair<const char*, Value> rows[] = {
      {"argument 'mask' is missing", ids({3, 4})},
      {"there is no argument 'tokens'", {tensor::ValueDict{{{"tokens", ids({3, 4})}}}}},
      {"5 values were given for 4 arguments",
       {tensor::ValueTuple{{Value{}, Value{}, Value{}, Value{}, Value{}}}}},
      {"'ids' is int32, and the program was exported for int64",
       keywords(tensor_of(DType::int32, {3, 4}), mask({3, 8}))},
      {"'ids' has shape 3x4x1, and the program was exported for 2 dimensions",
       keywords(ids({3, 4, 1}), mask({3, 8}))},
      {"size 1 of argument 'mask' is 7 and must be 8", keywords(ids({3, 4}), mask({3, 7}))},
      {"size 0 of argument 'mask' is 4 and must be 3", keywords(ids({3, 4}), mask({4, 8}))},
      {"size 0 of argument 'ids' is 9, and the program was exported for 2 or more and 8 or less",
       keywords(ids({9, 4}), mask({9, 8}))},
      {"a condition of its export, `L['ids'].size()[1] % 2 == 0`",
       keywords(ids({3, 5}), mask({3, 10}))},
      {"'use_cache' was fixed to False", four(Value{true})},
      {"'scale' is a tensor, not a builtins.dict of 1",
       {tensor::ValueTuple{{ids({3, 4}), mask({3, 8}), mask({4})}}}},
      {"'scale' lacks the key 'by'",
       {tensor::ValueTuple{{ids({3, 4}), mask({3, 8}), {tensor::ValueDict{{{"at", mask({4})}}}}}}}},
      {"size 0 of argument 'scale.by' is 5 and must be 4, which it was when the program was "
       "exported",
       {tensor::ValueTuple{{ids({3, 4}), mask({3, 8}), {tensor::ValueDict{{{"by", mask({5})}}}}}}}},
      {"'ids' is a int, not a tensor", keywords(Value{std::int64_t{3}}, mask({3, 8}))},
  };
  for (const auto& [words, inputs] : rows) {
    const std::string message = refusal(inputs);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_NE(message.find("it takes (ids: int64 [s0, s1], mask: float32 [s0, Mul(2, s1)]"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("use_cache=False) with s0 from 2 to 8, s1 from 1"), std::string::npos)
        << message;
  }
}

TEST(ProgramInputs, LeavesTheDtypeOfFloatingInputsToACast) {
  const Value half = keywords(tensor_of(DType::int64, {3, 4}), tensor_of(DType::float16, {3, 8}));
  EXPECT_NE(refusal(half).find("'mask' is float16"), std::string::npos);
  EXPECT_EQ(refusal(half, FloatingInputs::cast), "");
}

TEST(ProgramInputs, SaysWhichConditionsNothingChecks) {
  EXPECT_EQ(unchecked_guards(program()), std::vector<std::string>{"something(that) is not known"});
}

TEST(ProgramInputs, TakesATupleAsTheOnlyArgument) {
  Program pair;
  pair.inputs = {user("pair_0"), user("pair_1")};
  pair.graph.tensors["pair_0"] = pair.graph.tensors["pair_1"] = {DType::float32, {std::int64_t{2}}};
  pair.input_tree =
      node("builtins.tuple", {},
           {node("builtins.tuple", {}, {node("builtins.tuple", {}, {leaf(), leaf()})}),
            node("builtins.dict", {}, {})});
  pair.argument_names = {"pair"};
  const Value both{
      tensor::ValueTuple{{tensor_of(DType::float32, {2}), tensor_of(DType::float32, {2})}}};
  EXPECT_EQ(program_arguments(pair, both, FloatingInputs::as_given).size(), 2U);
  const Value wrapped{tensor::ValueTuple{{both}}};
  EXPECT_EQ(program_arguments(pair, wrapped, FloatingInputs::as_given).size(), 2U);
}

}  // namespace
}  // namespace parity::model
