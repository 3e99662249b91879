// The restricted pickle reader: every opcode's meaning, what is refused by name, and what is
// malformed.
#include "model/weights/pickle_reader.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;
namespace p = testing::pickled;

/// Storages of a file that is not there: any key has zeros.
class Zeros : public StorageFinder {
 public:
  explicit Zeros(PickleArena& arena) : arena_(arena) {}
  PickleStorage* find(const StorageRequest& request) override {
    PickleStorage storage = request.type;
    storage.size_bytes = request.elements * storage.element_bytes;
    last_location = request.location;
    return arena_.make_storage(storage);
  }
  std::string last_location;

 private:
  PickleArena& arena_;
};

struct Read {
  FileBytes bytes;
  std::shared_ptr<PickleArena> arena = std::make_shared<PickleArena>();
  Pickle pickle;
  std::string refused;
};

Read read(const std::string& program) {
  Read result;
  result.bytes = bytes_of(program);
  Zeros zeros(*result.arena);
  result.pickle = read_pickle(result.bytes.bytes, 0, *result.arena, &zeros, "file");
  result.refused = refusal(result.pickle, "file");
  return result;
}

/// A short spelling of plain data, for tables.
std::string show(const PickleObject& object) {
  if (std::holds_alternative<std::monostate>(object.data)) return "None";
  if (const auto* flag = object.as<bool>()) return *flag ? "True" : "False";
  if (const auto* integer = object.as<std::int64_t>()) return std::to_string(*integer);
  if (const auto* number = object.as<double>()) return "f" + std::to_string(*number);
  if (const auto* value = object.as<PickleText>()) return "'" + std::string(value->text) + "'";
  if (const auto* value = object.as<PickleBytes>()) return "b'" + std::string(value->bytes) + "'";
  if (object.as<PickleBigInt>() != nullptr) return "big";
  std::string all;
  if (const auto* sequence = object.as<PickleSequence>()) {
    for (const PickleObject* item : sequence->items) all += (all.empty() ? "" : ",") + show(*item);
    if (sequence->kind == SequenceKind::list) return "[" + all + "]";
    return (sequence->kind == SequenceKind::tuple ? "(" : "set(") + all + ")";
  }
  if (const auto* dict = object.as<PickleDict>()) {
    for (const auto& [key, value] : dict->items) {
      all += (all.empty() ? "" : ",") + show(*key) + ":" + show(*value);
    }
    return "{" + all + "}";
  }
  return describe(object);
}

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

struct RefusedRow {
  const char* what;
  std::string program;
  const char* words;
};

TEST(PickleReader, RefusesEveryOtherNameByName) {
  using namespace std::string_literals;
  const auto state = p::dict({{"_modules", "}"}, {"_parameters", "}"}});
  const std::vector<RefusedRow> rows = {
      {"os.system", p::program(p::call(p::global("posix", "system"), {p::text("true")})),
       "wants to run `os.system`"},
      {"os.system on Windows", p::program(p::call(p::global("nt", "system"), {p::text("true")})),
       "wants to run `os.system`"},
      {"eval of Python 2", p::program(p::call(p::global("__builtin__", "eval"), {p::text("1")})),
       "wants to run `builtins.eval`"},
      {"eval by STACK_GLOBAL",
       "\x80\x04" + p::text("builtins") + p::text("eval") + "\x93" + p::tuple({p::text("1")}) +
           "R.",
       "wants to run `builtins.eval`"},
      {"eval by INST", "(" + p::text("1") + "ibuiltins\neval\n.", "wants to run `builtins.eval`"},
      {"eval by OBJ", "(" + p::global("builtins", "eval") + p::text("1") + "o.",
       "wants to run `builtins.eval`"},
      {"eval by NEWOBJ_EX", p::program(p::global("builtins", "eval") + ")}\x92"),
       "wants to run `builtins.eval`"},
      {"eval that is never called", p::program(p::list({p::global("builtins", "eval")})),
       "wants to run `builtins.eval`"},
      {"eval hidden behind a harmless class",
       p::program(p::list(
           {p::global("my", "Thing") + ")\x81", p::call(p::global("builtins", "eval"), {})})),
       "wants to run `builtins.eval`"},
      {"eval dropped from the stack", p::program(p::global("builtins", "eval") + "0K\x01"),
       "wants to run `builtins.eval`"},
      {"a call of what a call returned",
       p::program(p::call(p::call(p::global("builtins", "getattr"), {}), {})),
       "wants to run `builtins.getattr`"},
      {"bytes that would be loaded in turn",
       p::program(p::call(p::global("torch.storage", "_load_from_bytes"), {"C\x01"
                                                                           "a"})),
       "wants to run `torch.storage._load_from_bytes`"},
      {"a NumPy array",
       p::program(p::call(p::global("numpy._core.multiarray", "_reconstruct"), {})),
       "wants to run `numpy._core.multiarray._reconstruct`"},
      {"an enum", p::program(p::call(p::global("mypackage", "Colour"), {"K\x01"})),
       "wants to run `mypackage.Colour`"},
      {"an object of a class", p::program(p::global("__main__", "Config") + ")\x81}b"),
       "build an object of the class `__main__.Config`"},
      {"a whole module", p::program(p::global("__main__", "Net") + ")\x81" + state + "b"),
       "pickled whole module (class `__main__.Net`)"},
      {"a module inside a checkpoint",
       p::program(p::dict({{"model", p::global("yolo", "Model") + ")\x81" + state + "b"}})),
       "pickled whole module (class `yolo.Model`)"},
      {"the outermost of nested modules",
       p::program(p::global("a", "Outer") + ")\x81" +
                  p::dict({{"_parameters", "}"},
                           {"_modules", p::global("a", "Inner") + ")\x81" + state + "b"}}) +
                  "b"),
       "(class `a.Outer`)"},
      {"a module that also runs code",
       p::program(p::list({p::global("a", "Net") + ")\x81" + state + "b",
                           p::call(p::global("os", "system"), {})})),
       "and wants to run `os.system`"},
      {"a name that only begins like an allowed one", p::program(p::global("torch", "Size2")),
       "`torch.Size2`"},
      {"a storage of another module", p::program(p::global("evil", "FloatStorage")),
       "`evil.FloatStorage`"},
      {"a refused name before damage", p::global("os", "system") + "\xff",
       "wants to run `os.system`"},
  };
  for (const RefusedRow& row : rows) {
    const Read result = read(row.program);
    EXPECT_NE(result.refused.find(row.words), std::string::npos)
        << row.what << ": " << result.refused;
  }
}

TEST(PickleReader, RefusesMalformedPicklesInOneSentence) {
  using namespace std::string_literals;
  const std::string storage = p::storage("FloatStorage", "0", 6);
  const std::vector<RefusedRow> rows = {
      {"nothing", "", "ends"},
      {"no STOP", "K\x01", "ends"},
      {"an empty stack at STOP", ".", "more from its stack"},
      {"a number cut off", "J\x01.", "ends in the middle"},
      {"a string longer than the file",
       "X\xff\xff\xff\x7f"
       "abc.",
       "announces"},
      {"a string of 2^63 bytes",
       "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"
       "abc.",
       "announces"},
      {"bytes of 2^64-1 bytes",
       "\x8e\xff\xff\xff\xff\xff\xff\xff\xff"
       "abc.",
       "announces"},
      {"a LONG4 of 4 GB", "\x8b\xff\xff\xff\xff.", "announces"},
      {"an unknown opcode", "\xfe.", "no pickle opcode"},
      {"an extension code", "\x82\x01.", "no pickle opcode"},
      {"a buffer outside the file", "\x97.", "no pickle opcode"},
      {"protocol 6", "\x80\x06N.", "newer than 5"},
      {"an unknown memo slot", "h\x05.", "never stored"},
      {"a mark that is missing", "K\x01t.", "mark"},
      {"a pop past a mark", "K\x01(\x85.", "more from its stack"},
      {"append to a tuple",
       ")K\x01"
       "a.",
       "appends to a tuple"},
      {"a key without a value", "}(K\x01u.", "no value"},
      {"a list as a key", "}]K\x01s.", "a list is used as the key"},
      {"an item set on a list", "]K\x01K\x02s.", "sets a key of a list"},
      {"a str that is not UTF-8", "X\x01\0\0\0\xff."s, "not UTF-8"},
      {"an int that is no number", "I5x\n.", "decimal"},
      {"a long of 401 digits", "L" + std::string(401, '9') + "\n.", "400"},
      {"a call of a number", "K\x01)R.", "calls an int"},
      {"a call of a dtype", p::program(p::global("torch", "float32") + ")R"),
       "calls `torch.float32`"},
      {"arguments that are no tuple", p::program(p::global("torch", "Size") + "K\x01R"),
       "arguments"},
      {"arguments that do not fit", p::program(p::call(p::global("torch", "Size"), {"K\x01"})),
       "do not fit"},
      {"attributes of a list", "]}b.", "gives attributes to a list"},
      {"a persistent id that is no storage", p::program(p::tuple({p::text("module")}) + "Q"),
       "outside itself"},
      {"a storage of no known class",
       p::program(p::tuple({p::text("storage"), "N", p::text("0"), p::text("cpu"), "K\x01"}) + "Q"),
       "type of a storage"},
      {"a storage of negative size", p::program(p::storage("FloatStorage", "0", -1)),
       "the size of a storage"},
      {"a tensor past its storage", p::program(p::tensor(storage, 0, {7}, {1})),
       "past the end of its storage"},
      {"a tensor past its storage by offset", p::program(p::tensor(storage, 1, {6}, {1})),
       "past the end of its storage"},
      {"a tensor past its storage by stride", p::program(p::tensor(storage, 0, {2, 3}, {4, 1})),
       "past the end of its storage"},
      {"a tensor whose extent overflows",
       p::program(p::tensor(storage, 0, {2147483647, 2147483647, 2147483647},
                            {2147483647, 2147483647, 2147483647})),
       "past the end of its storage"},
      {"a stride of 0 repeated without end",
       p::program(p::tensor(storage, 0, {2147483647, 2147483647}, {0, 0})), "repeats its storage"},
      {"a negative stride", p::program(p::tensor(storage, 5, {2}, {-1})), "negative"},
      {"a negative size", p::program(p::tensor(storage, 0, {-1}, {1})), "negative"},
      {"a negative offset", p::program(p::tensor(storage, -1, {1}, {1})), "offset"},
      {"fewer strides than sizes", p::program(p::tensor(storage, 0, {1, 1}, {1})),
       "as many strides"},
      {"a tensor without storage", p::program(p::tensor("N", 0, {1}, {1})), "no storage"},
      {"a tensor subclass that names itself",
       p::program(p::call(p::global("torch._tensor", "_rebuild_from_type_v2"),
                          {p::global("torch._tensor", "_rebuild_from_type_v2"), "N", ")", "N"})),
       "do not fit"},
  };
  for (const RefusedRow& row : rows) {
    const std::string message = error_of([&] { static_cast<void>(read(row.program)); });
    EXPECT_NE(message.find("file holds a damaged pickle"), std::string::npos) << row.what;
    EXPECT_NE(message.find(row.words), std::string::npos) << row.what << ": " << message;
  }
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
    EXPECT_NE(tensor->unsupported.find(row.words), std::string::npos)
        << row.what << ": " << tensor->unsupported;
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
