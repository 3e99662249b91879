// Links, storage and noise that no writer of ours makes, behind a seal that fits: refused in
// bounded memory.
#include <random>

#include <H5Cpp.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/child_process.h"
#include "golden_store/forge_contents.h"
#include "golden_store/packing.h"

namespace parity::golden_store {
namespace {

using namespace testing;

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

std::vector<std::byte> packed_floats(std::size_t count) {
  return packed(std::vector<std::byte>(4 * count), {run::Packer::gzip, 1});
}

/// Makes `tap` one piece of 2x4 float32 with these bytes; `left_out` has a bit for each filter that
/// they did not pass.
std::function<void(H5::H5File&)> chunk_of(const std::string& tap,
                                          const std::vector<std::byte>& bytes,
                                          std::uint32_t left_out = 0) {
  return [=](H5::H5File& file) {
    const std::vector<hsize_t> shape = {2, 4};
    const std::vector<hsize_t> first = {0, 0};
    file.unlink(tap);
    const H5::DataSet dataset =
        file.createDataSet(tap, H5::PredType::IEEE_F32LE, H5::DataSpace(2, shape.data()),
                           chunks(shape, [](H5::DSetCreatPropList& properties) {
                             properties.setShuffle();
                             properties.setDeflate(9);
                           }));
    H5Dwrite_chunk(dataset.getId(), H5P_DEFAULT, left_out, first.data(), bytes.size(),
                   bytes.data());
  };
}

std::vector<Forgery> forged_storage(const std::string& outside) {
  const std::string tap = path_of(kTaps, "000000");
  const H5::PredType& real = H5::PredType::IEEE_F32LE;
  const std::vector<std::byte> values(32);
  const hsize_t huge = hsize_t{1} << 40U;
  const auto nothing = [](H5::DSetCreatPropList&) {};
  const auto fletcher = [](H5::DSetCreatPropList& properties) { properties.setFletcher32(); };
  const auto deflate = [](H5::DSetCreatPropList& properties) {
    properties.setShuffle();
    properties.setDeflate(9);
  };
  const auto only_deflate = [](H5::DSetCreatPropList& properties) { properties.setDeflate(9); };
  const auto deflate_first = [](H5::DSetCreatPropList& properties) {
    properties.setDeflate(9);
    properties.setShuffle();
  };
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
         const hsize_t piece = (hsize_t{1} << 20U) / sizeof(float);
         const hsize_t size = 2 * piece;
         const hsize_t first = piece;
         const hsize_t start = 0;
         file.unlink(tap);
         const H5::DataSpace space(1, &size);
         const H5::DataSet dataset = file.createDataSet(tap, real, space, chunks({piece}, deflate));
         space.selectHyperslab(H5S_SELECT_SET, &first, &start);
         dataset.write(sample_bytes(piece * sizeof(float), 1).data(), real,
                       H5::DataSpace(1, &first), space);
       },
       "has a missing or oversized piece"},
      {"chunks of 4 GB",
       replace(tap, real, {hsize_t{1} << 30U}, {}, chunks({(hsize_t{1} << 30U) - 1}, deflate)),
       "claims more values than it stores"},
      {"chunks beyond the limit",
       replace(tap, real, {500'000}, std::vector<std::byte>(2'000'000), chunks({500'000}, deflate)),
       "is cut into pieces that goldens do not use"},
      {"a checksum filter", replace(tap, real, {2, 4}, values, chunks({2, 4}, fletcher)),
       "is stored with fletcher32 (filter 3), and a golden only uses shuffle, deflate and zstd"},
      {"a filter from a plugin", replace(tap, real, {2, 4}, values, chunks({2, 4}, unknown)),
       "lz4 (filter 32004)"},
      {"chunks without filter", replace(tap, real, {2, 4}, values, chunks({2, 4}, nothing)),
       "does not pass shuffle and then deflate or zstd"},
      {"deflate alone", replace(tap, real, {2, 4}, values, chunks({2, 4}, only_deflate)),
       "does not pass shuffle and then deflate or zstd"},
      {"shuffle last", replace(tap, real, {2, 4}, values, chunks({2, 4}, deflate_first)),
       "does not pass shuffle and then deflate or zstd"},
      {"pieces of another cut", replace(tap, real, {2, 4}, values, chunks({1, 4}, deflate)),
       "is cut into pieces that goldens do not use"},
      // The HDF5 library would take what is behind the end of such a piece from its own memory.
      {"a piece that unpacks to less", chunk_of(tap, packed_floats(7)),
       "a piece that cannot be unpacked"},
      {"a piece that unpacks to more", chunk_of(tap, packed_floats(9)),
       "a piece that cannot be unpacked"},
      {"a piece that is no deflate", chunk_of(tap, std::vector<std::byte>(20, std::byte{1})),
       "a piece that cannot be unpacked"},
      {"a piece as it is, too short", chunk_of(tap, std::vector<std::byte>(31), 2),
       "a piece that cannot be unpacked"},
      {"a piece that passed no filter", chunk_of(tap, std::vector<std::byte>(32), 3),
       "a piece that cannot be unpacked"},
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

// Taps this large are read ahead, past the HDF5 library.
TEST(GoldenHostile, ATapThatIsReadAheadHasTheTypeThatIsListed) {
  const ScratchFolder folder;
  SampleGolden golden = small_golden();
  const tensor::Shape shape = {256, 512};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    golden.cases.front().taps.push_back(random_tap(module_id("large." + std::to_string(seed)),
                                                   tensor::DType::float32, shape, seed));
  }
  const std::vector<std::byte> bytes = golden.cases.front().taps.at(4).stored;
  for (const H5::PredType& type : {H5::PredType::STD_I32LE, H5::PredType::IEEE_F32BE}) {
    write_sample(folder / "golden.h5", golden);
    EXPECT_NO_THROW(read_everything(folder / "golden.h5"));
    forge(folder / "golden.h5", replace(path_of(kTaps, "000004"), type, {256, 512}, bytes));
    try {
      read_everything(folder / "golden.h5");
      ADD_FAILURE() << "bytes of another type were taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("is not stored as float32"), std::string::npos)
          << error.what();
    }
  }
}

TEST(GoldenHostile, SealedNoiseNeverKillsTheReader) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", golden_of_every_dtype({3, 5}), gzipped(1));
  const std::string body = file_bytes(folder / "golden.h5").substr(kUserBlockBytes);
  const int status = run_in_child([&] {
    limit_memory(rlim_t{4} << 30U);
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round) {
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
    // The library itself leaks memory on some broken files, which is no reason for a leak checker
    // to fail here.
    ::_exit(kFinished);
  });
  EXPECT_EQ(status, kFinished);
}

}  // namespace
}  // namespace parity::golden_store
