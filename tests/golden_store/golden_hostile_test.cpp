// Contents that no writer of ours makes, behind a seal that fits: refused in one sentence, in
// bounded memory.
#include <functional>
#include <random>
#include <stdexcept>

#include <H5Cpp.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/child_process.h"
#include "golden_store/forge.h"
#include "golden_store/golden_reader.h"
#include "golden_store/sample_golden.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store {
namespace {

using namespace testing;

/// Where the sample's only case lies.
constexpr const char* kIndex = "cases/000000/index/";
constexpr const char* kTaps = "cases/000000/taps/";
constexpr const char* kInputs = "cases/000000/inputs/";

/// Opens a golden for changes as any HDF5 program could, and seals it again at the end.
void forge(const std::filesystem::path& path, const std::function<void(H5::H5File&)>& change) {
  {
    H5::Exception::dontPrint();
    H5::FileAccPropList access;
    access.setLibverBounds(H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5::H5File file(path.string(), H5F_ACC_RDWR, H5::FileCreatPropList::DEFAULT, access);
    try {
      change(file);
    } catch (const H5::Exception& failure) {
      throw std::runtime_error("cannot forge: " + failure.getDetailMsg());
    }
  }
  reseal(path);
}

void read_everything(const std::filesystem::path& path) {
  const GoldenReader reader(path);
  for (std::size_t c = 0; c < reader.cases().size(); ++c) {
    static_cast<void>(reader.read_inputs(c));
    for (std::size_t t = 0; t < reader.cases()[c].taps.size(); ++t)
      static_cast<void>(reader.read_tap(c, t));
  }
}

using Change = std::function<void(H5::H5File&)>;

/// Replaces dataset `name` by one of `type` and `dimensions`, written only where `bytes` are given.
Change replace(const std::string& name, const H5::DataType& type, std::vector<hsize_t> dimensions,
               std::vector<std::byte> bytes, const H5::DSetCreatPropList& properties = {}) {
  return [=](H5::H5File& file) {
    file.unlink(name);
    const H5::DataSpace space =
        dimensions.empty() ? H5::DataSpace(H5S_SCALAR)
                           : H5::DataSpace(static_cast<int>(dimensions.size()), dimensions.data());
    const H5::DataSet dataset = file.createDataSet(name, type, space, properties);
    if (!bytes.empty()) dataset.write(static_cast<const void*>(bytes.data()), type);
  };
}

template <typename Number>
Change replace_integers(const std::string& name, std::vector<hsize_t> dimensions,
                        const std::vector<Number>& values) {
  const H5::PredType& type =
      sizeof(Number) == 8 ? H5::PredType::STD_I64LE : H5::PredType::STD_I32LE;
  return replace(name, type, std::move(dimensions), bytes_of(values));
}

H5::StrType text(std::size_t width) {
  H5::StrType type(H5::PredType::C_S1, width);
  type.setStrpad(H5T_STR_NULLTERM);
  return type;
}

/// A text column of three rows of eight bytes.
Change replace_texts(const std::string& name, const std::vector<std::string>& values) {
  std::string bytes;
  for (std::string value : values) {
    value.resize(8, '\0');
    bytes += value;
  }
  return replace(name, text(8), {values.size()},
                 bytes_of(std::vector<char>(bytes.begin(), bytes.end())));
}

Change unlink(const std::string& name) {
  return [name](H5::H5File& file) { file.unlink(name); };
}

H5::DSetCreatPropList chunks(std::vector<hsize_t> shape,
                             const std::function<void(H5::DSetCreatPropList&)>& more) {
  H5::DSetCreatPropList properties;
  properties.setChunk(static_cast<int>(shape.size()), shape.data());
  more(properties);
  return properties;
}

H5::DSetCreatPropList external_values(const std::string& path) {
  H5::DSetCreatPropList properties;
  properties.setExternal(path.c_str(), 0, 32);
  return properties;
}

H5::DSetCreatPropList virtual_values() {
  H5::DSetCreatPropList properties;
  const std::vector<hsize_t> shape = {2, 4};
  const H5::DataSpace space(2, shape.data());
  properties.setVirtual(space, "other.h5", "values", space);
  return properties;
}

H5::DSetCreatPropList compact() {
  H5::DSetCreatPropList properties;
  properties.setLayout(H5D_COMPACT);
  return properties;
}

struct Forgery {
  std::string what;
  Change change;
  std::string reason;
};

std::string path_of(const char* folder, const std::string& name) { return folder + name; }

std::vector<Forgery> forged_links(const std::string& outside) {
  const std::string tap = path_of(kTaps, "000000");
  return {
      {"a group is missing", unlink("model"), "group 'model' is missing"},
      {"a column is missing", unlink(path_of(kIndex, "digest")),
       "column digest of the index of case 0 is missing"},
      {"a tap is missing", unlink(tap), "the tap 'embed' of case 'prompt' is missing"},
      {"inputs are missing", unlink("cases/000000/inputs"), "group 'inputs' is missing"},
      {"a case is missing", unlink("cases/000000"), "group '000000' is missing"},
      {"a soft link",
       [=](H5::H5File& file) {
         file.unlink(tap);
         H5Lcreate_soft("/cases/000000/taps/000002", file.getId(), tap.c_str(), H5P_DEFAULT,
                        H5P_DEFAULT);
       },
       "is a link to somewhere else"},
      {"a soft link to itself",
       [=](H5::H5File& file) {
         file.unlink("cases");
         H5Lcreate_soft("/cases", file.getId(), "cases", H5P_DEFAULT, H5P_DEFAULT);
       },
       "is a link to somewhere else"},
      {"an external link",
       [=](H5::H5File& file) {
         file.unlink(tap);
         H5Lcreate_external(outside.c_str(), "/cases/000000/taps/000000", file.getId(), tap.c_str(),
                            H5P_DEFAULT, H5P_DEFAULT);
       },
       "is a link to somewhere else"},
      {"an external group",
       [=](H5::H5File& file) {
         file.unlink("model");
         H5Lcreate_external(outside.c_str(), "/model", file.getId(), "model", H5P_DEFAULT,
                            H5P_DEFAULT);
       },
       "is a link to somewhere else"},
      {"a group in a dataset's place",
       [=](H5::H5File& file) {
         file.unlink(tap);
         file.createGroup(tap);
       },
       "HDF5 says"},
      {"a dataset in a group's place",
       [=](H5::H5File& file) {
         file.unlink("model");
         const hsize_t size = 1;
         file.createDataSet("model", H5::PredType::STD_I8LE, H5::DataSpace(1, &size));
       },
       "HDF5 says"},
      {"a cycle of hard links",
       [=](H5::H5File& file) {
         file.unlink("cases/000000/inputs");
         H5Lcreate_hard(file.getId(), "/cases", file.getId(), "cases/000000/inputs", H5P_DEFAULT,
                        H5P_DEFAULT);
       },
       "is missing"},
  };
}

std::vector<Forgery> forged_storage(const std::string& outside) {
  const std::string tap = path_of(kTaps, "000000");
  const H5::PredType& real = H5::PredType::IEEE_F32LE;
  const std::vector<std::byte> values(32);
  const hsize_t huge = hsize_t{1} << 40U;
  const auto nothing = [](H5::DSetCreatPropList&) {};
  const auto fletcher = [](H5::DSetCreatPropList& properties) { properties.setFletcher32(); };
  const auto deflate = [](H5::DSetCreatPropList& properties) { properties.setDeflate(9); };
  const auto unknown = [](H5::DSetCreatPropList& properties) {
    H5Pset_filter(properties.getId(), 32004, H5Z_FLAG_OPTIONAL, 0, nullptr);
  };
  return {
      {"another type", replace(tap, H5::PredType::STD_I32LE, {2, 4}, values),
       "is not stored as float32"},
      {"the other byte order", replace(tap, H5::PredType::IEEE_F32BE, {2, 4}, values),
       "is not stored as float32"},
      {"another shape", replace(tap, real, {4, 2}, values), "is stored as 4x2 and listed as 2x4"},
      {"another rank", replace(tap, real, {8}, values), "is stored as 8 and listed as 2x4"},
      {"a scalar", replace(tap, real, {}, std::vector<std::byte>(4)),
       "is stored as scalar and listed as 2x4"},
      {"no shape at all",
       [=](H5::H5File& file) {
         file.unlink(tap);
         file.createDataSet(tap, real, H5::DataSpace(H5S_NULL));
       },
       "has no shape"},
      {"other values", replace(tap, real, {2, 4}, values),
       "do not have the digest that was recorded"},
      {"values never written", replace(tap, real, {2, 4}, {}), "claims more values than it stores"},
      {"4 TiB never written", replace(tap, real, {huge}, {}), "claims more values than it stores"},
      {"2^63 values",
       replace(tap, real, {hsize_t{1} << 31U, hsize_t{1} << 32U}, {}, chunks({10, 10}, deflate)),
       "has an impossible shape"},
      {"4 TiB in empty chunks", replace(tap, real, {huge}, {}, chunks({1000}, deflate)),
       "claims more values"},
      {"a chunk missing",
       [=](H5::H5File& file) {
         const hsize_t size = 2000;
         const hsize_t first = 1000;
         const hsize_t start = 0;
         file.unlink(tap);
         const H5::DataSpace space(1, &size);
         const H5::DataSet dataset = file.createDataSet(tap, real, space, chunks({1000}, deflate));
         space.selectHyperslab(H5S_SELECT_SET, &first, &start);
         dataset.write(std::vector<float>(1000, 1.5F).data(), real, H5::DataSpace(1, &first),
                       space);
       },
       "has a missing or oversized piece"},
      {"chunks of 4 GB",
       replace(tap, real, {hsize_t{1} << 30U}, {}, chunks({(hsize_t{1} << 30U) - 1}, deflate)),
       "claims more values than it stores"},
      {"chunks beyond the limit",
       replace(tap, real, {500'000}, std::vector<std::byte>(2'000'000), chunks({500'000}, deflate)),
       "is cut into pieces that goldens do not use"},
      {"a checksum filter", replace(tap, real, {2, 4}, values, chunks({2, 4}, fletcher)),
       "is stored with fletcher32 (filter 3), and a golden only uses shuffle and deflate"},
      {"a filter from a plugin", replace(tap, real, {2, 4}, values, chunks({2, 4}, unknown)),
       "lz4 (filter 32004)"},
      {"chunks without filter", replace(tap, real, {2, 4}, values, chunks({2, 4}, nothing)),
       "digest"},
      {"values in another file", replace(tap, real, {2, 4}, {}, external_values(outside)),
       "in another file"},
      {"a virtual dataset", replace(tap, real, {2, 4}, {}, virtual_values()),
       "a layout that goldens do not use"},
      {"a compact dataset", replace(tap, real, {2, 4}, values, compact()),
       "a layout that goldens do not use"},
      {"text of variable length",
       replace(path_of(kIndex, "path"), H5::StrType(H5::PredType::C_S1, H5T_VARIABLE), {3}, {}),
       "claims more values than it stores"},
      {"numbers for text", replace_integers<std::int64_t>(path_of(kIndex, "path"), {3}, {1, 2, 3}),
       "is not text"},
      {"32-bit numbers", replace_integers<std::int32_t>(path_of(kIndex, "call"), {3}, {0, 0, 0}),
       "element type"},
      {"reals for numbers",
       replace(path_of(kIndex, "call"), H5::PredType::IEEE_F64LE, {3}, std::vector<std::byte>(24)),
       "element type"},
  };
}

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

void expect_refused(const std::vector<Forgery>& table) {
  const ScratchFolder folder;
  const std::filesystem::path golden = folder / "golden.h5";
  for (const Forgery& forgery : table) {
    SCOPED_TRACE(forgery.what);
    write_sample(golden, small_golden());
    try {
      forge(golden, forgery.change);
      read_everything(golden);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(std::string(error.what()).find(forgery.reason), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(GoldenHostile, AForgedFileThatChangesNothingIsRead) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", small_golden());
  forge(folder / "golden.h5", [](H5::H5File& file) { file.createGroup("something newer"); });
  EXPECT_NO_THROW(read_everything(folder / "golden.h5"));
}

TEST(GoldenHostile, NoLinkLeadsOutOfTheFile) {
  const ScratchFolder folder;
  write_sample(folder / "outside.h5", small_golden());
  expect_refused(forged_links((folder / "outside.h5").string()));
}

TEST(GoldenHostile, NoStorageIsTrusted) {
  const ScratchFolder folder;
  write_file(folder / "outside", std::string(32, '\0'));
  expect_refused(forged_storage((folder / "outside").string()));
}

TEST(GoldenHostile, NoColumnIsTrusted) {
  expect_refused(forged_columns());
  expect_refused({{"deep inputs", nested_inputs(200'000), "are cut off"}});
}

TEST(GoldenHostile, SealedNoiseNeverKillsTheReader) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", golden_of_every_dtype({3, 5}), {1});
  const std::string body = file_bytes(folder / "golden.h5").substr(kUserBlockBytes);
  const int status = run_in_child([&] {
    limit_memory(rlim_t{4} << 30U);
    std::mt19937_64 random(3);
    for (int round = 0; round < 600; ++round) {
      std::string noisy = body;
      for (int i = 0; i < 1 + round % 8; ++i) {
        char& byte = noisy[random() % noisy.size()];
        byte = static_cast<char>(byte ^ (1 << (random() % 8)));
      }
      write_file(folder / "noisy.h5", sealed(noisy));
      try {
        read_everything(folder / "noisy.h5");
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::store) throw;
      }
    }
  });
  EXPECT_EQ(status, kFinished);
}

}  // namespace
}  // namespace parity::golden_store
