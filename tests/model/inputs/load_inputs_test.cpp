// Inputs of every kind: generators and their grammar, NumPy files, token ids and torch.save files.
#include <algorithm>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "model/inputs.h"
#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;
using namespace std::string_literals;
namespace p = testing::pickled;
using tensor::DType;
using tensor::HostTensor;
using tensor::Value;

template <typename T>
std::vector<T> elements(const Value& value) {
  const auto& tensor = std::get<HostTensor>(value.data);
  std::vector<T> result(tensor.bytes().size() / sizeof(T));
  std::memcpy(result.data(), tensor.bytes().data(), tensor.bytes().size());
  return result;
}

/// "float32[2x3]", "(int 5, none)": kind and shape of a value, for tables.
std::string form(const Value& value) {
  const auto items = [](const std::vector<Value>& all) {
    std::string text;
    for (const Value& one : all) text += (text.empty() ? "" : ", ") + form(one);
    return text;
  };
  if (const auto* tensor = std::get_if<HostTensor>(&value.data)) {
    return std::string(tensor::name(tensor->dtype())) + "[" + tensor::to_string(tensor->shape()) +
           "]";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value.data))
    return "int " + std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value.data))
    return "float " + std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value.data)) return "'" + *text + "'";
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&value.data))
    return "(" + items(tuple->items) + ")";
  if (const auto* list = std::get_if<tensor::ValueList>(&value.data))
    return "[" + items(list->items) + "]";
  if (const auto* dict = std::get_if<tensor::ValueDict>(&value.data)) {
    std::string text;
    for (const auto& [name, item] : dict->items)
      text += (text.empty() ? "" : ", ") + name + ": " + form(item);
    return "{" + text + "}";
  }
  return "none";
}

TEST(Generators, GiveTheShapesAndTypesOfTheGrammar) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"randn:1x3x4", "float32[1x3x4]"},
      {"randn:2:float64", "float64[2]"},
      {"randn:scalar", "float32[scalar]"},
      {"randn:0x5", "float32[0x5]"},
      {"rand:2x2", "float32[2x2]"},
      {"zeros:3", "float32[3]"},
      {"ones:2x2:int64", "int64[2x2]"},
      {"ones:2:bool", "bool[2]"},
      {"zeros:2:uint8", "uint8[2]"},
      {"tokens:4x8", "int64[4x8]"},
      {"tokens:4x8:50257", "int64[4x8]"},
      {"randint:5:-3:4", "int64[5]"},
      {"int:16000", "int 16000"},
      {"int:-1", "int -1"},
      {"float:0.5", "float 0.500000"},
      {"float:-1e3", "float -1000.000000"},
      {"bool:true", "true"},
      {"bool:false", "false"},
      {"str:a:b", "'a:b'"},
      {"str:", "''"},
      {"none", "none"},
      {"randn:1x512;int:16000;none", "(float32[1x512], int 16000, none)"},
  };
  for (const auto& [spec, wanted] : rows)
    EXPECT_EQ(form(load_inputs(spec, 0, 100)), wanted) << spec;
}

TEST(Generators, RefuseWhatTheGrammarDoesNotHave) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"randm:1x3", "neither a file nor a generator"},
      {"", "neither a file nor a generator"},
      {"none:1", "neither a file nor a generator"},
      {"randn:1x3;", "neither a file nor a generator"},
      {"randn", "neither a file nor a generator"},
      {"randn:", "not written as 4x128"},
      {"randn:x3", "not written as 4x128"},
      {"randn:3x", "not written as 4x128"},
      {"randn:-3", "not written as 4x128"},
      {"randn:3.5", "not written as 4x128"},
      {"randn:3X4", "not written as 4x128"},
      {"randn:99999999999999999999", "not written as 4x128"},
      {"randn:1000000x1000000", "more than 64 GiB"},
      {"randn:9223372036854775807x9223372036854775807", "more than 64 GiB"},
      {"randn:3:int64", "choose one of float32, float64"},
      {"randn:3:float32:1", "not of the form"},
      {"ones:3:complex64", "choose one of"},
      {"randint:3", "not of the form randint:SHAPE:LOW:HIGH"},
      {"randint:3:4:4", "the lower one first"},
      {"randint:3:a:4", "the lower one first"},
      {"tokens:3:0", "vocabulary"},
      {"tokens:3:x", "vocabulary"},
      {"int:1.5", "no integer"},
      {"int:", "no integer"},
      {"int:9223372036854775808", "no integer"},
      {"float:x", "no number"},
      {"bool:1", "neither bool:true nor bool:false"},
  };
  for (const auto& [spec, words] : rows) {
    try {
      static_cast<void>(load_inputs(spec, 0, 100));
      ADD_FAILURE() << spec << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << spec;
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << spec << ": " << error.what();
    }
  }
}

TEST(Generators, TokensNeedAVocabulary) {
  EXPECT_NE(error_of([] {
              static_cast<void>(load_inputs("tokens:4x8", 0, 0));
            }).find("needs the vocabulary size"),
            std::string::npos);
  for (const std::int64_t token : elements<std::int64_t>(load_inputs("tokens:64x64", 0, 7))) {
    ASSERT_GE(token, 0);
    ASSERT_LT(token, 7);
  }
}

TEST(Generators, HaveTheSameBitsOnEveryMachine) {
  EXPECT_EQ(
      elements<float>(load_inputs("randn:6", 7, 0)),
      (std::vector<float>{0x1.5995840000000p-1F, -0x1.5e347c0000000p+0F, 0x1.a658780000000p-1F,
                          0x1.b9ef780000000p+0F, -0x1.31c2420000000p+1F, 0x1.07e1e80000000p+0F}));
  EXPECT_EQ(
      elements<double>(load_inputs("randn:3:float64", 7, 0)),
      (std::vector<double>{0x1.599584617457cp-1, -0x1.5e347b9d02a44p+0, 0x1.a65878a16f8c0p-1}));
  EXPECT_EQ(
      elements<float>(load_inputs("rand:6", 7, 0)),
      (std::vector<float>{0x1.8013f20000000p-1F, 0x1.5edac00000000p-4F, 0x1.972f780000000p-1F,
                          0x1.ea6bdc0000000p-1F, 0x1.14fd800000000p-7F, 0x1.b286400000000p-1F}));
  EXPECT_EQ(
      elements<double>(load_inputs("rand:3:float64", 7, 0)),
      (std::vector<double>{0x1.8013f3b9e8c0fp-1, 0x1.5edac821d3ab8p-4, 0x1.972f7826d05d1p-1}));
  EXPECT_EQ(elements<std::int64_t>(load_inputs("tokens:2x4:50257", 7, 0)),
            (std::vector<std::int64_t>{37700, 4304, 39968, 48138, 424, 42652, 12570, 6986}));
  EXPECT_EQ(elements<std::int64_t>(load_inputs("randint:6:-10:10", 7, 0)),
            (std::vector<std::int64_t>{5, -9, 5, 9, -10, 6}));
}

TEST(Generators, DependOnSeedAndPositionAlone) {
  const auto first = elements<float>(load_inputs("randn:16", 1, 0));
  EXPECT_EQ(first, elements<float>(load_inputs("randn:16", 1, 5)));
  EXPECT_NE(first, elements<float>(load_inputs("randn:16", 2, 0)));
  const Value two = load_inputs("randn:16;randn:16", 1, 0);
  const auto& tuple = std::get<tensor::ValueTuple>(two.data);
  EXPECT_EQ(first, elements<float>(tuple.items[0]));
  EXPECT_NE(first, elements<float>(tuple.items[1]));
}

TEST(Generators, SpreadEvenly) {
  std::map<std::int64_t, int> counts;
  for (const std::int64_t value : elements<std::int64_t>(load_inputs("randint:60000:-3:3", 3, 0)))
    ++counts[value];
  ASSERT_EQ(counts.size(), 6U);
  // Five standard deviations of a binomial count.
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 10000, 5 * 92) << value;
  double sum = 0;
  for (const float value : elements<float>(load_inputs("rand:100000", 3, 0))) {
    ASSERT_GE(value, 0.0F);
    ASSERT_LT(value, 1.0F);
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 5 * 0.000913);
}

TEST(Generators, ReachTheEndsOf64Bits) {
  const auto values = elements<std::int64_t>(
      load_inputs("randint:1000:-9223372036854775808:9223372036854775807", 3, 0));
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -(std::int64_t{1} << 60U));
  EXPECT_GT(*std::max_element(values.begin(), values.end()), std::int64_t{1} << 60U);
}

std::string npy(int version, std::string header, const std::string& data) {
  header += "\n";
  const std::size_t width = version == 1 ? 2 : 4;
  return "\x93NUMPY" + std::string(1, static_cast<char>(version)) + "\0"s +
         little(header.size(), width) + header + data;
}

std::string npy_header(const std::string& descr, const std::string& fortran,
                       const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (" + shape + "), }";
}

class InputFiles : public ::testing::Test {
 protected:
  Value read(const std::string& content) {
    return load_inputs(folder_.write("x.bin", content).string(), 0, 0);
  }
  std::string refusal(const std::string& content) {
    try {
      static_cast<void>(read(content));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
      return error.what();
    }
    return {};
  }
  TemporaryFolder folder_;
};

TEST_F(InputFiles, NumpyArraysOfEveryVersionOrderAndByteOrder) {
  const std::string row = floats({1, 2, 3, 4, 5, 6});
  const std::string column = floats({1, 4, 2, 5, 3, 6});
  std::string big = row;
  for (std::size_t i = 0; i < big.size(); i += 4)
    std::reverse(big.begin() + static_cast<std::ptrdiff_t>(i),
                 big.begin() + static_cast<std::ptrdiff_t>(i) + 4);
  const std::vector<std::string> files = {
      npy(1, npy_header("<f4", "False", "2, 3"), row),
      npy(2, npy_header("<f4", "False", "2, 3"), row),
      npy(3, npy_header("<f4", "False", "2L, 3L"), row),
      npy(1, npy_header("<f4", "True", "2, 3"), column),
      npy(1, npy_header(">f4", "False", "2, 3"), big),
      npy(1, npy_header("<f4", "False", "2, 3"), row + "a second array"),
  };
  for (const std::string& file : files) {
    const Value value = read(file);
    EXPECT_EQ(form(value), "float32[2x3]");
    EXPECT_EQ(elements<float>(value), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
  EXPECT_EQ(form(read(npy(1, npy_header("|b1", "False", ""), "\x01"))), "bool[scalar]");
  EXPECT_EQ(form(read(npy(1, npy_header("<i8", "True", "0, 3"), ""))), "int64[0x3]");
  EXPECT_EQ(form(read(npy(1, npy_header("<c16", "False", "1,"), std::string(16, 'x')))),
            "complex128[1]");
}

TEST_F(InputFiles, NumpyArraysThatAreRefused) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {npy(1, npy_header("|O", "False", "1,"), "x"), "elements of type `|O`"},
      {npy(1, npy_header("<U3", "False", "1,"), "x"), "elements of type `<U3`"},
      {npy(1, npy_header("<M8[ns]", "False", "1,"), "x"), "elements of type `<M8[ns]`"},
      {npy(1, npy_header("<f16", "False", "1,"), "x"), "elements of type `<f16`"},
      {npy(1, npy_header("|V2", "False", "1,"), "x"), "elements of type `|V2`"},
      {npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "x"),
       "records"},
      {npy(1, npy_header("<f4", "False", "2, 3"), "short"), "ends inside its data"},
      {npy(1, npy_header("<f4", "False", "4611686018427387904, 4"), "short"), "overflows"},
      {npy(1, npy_header("<f4", "False", "-1,"), "short"), "shape is none"},
      {npy(1, npy_header("<f4", "False", "a,"), "short"), "shape is none"},
      {npy(1, "{'descr': '<f4', 'fortran_order': False}", ""), "no shape"},
      {npy(1, "{'descr': '<f4', 'shape': (1,)}", ""), "no fortran_order"},
      {npy(1, "{}", ""), "no descr"},
      {npy(4, npy_header("<f4", "False", "1,"), "abcd"), "version"},
      {npy(1, npy_header("<f4", "False", "1,"), "abcd").substr(0, 30), "ends inside its header"},
      {"\x93NUMPY\x01", "ends inside its header"},
  };
  for (const auto& [file, words] : rows) {
    const std::string message = refusal(file);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
  }
}

TEST_F(InputFiles, NpzGivesKeywordsOrPositions) {
  const std::string array = npy(1, npy_header("<i8", "False", "1,"), little(5, 8));
  for (const Packing packing : {Packing::stored, Packing::deflated}) {
    EXPECT_EQ(form(read(zip_of({{"ids.npy", array}, {"mask.npy", array}}, packing))),
              "{ids: int64[1], mask: int64[1]}");
    EXPECT_EQ(form(read(zip_of({{"arr_0.npy", array}, {"arr_1.npy", array}}, packing))),
              "(int64[1], int64[1])");
  }
  EXPECT_NE(refusal(zip_of({{"a.npy", "junk"}})).find("the array `a`"), std::string::npos);
}

TEST_F(InputFiles, TokenIdsAsJson) {
  EXPECT_EQ(form(read("[1, 2, 3]")), "int64[1x3]");
  EXPECT_EQ(elements<std::int64_t>(read(" [[1, 2], [3, -4]]")),
            (std::vector<std::int64_t>{1, 2, 3, -4}));
  EXPECT_EQ(form(read("[[1, 2], [3, 4]]")), "int64[2x2]");
  EXPECT_EQ(
      form(read(
          R"({"input_ids": [[1, 2]], "use_cache": false, "scale": 0.5, "k": 3, "mode": "x", "none": null})")),
      "{input_ids: int64[1x2], k: int 3, mode: 'x', none: none, scale: float 0.500000, use_cache: "
      "false}");
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"[[1, 2], [3]]", "rows of different lengths"},
      {"[[1, 2], 3]", "rows of different lengths"},
      {"[1, [2]]", "no integer"},
      {"[1.5]", "no integer"},
      {"[true]", "no integer"},
      {"[18446744073709551615]", "no integer"},
      {"[\"a\"]", "no integer"},
      {"[[[1]]]", "no integer"},
      {"[]", "empty list"},
      {"[[]]", "no token"},
      {"{}", "no list of token ids"},
      {R"({"a": {"b": 1}})", "the entry `a`"},
      {R"({"a": [1], "a": [2]})", "key `a` twice"},
      {"[1, 2", "no valid JSON"},
  };
  for (const auto& [text, words] : rows) {
    const std::string message = refusal(text);
    EXPECT_NE(message.find(words), std::string::npos) << text << ": " << message;
  }
}

std::string torch_zip(const std::string& object,
                      const std::string& raw = floats({1, 2, 3, 4, 5, 6})) {
  return zip_of({{"m/data.pkl", p::program(object)}, {"m/data/0", raw}});
}

TEST_F(InputFiles, TorchSaveOfNestedValues) {
  const std::string storage = p::storage("FloatStorage", "0", 6);
  const std::string plain = p::tensor(storage, 0, {2, 3}, {3, 1});
  const std::string turned = p::tensor(storage, 0, {3, 2}, {1, 3});
  EXPECT_EQ(form(read(torch_zip(plain))), "float32[2x3]");
  EXPECT_EQ(elements<float>(read(torch_zip(turned))), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(form(read(torch_zip(p::tuple(
                {plain, p::list({"K\x05", "N"}), p::dict({{"a", "\x88"}, {"b", p::text("x")}})})))),
            "(float32[2x3], [int 5, none], {a: true, b: 'x'})");
}

TEST_F(InputFiles, MisalignedTensorsAreCopied) {
  // 4-byte elements at an odd place of the file: the copy must be aligned for its type.
  const std::string magic =
      "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.";
  const std::string object =
      p::tensor(p::tuple({p::text("storage"), p::global("torch", "FloatStorage"), p::text("0"),
                          p::text("cpu"), p::integer(2), "N"}) +
                    "Q",
                0, {2}, {1});
  for (int padding = 0; padding < 4; ++padding) {
    const std::string system =
        p::program(p::dict({{std::string(static_cast<std::size_t>(padding + 1), 'x'), "N"}}));
    const Value value =
        read(magic + system + p::program(object) + p::program(p::list({p::text("0")})) +
             little(2, 8) + floats({1.5F, 2.5F}));
    EXPECT_EQ(elements<float>(value), (std::vector<float>{1.5F, 2.5F}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(std::get<HostTensor>(value.data).bytes().data()) %
                  sizeof(float),
              0U);
  }
}

TEST_F(InputFiles, TorchSaveOfWhatNoModelTakes) {
  const std::string tensor = p::tensor(p::storage("FloatStorage", "0", 6), 0, {6}, {1});
  std::string laughs =
      "]q\x00"
      "K\x01"
      "a"s;
  for (char level = 1; level < 30; ++level) {
    const std::string below = "h"s + static_cast<char>(level - 1);
    laughs += "](" + below + below + "eq" + level;
  }
  const std::vector<std::pair<std::string, std::string>> rows = {
      {torch_zip(p::dict({{"x", p::call(p::global("__builtin__", "set"), {p::list({})})}})),
       "`x` of"},
      {torch_zip(p::dict({{"x", p::global("argparse", "Namespace") + ")\x81"}})),
       "an object of class `argparse.Namespace`"},
      {torch_zip("}K\x01" + tensor + "s"), "keys are not all str"},
      {torch_zip("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0"s), "past 64 bits"},
      {torch_zip("]q\x01h\x01"
                 "a"),
       "nests deeper"},
      {torch_zip(laughs), "more than a million values"},
      {torch_zip(
           p::dict({{"x", p::call(p::global("torch._utils", "_rebuild_sparse_tensor"), {})}})),
       "sparse"},
      {torch_zip(p::call(p::global("os", "system"), {p::text("true")})),
       "wants to run `os.system`"},
      {zip_of({{"m/data.pkl", "N."}, {"m/constants.pkl", "N."}, {"m/code/a.py", ""}}),
       "is a TorchScript archive"},
      {"just some words", "is plain text"},
      {"", "is empty"},
  };
  for (const auto& [file, words] : rows) {
    const std::string message = refusal(file);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_EQ(message.find("state_dict()"), std::string::npos) << message;
  }
}

TEST_F(InputFiles, FilesStandBesideGenerators) {
  const std::string file =
      folder_.write("x.npy", npy(1, npy_header("<i8", "False", "1,"), little(5, 8))).string();
  EXPECT_EQ(form(load_inputs(file + ";int:16000", 0, 0)), "(int64[1], int 16000)");
}

}  // namespace
}  // namespace parity::model
