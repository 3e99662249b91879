// Inputs from files: NumPy arrays, token ids and torch.save, and what no model takes.
#include <algorithm>

#include <gtest/gtest.h>

#include "model/inputs.h"
#include "model/inputs/value_form.h"
#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;
using namespace std::string_literals;
namespace p = testing::pickled;

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
      {"[1, 2", "no valid JSON (it ends at line 1, column 6)"},
      {"\n[1, 2 3]", "no valid JSON (at line 2, column 7)"},
      {"{'a': [1]}", "no valid JSON (at line 1, column 2)"},
      {"[1, 2] // ids", "no valid JSON (at line 1, column 8)"},
      {"[1, 2,]", "a comma before the ']' at line 1, column 7"},
      {"{\"a\": [1],\n}", "a comma before the '}' at line 2, column 1"},
      {"\xef\xbb\xbf[1, 2]", "begins with a byte order mark"},
      {"\xff\xfe[\0001\0]\0"s, "is UTF-16 text"},
      {"\xfe\xff\0[\0001\0]"s, "is UTF-16 text"},
      {"{\"a\xff\": [1]}", "bytes that are no UTF-8"},
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
       "is a TorchScript model"},
      {"just some words", "is plain text"},
      {"", "is empty"},
  };
  for (const auto& [file, words] : rows) {
    const std::string message = refusal(file);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_EQ(message.find("state_dict()"), std::string::npos) << message;
  }
}

TEST_F(InputFiles, FilesOfModelsAreNamedAsSuch) {
  const std::string tensor = p::tensor(p::storage("FloatStorage", "0", 6), 0, {6}, {1});
  const std::string header =
      R"({"lm_head.weight":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  const std::string array = npy(1, npy_header("<i8", "False", "1,"), little(5, 8));
  const std::vector<std::pair<std::string, std::string>> rows = {
      {torch_zip(p::dict({{"lm_head.weight", tensor}})),
       "is a weights file, not inputs (it holds `lm_head.weight`)"},
      {torch_zip(p::dict({{"epoch", "K\x03"}, {"state_dict", p::dict({{"w", tensor}})}})),
       "is a weights file, not inputs (it holds `state_dict`)"},
      {torch_zip(p::dict({{"model_state_dict", p::dict({{"w", tensor}})}})),
       "is a weights file, not inputs"},
      {zip_of({{"fc.bias.npy", array}}), "is a weights file, not inputs"},
      {little(header.size(), 8) + header + "x", "is a weights file (safetensors), not inputs"},
      {R"({"weight_map": {"a": "b"}})", "is the index of sharded weights, not inputs"},
      {zip_of({{"m/data.pkl", "N."}, {"m/constants.pkl", "N."}, {"m/code/a.py", ""}}),
       "is a TorchScript model, not inputs"},
      {"just some words", "is plain text, not inputs"},
      {"\x06\x04\x02\x03\x04\x05\xd9\x47"s, "is no file of a known format"},
  };
  for (const auto& [file, words] : rows) {
    const std::string message = refusal(file);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    for (const char* of_models : {"model file", "not a model", "architecture", "--config"})
      EXPECT_EQ(message.find(of_models), std::string::npos) << message;
  }
  try {
    static_cast<void>(load_inputs(folder_.path("").string(), 0, 0));
    FAIL() << "a folder was taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("model or weight"), std::string::npos) << error.what();
  }
}

TEST_F(InputFiles, KeysThatNameNoArgumentAreRefused) {
  const std::string tensor = p::tensor(p::storage("FloatStorage", "0", 6), 0, {6}, {1});
  for (const std::string& file :
       {torch_zip(p::dict({{"", tensor}})), torch_zip(p::dict({{"a", tensor}, {"", "N"}})),
        R"({"": [1, 2]})"s}) {
    EXPECT_NE(refusal(file).find("an entry whose key is empty"), std::string::npos)
        << refusal(file);
  }
  // Inside an argument a dict is the model's own business, weights by name included.
  const std::string inside = p::dict({{"", tensor}, {"fc.weight", tensor}});
  EXPECT_EQ(form(read(torch_zip(p::dict({{"parameters", inside}})))),
            "{parameters: {: float32[6], fc.weight: float32[6]}}");
  EXPECT_EQ(form(read(torch_zip(p::tuple({inside})))), "({: float32[6], fc.weight: float32[6]})");
  const std::string file = folder_.write("d.pt", torch_zip(inside)).string();
  EXPECT_EQ(form(load_inputs(file + ";int:1", 0, 0)),
            "({: float32[6], fc.weight: float32[6]}, int 1)");
}

TEST_F(InputFiles, FilesStandBesideGenerators) {
  const std::string file =
      folder_.write("x.npy", npy(1, npy_header("<i8", "False", "1,"), little(5, 8))).string();
  EXPECT_EQ(form(load_inputs(file + ";int:16000", 0, 0)), "(int64[1], int 16000)");
}

}  // namespace
}  // namespace parity::model
