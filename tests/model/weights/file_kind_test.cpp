// Every kind of file is known by its content, and what cannot be opened says what it is and what to
// do.
#include "model/weights/file_kind.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "error/error.h"
#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;
using namespace std::string_literals;
namespace p = testing::pickled;

struct Row {
  const char* what;
  std::string content;
  FileKind kind;
  const char* words;
};

/// A protobuf field with bytes in it.
std::string field(int number, const std::string& content) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(content.size())) + content;
}

std::vector<Row> rows() {
  const std::string weights =
      p::program(p::dict({{"w", p::tensor(p::storage("ByteStorage", "0", 1), 0, {1}, {1})}}));
  const std::string header = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
  const std::string magic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  const std::string onnx = "\x08\x09"s + field(2, "pytorch") + field(3, "2.11") +
                           field(7, "graph") + field(8, "\x10\x11");
  return {
      {"TorchScript",
       zip_of({{"x/data.pkl", "N."}, {"x/code/a.py", ""}, {"x/constants.pkl", "N."}}),
       FileKind::torchscript, "is a TorchScript archive"},
      {"mobile module",
       zip_of({{"x/data.pkl", "N."}, {"x/bytecode.pkl", "N."}, {"x/constants.pkl", "N."}}),
       FileKind::other, "PyTorch Mobile"},
      {"state_dict zip", zip_of({{"x/data.pkl", weights}, {"x/data/0", "a"}}),
       FileKind::state_dict_zip, "torch.save"},
      {"state_dict legacy",
       magic + "\x80\x02M\xe9\x03." + p::program("}") + p::program("}") + p::program("]"),
       FileKind::state_dict_legacy, "torch.save"},
      {"legacy by protocol 0", "L119547037146038801333356L\n.I1001\n.(d.(d.(l.",
       FileKind::state_dict_legacy, "torch.save"},
      {"safetensors", little(header.size(), 8) + header + "x", FileKind::safetensors,
       "is a safetensors file"},
      {"damaged safetensors", little(header.size(), 8) + header, FileKind::other,
       "damaged safetensors"},
      {"index", "{\"weight_map\":{\"a\":\"b\"}}", FileKind::safetensors_index,
       "is the index of sharded weights"},
      {"exported program", zip_of({{"x/models/model.json", "{}"}, {"x/archive_format", "pt2"}}),
       FileKind::exported_program, "torch.export"},
      {"older exported program",
       zip_of({{"serialized_exported_program.json", "{}"}, {"version", "1"}}),
       FileKind::exported_program, "torch.export"},
      {"AOTInductor", zip_of({{"x/archive_format", "pt2"}, {"x/data/aotinductor/model/a.so", "x"}}),
       FileKind::other, "AOTInductor"},
      {"ONNX", onnx, FileKind::onnx, "is an ONNX model"},
      {"ONNX cut off", onnx.substr(0, onnx.size() - 7), FileKind::onnx, "is an ONNX model"},
      {"whole module",
       zip_of(
           {{"x/data.pkl", p::program(p::global("__main__", "Net") + ")\x81" +
                                      p::dict({{"_modules", "}"}, {"_parameters", "}"}}) + "b")}}),
       FileKind::other, "pickled whole module (class `__main__.Net`)"},
      {"code", zip_of({{"x/data.pkl", p::program(p::call(p::global("os", "system"), {}))}}),
       FileKind::other, "wants to run `os.system`"},
      {"plain pickle", p::program(p::dict({{"a", "K\x01"}})), FileKind::other,
       "Python pickle that torch.save did not write"},
      {"plain pickle with code", p::program(p::call(p::global("os", "system"), {})),
       FileKind::other, "wants to run `os.system`"},
      {"damaged plain pickle", "\x80\x02}", FileKind::other, "damaged pickle"},
      {"npz", zip_of({{"a.npy", "x"}}), FileKind::other, "NumPy .npz"},
      {"Keras", zip_of({{"config.json", "{}"}, {"model.weights.h5", "x"}}), FileKind::other,
       "Keras"},
      {"TorchServe", zip_of({{"MAR-INF/MANIFEST.json", "{}"}}), FileKind::other, "TorchServe"},
      {"another zip", zip_of({{"readme.txt", "x"}}), FileKind::other,
       "zip archive that PyTorch did not write"},
      {"cut-off zip", zip_of({{"x/data.pkl", weights}}).substr(0, 60), FileKind::other,
       "damaged zip file"},
      {"empty", "", FileKind::other, "is empty"},
      {"HDF5", "\x89HDF\r\n\x1a\n and more", FileKind::other, "is an HDF5 file"},
      {"golden", std::string(512, 'p') + "\x89HDF\r\n\x1a\n", FileKind::other, "user block"},
      {"tar", std::string(257, 'a') + "ustar\0"s + std::string(250, 'b'), FileKind::other,
       "tar archive"},
      {"gzip", "\x1f\x8b\x08\0\0\0"s, FileKind::other, "gzip"},
      {"NumPy", "\x93NUMPY\x01\0"s, FileKind::other, "NumPy array"},
      {"GGUF", "GGUF\x03\0\0\0"s, FileKind::other, "GGUF"},
      {"TensorFlow Lite", "\x1c\0\0\0TFL3"s, FileKind::other, "TensorFlow Lite"},
      {"TensorFlow", "\x08\x01\x12\x05hello"s, FileKind::other, "TensorFlow SavedModel"},
      {"flatbuffer", "\x18\0\0\0PTMF"s, FileKind::other, "flatbuffer"},
      {"git-lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
       FileKind::other, "git-lfs pointer"},
      {"web page", "\n<!DOCTYPE html><html><body>404</body></html>", FileKind::other, "web page"},
      {"text", "Not Found: the file", FileKind::other, "is plain text"},
      {"configuration", "{\"model_type\": \"llama\"}", FileKind::other, "is a JSON text"},
      {"configuration with a byte order mark", "\xef\xbb\xbf{\"model_type\": \"llama\"}",
       FileKind::other, "is a JSON text"},
      {"token ids", "[[1, 2, 3, 4]]", FileKind::other, "it can be an input, not a model"},
      {"three bytes", "abc", FileKind::other, "it has 3 bytes and begins with 61 62 63"},
      {"junk", "\x06\x04\x02\x03\x04\x05\xd9\x47"s, FileKind::other,
       "begins with 06 04 02 03 04 05 d9 47"},
  };
}

TEST(FileKind, KnowsEveryKindByContent) {
  const TemporaryFolder folder;
  for (const Row& row : rows()) {
    const FileDescription description = describe_file(folder.write("file.onnx", row.content));
    EXPECT_EQ(description.kind, row.kind) << row.what << ": " << description.sentence;
    EXPECT_NE(description.sentence.find(row.words), std::string::npos)
        << row.what << ": " << description.sentence;
    EXPECT_NE(description.sentence.find("file.onnx"), std::string::npos) << row.what;
    EXPECT_EQ(description.sentence.find('\n'), std::string::npos) << row.what;
  }
}

TEST(FileKind, SaysWhatToDoWheneverNothingCanOpenTheFile) {
  const TemporaryFolder folder;
  for (const Row& row : rows()) {
    if (row.kind != FileKind::other && row.kind != FileKind::onnx) continue;
    const std::string sentence = describe_file(folder.write("f", row.content)).sentence;
    EXPECT_NE(sentence.find(";"), std::string::npos) << row.what << ": " << sentence;
  }
}

TEST(FileKind, DescribesMissingFilesAndFolders) {
  const TemporaryFolder folder;
  EXPECT_NE(describe_file(folder.path("none")).sentence.find("cannot open"), std::string::npos);
  EXPECT_NE(describe_file(folder.path("")).sentence.find("is a folder"), std::string::npos);
}

TEST(FileKind, BlamesTheMachineForALackOfFileDescriptors) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("f", "Not Found: the file");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string message;
  ErrorKind kind = ErrorKind::model;
  try {
    static_cast<void>(describe_file(file));
  } catch (const Error& error) {
    message = error.what();
    kind = error.kind();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(kind, ErrorKind::resource) << message;
  EXPECT_NE(message.find("Too many open files; raise the limit"), std::string::npos) << message;
}

TEST(FileKind, TellsWhichKindsHoldWeights) {
  EXPECT_TRUE(holds_weights(FileKind::state_dict_zip));
  EXPECT_TRUE(holds_weights(FileKind::state_dict_legacy));
  EXPECT_TRUE(holds_weights(FileKind::safetensors));
  EXPECT_TRUE(holds_weights(FileKind::safetensors_index));
  EXPECT_FALSE(holds_weights(FileKind::torchscript));
  EXPECT_FALSE(holds_weights(FileKind::onnx));
  EXPECT_FALSE(holds_weights(FileKind::exported_program));
  EXPECT_FALSE(holds_weights(FileKind::other));
}

}  // namespace
}  // namespace parity::model
