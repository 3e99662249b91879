// The restricted pickle reader: every opcode's meaning, tensors, and structures without end.
#include "model/weights/pickle_reader.h"

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"
#include "model/weights/pickle_reading.h"

namespace parity::model {
namespace {

using namespace testing;
namespace p = testing::pickled;

struct Row {
  const char* what;
  std::string program;
  std::string value;
};

TEST(PickleReader, GivesEveryPlainOpcodeItsMeaning) {
  using namespace std::string_literals;
  const std::vector<Row> rows = {
      {"None", "N.", "None"},
      {"True of protocol 2", "\x88.", "True"},
      {"False of protocol 2", "\x89.", "False"},
      {"True of protocol 0", "I01\n.", "True"},
      {"False of protocol 0", "I00\n.", "False"},
      {"INT", "I-7\n.", "-7"},
      {"LONG", "L9223372036854775807L\n.", "9223372036854775807"},
      {"LONG past 64 bits", "L9223372036854775808L\n.", "big"},
      {"LONG of -2^63", "L-9223372036854775808L\n.", "-9223372036854775808"},
      {"BININT negative", "J\xff\xff\xff\xff.", "-1"},
      {"BININT1", "K\xff.", "255"},
      {"BININT2", "M\x01\x02.", "513"},
      {"LONG1 empty is zero", "\x8a\0."s, "0"},
      {"LONG1 negative", "\x8a\x01\xfe.", "-2"},
      {"LONG1 with idle sign bytes", "\x8a\x0a\x05\0\0\0\0\0\0\0\0\0."s, "5"},
      {"LONG1 unsigned 64 bits", "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0."s, "big"},
      {"LONG4", "\x8b\x02\0\0\0\x00\x01."s, "256"},
      {"FLOAT", "F1.5\n.", "f1.500000"},
      {"BINFLOAT", "G\x3f\xf8\0\0\0\0\0\0."s, "f1.500000"},
      {"STRING", "S'a\\x62\\n'\n.", "'ab\n'"},
      {"SHORT_BINSTRING",
       "U\x02"
       "ab.",
       "'ab'"},
      {"SHORT_BINSTRING that is no text", "U\x01\xff.", "b'\xff'"},
      {"BINSTRING", "T\x02\0\0\0ab."s, "'ab'"},
      {"UNICODE with an escape", "V\\u00e9\n.", "'\xc3\xa9'"},
      {"BINUNICODE", "X\x02\0\0\0\xc3\xa9."s, "'\xc3\xa9'"},
      {"SHORT_BINUNICODE",
       "\x8c\x01"
       "a.",
       "'a'"},
      {"BINUNICODE8", "\x8d\x01\0\0\0\0\0\0\0a."s, "'a'"},
      {"SHORT_BINBYTES", "C\x01\xff.", "b'\xff'"},
      {"BINBYTES", "B\x01\0\0\0\xfe."s, "b'\xfe'"},
      {"BINBYTES8", "\x8e\x01\0\0\0\0\0\0\0\xfe."s, "b'\xfe'"},
      {"BYTEARRAY8", "\x96\x01\0\0\0\0\0\0\0\xfe."s, "b'\xfe'"},
      {"list by APPEND",
       "]K\x01"
       "a.",
       "[1]"},
      {"list by APPENDS",
       "](K\x01K\x02"
       "e.",
       "[1,2]"},
      {"LIST", "(K\x01K\x02l.", "[1,2]"},
      {"TUPLE", "(K\x01K\x02t.", "(1,2)"},
      {"EMPTY_TUPLE", ").", "()"},
      {"TUPLE1", "K\x01\x85.", "(1)"},
      {"TUPLE2", "K\x01K\x02\x86.", "(1,2)"},
      {"TUPLE3", "K\x01K\x02K\x03\x87.", "(1,2,3)"},
      {"set", "\x8f(K\x01\x90.", "set(1)"},
      {"FROZENSET", "(K\x01\x91.", "set(1)"},
      {"DICT",
       "(U\x01"
       "aK\x01"
       "d.",
       "{'a':1}"},
      {"SETITEM",
       "}U\x01"
       "aK\x01s.",
       "{'a':1}"},
      {"a key set twice keeps its place",
       "}(U\x01"
       "aK\x01U\x01"
       "bK\x02U\x01"
       "aK\x03u.",
       "{'a':3,'b':2}"},
      {"True and 1 are one key", "}(\x88K\x05K\x01K\x06u.", "{True:6}"},
      {"memo of protocol 0", "K\x05p12\n0g12\n.", "5"},
      {"BINPUT and BINGET",
       "K\x05q\x07"
       "0h\x07.",
       "5"},
      {"LONG_BINPUT and LONG_BINGET",
       "K\x05r\x07\0\0\0"
       "0j\x07\0\0\0."s,
       "5"},
      {"MEMOIZE",
       "K\x05\x94"
       "0h\0."s,
       "5"},
      {"DUP",
       "K\x05"
       "2\x86.",
       "(5,5)"},
      {"POP",
       "K\x05K\x06"
       "0.",
       "5"},
      {"POP of a mark", "K\x05(0.", "5"},
      {"POP_MARK",
       "K\x05(K\x06K\x07"
       "1.",
       "5"},
      {"PROTO and FRAME", "\x80\x04\x95\x03\0\0\0\0\0\0\0K\x05."s, "5"},
      {"an empty OrderedDict", p::program(p::call(p::global("collections", "OrderedDict"), {})),
       "{}"},
      {"an OrderedDict of pairs as Python 2 writes it",
       p::program(p::call(p::global("collections", "OrderedDict"),
                          {p::list({p::list({p::text("a"), "K\x01"})})})),
       "{'a':1}"},
      {"attributes of an OrderedDict",
       p::program(p::call(p::global("collections", "OrderedDict"), {}) +
                  p::dict({{"_metadata", "N"}}) + "b"),
       "{}"},
      {"defaultdict",
       p::program(
           p::call(p::global("collections", "defaultdict"), {p::global("__builtin__", "list")}) +
           "(X\1\0\0\0aK\1u"s),
       "{'a':1}"},
      {"set of protocol 2",
       p::program(p::call(p::global("__builtin__", "set"), {p::list({"K\x01"})})), "set(1)"},
      {"bytes of protocol 2",
       p::program(
           p::call(p::global("_codecs", "encode"), {p::text("a\xc3\xbf"), p::text("latin1")})),
       "b'a\xff'"},
      {"torch.Size", p::program(p::call(p::global("torch", "Size"), {p::list({"K\x01", "K\x02"})})),
       "(1,2)"},
      {"an int list of TorchScript",
       p::program(p::call(p::global("torch.jit._pickle", "build_intlist"), {p::list({"K\x01"})})),
       "[1]"},
      {"a type tag of TorchScript",
       p::program(p::call(p::global("torch.jit._pickle", "restore_type_tag"),
                          {p::dict({{"a", "K\x01"}}), p::text("Dict[str, int]")})),
       "{'a':1}"},
      {"a NumPy double",
       p::program(p::call(p::global("numpy.core.multiarray", "scalar"),
                          {p::call(p::global("numpy", "dtype"), {p::text("f8"), "K\0"s, "K\x01"}),
                           "C\x08\0\0\0\0\0\0\xf8\x3f"s})),
       "f1.500000"},
      {"a Namespace is remembered by name alone",
       p::program(p::global("argparse", "Namespace") + ")\x81}b"),
       "an object of class `argparse.Namespace`"},
  };
  for (const Row& row : rows) {
    const Read result = read(row.program);
    ASSERT_EQ(result.refused, "") << row.what;
    ASSERT_NE(result.pickle.root, nullptr) << row.what;
    EXPECT_EQ(show(*result.pickle.root), row.value) << row.what;
    EXPECT_EQ(result.pickle.end, row.program.size()) << row.what;
  }
}

TEST(PickleReader, ReadsTheNextPickleWhereTheLastOneEnded) {
  const FileBytes bytes = bytes_of("K\x01.K\x02.");
  PickleArena arena;
  const Pickle first = read_pickle(bytes.bytes, 0, arena, nullptr, "file");
  const Pickle second = read_pickle(bytes.bytes, first.end, arena, nullptr, "file");
  EXPECT_EQ(show(*second.root), "2");
}

TEST(PickleReader, BuildsTensorsOfEveryRebuildFunction) {
  const std::string storage = p::storage("FloatStorage", "0", 12, "cuda:0");
  const std::string v2 = p::tensor(storage, 2, {2, 3}, {1, 2});
  const std::string old =
      p::call(p::global("torch._utils", "_rebuild_tensor"),
              {storage, p::integer(2), p::integers({2, 3}), p::integers({1, 2})});
  const std::string untyped =
      p::tuple({p::text("storage"), p::global("torch.storage", "UntypedStorage"), p::text("0"),
                p::text("cuda:0"), p::integer(48)}) +
      "Q";
  const std::string v3 = p::call(p::global("torch._utils", "_rebuild_tensor_v3"),
                                 {untyped, p::integer(2), p::integers({2, 3}), p::integers({1, 2}),
                                  "\x89", "}", p::global("torch", "float32")});
  const std::vector<std::pair<const char*, std::string>> rows = {
      {"_rebuild_tensor", old},
      {"_rebuild_tensor_v2", v2},
      {"_rebuild_tensor_v3", v3},
      {"_rebuild_parameter",
       p::call(p::global("torch._utils", "_rebuild_parameter"), {v2, "\x88", "}"})},
      {"_rebuild_parameter_with_state",
       p::call(p::global("torch._utils", "_rebuild_parameter_with_state"), {v2, "\x88", "}", "}"})},
      {"_rebuild_from_type_v2",
       p::call(p::global("torch._tensor", "_rebuild_from_type_v2"),
               {p::global("torch._utils", "_rebuild_tensor_v2"), p::global("torch", "Tensor"),
                p::tuple({storage, p::integer(2), p::integers({2, 3}), p::integers({1, 2}), "\x89",
                          "}"}),
                "}"})},
      {"Parameter", p::global("torch.nn.parameter", "Parameter") + p::tuple({v2}) + "\x81"},
      {"a tensor object filled afterwards",
       p::global("torch", "FloatTensor") + ")\x81" +
           p::tuple({storage, p::integer(2), p::integers({2, 3}), p::integers({1, 2})}) + "b"},
  };
  for (const auto& [what, object] : rows) {
    const Read result = read(p::program(object));
    ASSERT_EQ(result.refused, "") << what;
    const auto* tensor = result.pickle.root->as<PickleTensor>();
    ASSERT_NE(tensor, nullptr) << what;
    EXPECT_EQ(tensor->dtype, tensor::DType::float32) << what;
    EXPECT_EQ(tensor->shape, (tensor::Shape{2, 3})) << what;
    EXPECT_EQ(tensor->strides, (std::vector<std::int64_t>{1, 2})) << what;
    EXPECT_EQ(tensor->offset_bytes, 8U) << what;
    EXPECT_EQ(tensor->unsupported, "") << what;
  }
}

TEST(PickleReader, KeepsTheReasonOfTensorsWhoseValuesCannotBeUsed) {
  const std::string metadata = p::dict({{"conj", "\x88"}});
  const std::vector<RefusedRow> rows = {
      {"sparse", p::call(p::global("torch._utils", "_rebuild_sparse_tensor"), {}), "sparse"},
      {"quantised", p::call(p::global("torch._utils", "_rebuild_qtensor"), {}), "quantised"},
      {"nested", p::call(p::global("torch._utils", "_rebuild_nested_tensor"), {}), "nested"},
      {"meta", p::call(p::global("torch._utils", "_rebuild_meta_tensor_no_storage"), {}),
       "meta device"},
      {"subclass", p::call(p::global("torch._utils", "_rebuild_wrapper_subclass"), {}), "subclass"},
      {"conjugated",
       p::call(p::global("torch._utils", "_rebuild_tensor_v2"),
               {p::storage("ComplexFloatStorage", "0", 1), p::integer(0), p::integers({1}),
                p::integers({1}), "\x89", "}", metadata}),
       "pending conjugation"},
      {"unknown dtype", p::tensor(p::storage("QInt8Storage", "0", 1), 0, {1}, {1}), "torch.qint8"},
      {"never filled", p::global("torch", "FloatTensor") + ")\x81", "nothing was put into"},
  };
  for (const RefusedRow& row : rows) {
    const Read result = read(p::program(row.program));
    ASSERT_EQ(result.refused, "") << row.what;
    const auto* tensor = result.pickle.root->as<PickleTensor>();
    ASSERT_NE(tensor, nullptr) << row.what;
    expect_words(row, tensor->unsupported);
  }
}

TEST(PickleReader, EndsOnDeepNestingAndOnSelfContainment) {
  std::string deep(200000, ']');
  deep += std::string(199999, 'a');
  EXPECT_EQ(read(p::program(deep)).refused, "");
  const Read ring =
      read(p::program("]q\x01h\x01"
                      "a"));
  EXPECT_EQ(ring.pickle.root->as<PickleSequence>()->items.front(), ring.pickle.root);
}

TEST(PickleReader, StopsAtTheLargestNumberOfObjects) {
  const std::string many = "(" + std::string(9 << 20, 'N') + "t.";
  const std::string message = error_of([&] { static_cast<void>(read(many)); });
  EXPECT_NE(message.find("8 million objects"), std::string::npos) << message;
}

}  // namespace
}  // namespace parity::model
