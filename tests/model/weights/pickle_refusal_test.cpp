// The restricted pickle reader: what is refused by name, and what is malformed.
#include <gtest/gtest.h>

#include "model/weights/file_writers.h"
#include "model/weights/pickle_reader.h"
#include "model/weights/pickle_reading.h"

namespace parity::model {
namespace {

using namespace testing;
namespace p = testing::pickled;

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
    expect_words(row, read(row.program).refused);
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
    expect_words(row, message);
  }
}

}  // namespace
}  // namespace parity::model
