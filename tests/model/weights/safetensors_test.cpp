// safetensors files and sharded indices: what is read, and every rule of the specification broken
// once.
#include "model/weights/safetensors.h"

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;
namespace p = testing::pickled;

std::string file_of(const std::string& header, const std::string& data) {
  return little(header.size(), 8) + header + data;
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

TEST(Safetensors, ReadsEveryDType) {
  const std::vector<std::pair<std::string, tensor::DType>> rows = {
      {"F64", tensor::DType::float64},
      {"F32", tensor::DType::float32},
      {"F16", tensor::DType::float16},
      {"BF16", tensor::DType::bfloat16},
      {"F8_E4M3", tensor::DType::float8_e4m3fn},
      {"F8_E5M2", tensor::DType::float8_e5m2},
      {"I64", tensor::DType::int64},
      {"I32", tensor::DType::int32},
      {"I16", tensor::DType::int16},
      {"I8", tensor::DType::int8},
      {"U64", tensor::DType::uint64},
      {"U32", tensor::DType::uint32},
      {"U16", tensor::DType::uint16},
      {"U8", tensor::DType::uint8},
      {"BOOL", tensor::DType::boolean},
      {"C64", tensor::DType::complex64},
      {"F8_E4M3FNUZ", tensor::DType::float8_e4m3fnuz},
      {"F8_E5M2FNUZ", tensor::DType::float8_e5m2fnuz}};
  for (const auto& [name, dtype] : rows) {
    const std::string data(2 * tensor::size_bytes(dtype), '\x01');
    const FileBytes file = bytes_of(
        file_of("{" + entry("t", name, "2", "0," + std::to_string(data.size())) + "}", data));
    ASSERT_TRUE(is_safetensors(file.bytes)) << name;
    const SafetensorsContent content = read_safetensors(file, "file");
    ASSERT_EQ(content.tensors.size(), 1U) << name;
    EXPECT_EQ(content.tensors[0].dtype, dtype) << name;
    EXPECT_EQ(as_text(content.tensors[0].storage), data) << name;
  }
}

TEST(Safetensors, KeepsTheOrderOfTheBytes) {
  const FileBytes file = bytes_of(
      file_of("{\"__metadata__\":{\"format\":\"pt\"}," + entry("a", "U8", "2,1", "3,5") + "," +
                  entry("z", "U8", "3", "0,3") + "," + entry("empty", "F32", "0,7", "3,3") + "," +
                  entry("scalar", "U8", "", "5,6") + "}   ",
              "abcdef"));
  const SafetensorsContent content = read_safetensors(file, "file");
  ASSERT_EQ(content.tensors.size(), 4U);
  EXPECT_EQ(content.tensors[0].name, "z");
  EXPECT_EQ(content.tensors[1].name, "empty");
  EXPECT_EQ(content.tensors[2].name, "a");
  EXPECT_EQ(content.tensors[2].strides, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(as_text(content.tensors[2].storage), "de");
  EXPECT_TRUE(content.tensors[3].shape.empty());
}

TEST(Safetensors, RefusesWhateverBreaksTheSpecification) {
  struct Row {
    const char* what;
    std::string content;
    const char* words;
  };
  const std::string good = entry("a", "U8", "4", "0,4");
  const std::vector<Row> rows = {
      {"nothing", "abc", "no header"},
      {"header past the end", little(100, 8) + "{}", "ends inside its header"},
      {"header of 2^63 bytes", little(std::uint64_t{1} << 63U, 8) + "{}", "more than 100 MB"},
      {"no JSON", file_of("{\"a\":", "abcd"), "no valid JSON"},
      {"no object", file_of("[1]", ""), "no object"},
      {"a name twice", file_of("{" + good + "," + good + "}", "abcd"), "key `a` twice"},
      {"a field twice",
       file_of("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
               "abcd"),
       "key `dtype` twice"},
      {"overlap", file_of("{" + good + "," + entry("b", "U8", "2", "3,5") + "}", "abcde"),
       "overlap"},
      {"gap", file_of("{" + good + "," + entry("b", "U8", "1", "5,6") + "}", "abcdef"),
       "follow a gap"},
      {"gap at the start", file_of("{" + entry("a", "U8", "4", "1,5") + "}", "abcde"),
       "follow a gap"},
      {"bytes left over", file_of("{" + good + "}", "abcdef"), "2 bytes belong to no tensor"},
      {"past the end", file_of("{" + good + "}", "abc"), "ends inside `a`"},
      {"size against shape", file_of("{" + entry("a", "F32", "2", "0,4") + "}", "abcd"), "need 8"},
      {"offsets in the wrong order", file_of("{" + entry("a", "U8", "4", "4,0") + "}", "abcd"),
       "no range"},
      {"negative offset", file_of("{" + entry("a", "U8", "4", "-4,0") + "}", "abcd"), "no size"},
      {"fractional offset", file_of("{" + entry("a", "U8", "4", "0,4.0") + "}", "abcd"), "no size"},
      {"three offsets", file_of("{" + entry("a", "U8", "4", "0,4,4") + "}", "abcd"), "no range"},
      {"overflowing shape",
       file_of("{" + entry("a", "F32", "4294967296,4294967296", "0,4") + "}", "abcd"), "overflows"},
      {"unknown dtype", file_of("{" + entry("a", "F4", "4", "0,4") + "}", "abcd"), "of dtype F4"},
      {"no dtype", file_of("{\"a\":{\"shape\":[4],\"data_offsets\":[0,4]}}", "abcd"), "no dtype"},
      {"no shape", file_of("{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,4]}}", "abcd"),
       "no shape"},
      {"entry that is no object", file_of("{\"a\":5}", ""), "no object"},
      {"metadata of numbers", file_of("{\"__metadata__\":{\"a\":1}}", ""), "__metadata__"},
      {"deep nesting", file_of("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}", ""),
       "64 levels"},
  };
  for (const Row& row : rows) {
    const std::string message =
        error_of([&] { static_cast<void>(read_safetensors(bytes_of(row.content), "file")); });
    EXPECT_NE(message.find(row.words), std::string::npos) << row.what << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << row.what;
  }
}

class ShardedIndexTest : public ::testing::Test {
 protected:
  ShardedIndexTest() {
    folder_.write("m-1.safetensors", file_of("{" + entry("b", "U8", "2", "0,2") + "," +
                                                 entry("a", "U8", "1", "2,3") + "}",
                                             "xyz"));
    folder_.write(
        "m-2.bin",
        zip_of({{"m/data.pkl",
                 p::program(
                     p::dict({{"c", p::tensor(p::storage("ByteStorage", "0", 2), 0, {2}, {1})}}))},
                {"m/data/0", "uv"}}));
  }
  std::string refusal(const std::string& index) {
    const auto file = folder_.write("m.index.json", index);
    return error_of([&] { static_cast<void>(read_state_dict(file, "")); });
  }
  TemporaryFolder folder_;
};

TEST_F(ShardedIndexTest, GathersTheTensorsOfAllShards) {
  const auto file = folder_.write(
      "m.index.json",
      R"({"metadata":{"total_size":5},"weight_map":{"c":"m-2.bin","a":"m-1.safetensors","b":"m-1.safetensors"}})");
  const StateDict result = read_state_dict(file, "");
  EXPECT_EQ(result.format, "safetensors index");
  ASSERT_EQ(result.tensors.size(), 3U);
  EXPECT_EQ(as_text(result.tensors[0].storage), "z");
  EXPECT_EQ(as_text(result.tensors[1].storage), "xy");
  EXPECT_EQ(as_text(result.tensors[2].storage), "uv");
  EXPECT_TRUE(result.notes.empty());
}

TEST_F(ShardedIndexTest, NotesTensorsThatTheIndexDoesNotName) {
  const auto file = folder_.write("m.index.json", R"({"weight_map":{"a":"m-1.safetensors"}})");
  const StateDict result = read_state_dict(file, "");
  EXPECT_EQ(result.tensors.size(), 1U);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0], "tensors of m-1.safetensors that the index does not name: 1");
}

TEST_F(ShardedIndexTest, RefusesInOneSentence) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"({"weight_map":{"a":"m-9.safetensors"}})",
       "needs the shard m-9.safetensors, which is missing"},
      {R"({"weight_map":{"q":"m-1.safetensors"}})", "places `q` in the shard m-1.safetensors"},
      {R"({"weight_map":{"a":"../m-1.safetensors"}})", "lies outside its folder"},
      {R"({"weight_map":{"a":"sub/../../m-1.safetensors"}})", "lies outside its folder"},
      {R"({"weight_map":{"a":"/etc/passwd"}})", "lies outside its folder"},
      {R"({"weight_map":{"a":""}})", "lies outside its folder"},
      {R"({"weight_map":{"a":5}})", "names no file for `a`"},
      {R"({"weight_map":{}})", "empty weight_map"},
      {R"({"weight_map":{"a":"m.index.json"}})", "names another index"},
  };
  for (const auto& [index, words] : rows) {
    const std::string message = refusal(index);
    EXPECT_NE(message.find(words), std::string::npos) << index << ": " << message;
  }
}

}  // namespace
}  // namespace parity::model
