// Columns whose entries no writer of ours makes, behind a seal that fits: refused for the first
// that is wrong.
#include <H5Cpp.h>
#include <gtest/gtest.h>

#include "golden_store/forge_contents.h"

namespace parity::golden_store {
namespace {

using namespace testing;

std::vector<Forgery> forged_columns() {
  const auto index = [](const std::string& column) { return path_of(kIndex, column); };
  const auto inputs = [](const std::string& column) { return path_of(kInputs, column); };
  using Integers = std::vector<std::int64_t>;
  const std::int64_t huge = std::int64_t{1} << 40U;
  return {
      {"an unknown dtype", replace_texts(index("dtype"), {"float31", "float32", "float32"}),
       "unknown dtype 'float31'"},
      {"an unknown kind", replace_texts(index("kind"), {"module", "module", "m\nodule"}),
       "unknown kind 'm\\x0aodule'"},
      {"an unknown mode", replace_texts(index("mode"), {"full", "half", "full"}),
       "unknown mode 'half'"},
      {"an unknown role", replace_texts(index("role"), {"", "", ""}), "unknown role ''"},
      {"one row more", replace_texts(index("path"), {"a", "b", "c", "d"}),
       "3 where 4 rows are expected"},
      {"one row less", replace_texts(index("op"), {"", ""}), "2 where 3 rows are expected"},
      {"a column of two dimensions",
       replace_integers<std::int64_t>(index("call"), {3, 1}, {0, 0, 0}), "3x1 where 3"},
      {"a scalar column", replace_integers<std::int64_t>(index("call"), {}, {0}), "scalar where 3"},
      {"the same tap twice", replace_texts(index("path"), {"embed", "embed", "x"}),
       "lists the tap 'embed' twice"},
      {"a negative call", replace_integers<std::int64_t>(index("call"), {3}, {0, -1, 0}),
       "a negative call"},
      {"no digest", replace_texts(index("digest"), {"xyz", "", "0"}), "'xyz', which is no digest"},
      {"a negative rank", replace_integers<std::int64_t>(index("rank"), {3}, {-1, 3, 3}),
       "an impossible rank"},
      {"a rank beyond its sizes", replace_integers<std::int64_t>(index("rank"), {3}, {4, 3, 3}),
       "an impossible rank"},
      {"33 dimensions",
       [=](H5::H5File& file) {
         replace_integers<std::int64_t>(index("rank"), {3}, {33, 3, 3})(file);
         replace_integers<std::int64_t>(index("shape"), {3, 33}, Integers(99, 1))(file);
       },
       "has 33 dimensions, and HDF5 holds at most 32"},
      {"a negative size",
       replace_integers<std::int64_t>(index("shape"), {3, 3}, {2, -4, 0, 2, 3, 4, 1, 2, 3}),
       "an impossible shape"},
      {"sizes whose product overflows",
       replace_integers<std::int64_t>(index("shape"), {3, 3}, {huge, huge, 0, 2, 3, 4, 1, 2, 3}),
       "an impossible shape"},
      {"sizes whose product overflows after a zero",
       replace_integers<std::int64_t>(index("shape"), {3, 3}, {2, 4, 0, 0, huge, huge, 1, 2, 3}),
       "an impossible shape"},
      {"rows that nobody counts", replace_integers<std::int64_t>(index("rows"), {2}, {0, 1}),
       "other rows than it counts"},
      {"rows that do not exist", replace_integers<std::int64_t>(index("row_count"), {3}, {1, 0, 0}),
       "other rows"},
      {"a negative number of rows",
       replace_integers<std::int64_t>(index("row_count"), {3}, {0, -1, 0}), "other rows"},
      {"rows in mode full",
       [=](H5::H5File& file) {
         replace_integers<std::int64_t>(index("row_count"), {3}, {2, 0, 0})(file);
         replace_integers<std::int64_t>(index("rows"), {2}, {0, 1})(file);
       },
       "lists rows but is not stored by rows"},
      {"rows outside the tensor",
       [=](H5::H5File& file) {
         replace_texts(index("mode"), {"rows", "full", "full"})(file);
         replace_integers<std::int64_t>(index("row_count"), {3}, {2, 0, 0})(file);
         replace_integers<std::int64_t>(index("rows"), {2}, {0, 2})(file);
       },
       "has rows that do not fit its shape 2x4"},
      {"rows in another order",
       [=](H5::H5File& file) {
         replace_texts(index("mode"), {"rows", "full", "full"})(file);
         replace_integers<std::int64_t>(index("row_count"), {3}, {2, 0, 0})(file);
         replace_integers<std::int64_t>(index("rows"), {2}, {1, 0})(file);
       },
       "has rows that do not fit its shape 2x4"},
      {"two cases of one name", replace_texts("case_names", {"a", "a"}),
       "two of its cases have the same name"},
      {"a case without name", replace_texts("case_names", {""}), "one of its cases has no name"},
      {"more names than cases", replace_texts("case_names", {"a", "b"}),
       "group '000001' is missing"},
      {"two models", replace_texts("model/file_name", {"a", "b"}),
       "another number of models than one"},
      {"negative parameters", replace_integers<std::int64_t>("model/parameter_count", {1}, {-1}),
       "negative number of"},
      {"unsorted weights", replace_texts("model/weights/name", {"b", "a", "c"}),
       "is not sorted by name"},
      {"an unknown weight dtype", replace_texts("model/weights/dtype", {"float32", "q4", "int8"}),
       "unknown dtype 'q4'"},
      {"a provenance key twice", replace_texts("provenance/key", {"a", "b", "a"}),
       "has a key twice"},
      {"inputs of an unknown kind", replace_texts(inputs("kind"), {"set"}), "unknown kind 'set'"},
      {"inputs of an unknown dtype", replace_texts(inputs("dtype"), {"int63"}),
       "unknown dtype 'int63'"},
      {"inputs of another dtype", replace_texts(inputs("dtype"), {"int32"}),
       "is not stored as int32"},
      {"a tensor with children", replace_integers<std::int64_t>(inputs("children"), {1}, {1}),
       "a scalar with children"},
      {"missing children",
       [=](H5::H5File& file) {
         replace_texts(inputs("kind"), {"list"})(file);
         replace_integers<std::int64_t>(inputs("children"), {1}, {huge})(file);
       },
       "are cut off"},
      {"negative children",
       [=](H5::H5File& file) {
         replace_texts(inputs("kind"), {"list"})(file);
         replace_integers<std::int64_t>(inputs("children"), {1}, {-1})(file);
       },
       "are cut off"},
  };
}

/// Inputs of `count` lists, each in the one before.
Change nested_inputs(std::size_t count) {
  return [count](H5::H5File& file) {
    std::vector<std::int64_t> children(count, 1);
    children.back() = 0;
    const std::vector<hsize_t> rows = {count};
    replace_texts(path_of(kInputs, "kind"), std::vector<std::string>(count, "list"))(file);
    replace_texts(path_of(kInputs, "key"), std::vector<std::string>(count))(file);
    replace_texts(path_of(kInputs, "dtype"), std::vector<std::string>(count))(file);
    replace_integers<std::int64_t>(path_of(kInputs, "children"), rows, children)(file);
    replace_integers<std::int64_t>(path_of(kInputs, "integer"), rows,
                                   std::vector<std::int64_t>(count))(file);
    replace(path_of(kInputs, "real"), H5::PredType::IEEE_F64LE, rows,
            std::vector<std::byte>(8 * count))(file);
  };
}

TEST(GoldenHostileColumns, NoColumnIsTrusted) {
  expect_refused(forged_columns());
  expect_refused({{"deep inputs", nested_inputs(200'000), "are cut off"}});
}

}  // namespace
}  // namespace parity::golden_store
