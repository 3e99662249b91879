// The truth of a case: comes back bit for bit, is optional, and is trusted no more than anything
// else in a golden.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "golden_store/forge_contents.h"
#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "golden_store/sample_golden.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store {
namespace {

using namespace testing;
using tensor::DType;

constexpr const char* kTruthAt = "cases/000000/truth";

std::vector<SampleTap> truth_taps() {
  std::vector<SampleTap> taps = {
      random_tap(module_id("embed"), DType::float64, {2, 4}, 21),
      random_tap(module_id("mask"), DType::boolean, {3}, 22),
      full_tap(module_id("rows"), DType::float64, {3, 2}, bytes_of<double>({1, 2, 3, 4, 5, 6}))};
  taps.back().record.mode = run::StoreMode::rows;
  taps.back().record.rows = {0, 2};
  taps.back().stored = bytes_of<double>({1, 2, 5, 6});
  return taps;
}

/// Two cases, of which the first has a truth.
void write_with_truth(const std::filesystem::path& path, const WriteOptions& options = {}) {
  GoldenWriter writer(path, options);
  const SampleGolden golden = small_golden();
  for (const std::string name : {"prompt", "other"}) {
    writer.begin_case(name, golden.cases[0].inputs);
    for (const SampleTap& tap : golden.cases[0].taps) writer.add_tap(tap.record, tap.stored);
    writer.end_case({}, {});
  }
  writer.begin_truth(0, DType::float64);
  for (const SampleTap& tap : truth_taps()) writer.add_tap(tap.record, tap.stored);
  writer.end_truth({"ran on the CPU"}, {1e-3, std::numeric_limits<double>::quiet_NaN(), 0.5});
  writer.finish(golden.header);
}

void read_truth(const std::filesystem::path& path) {
  const GoldenReader reader(path);
  const run::CaseRecord& record = reader.cases().at(0);
  if (!record.truth) return;
  for (std::size_t t = 0; t < record.truth->taps.size(); ++t)
    static_cast<void>(reader.read_truth_tap(0, t));
}

TEST(GoldenTruth, ComesBackBitForBitBesideTheCase) {
  for (const WriteOptions& options : {WriteOptions{}, gzipped(6)}) {
    const ScratchFolder folder;
    write_with_truth(folder / "golden.h5", options);
    const GoldenReader reader(folder / "golden.h5");
    ASSERT_EQ(reader.cases().size(), 2U);
    EXPECT_EQ(reader.cases()[0].taps.size(), small_golden().cases[0].taps.size());
    EXPECT_FALSE(reader.cases()[1].truth.has_value());
    ASSERT_TRUE(reader.cases()[0].truth.has_value());
    const run::TruthRecord& truth = *reader.cases()[0].truth;
    EXPECT_EQ(truth.dtype, DType::float64);
    EXPECT_EQ(truth.notes, std::vector<std::string>{"ran on the CPU"});
    const std::vector<SampleTap> written = truth_taps();
    ASSERT_EQ(truth.taps.size(), written.size());
    for (std::size_t t = 0; t < written.size(); ++t) {
      EXPECT_EQ(truth.taps[t].id, written[t].record.id);
      EXPECT_EQ(truth.taps[t].rows, written[t].record.rows);
      const tensor::HostTensor values = reader.read_truth_tap(0, t);
      EXPECT_EQ(values.dtype(), written[t].record.dtype);
      EXPECT_TRUE(std::equal(values.bytes().begin(), values.bytes().end(),
                             written[t].stored.begin(), written[t].stored.end()))
          << run::to_string(truth.taps[t].id);
    }
    // The case's own taps are where they were.
    EXPECT_EQ(reader.read_tap(1, 0).dtype(), DType::float32);
  }
}

TEST(GoldenTruth, MayHoldWhatTheRecordingIsWrongByItself) {
  const ScratchFolder folder;
  write_with_truth(folder / "golden.h5");
  const GoldenReader reader(folder / "golden.h5");
  const std::vector<double>& errors = reader.cases().at(0).truth.value().introduced_nrmse;
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0], 1e-3);
  EXPECT_TRUE(std::isnan(errors[1]));
  EXPECT_EQ(errors[2], 0.5);
}

TEST(GoldenTruth, IsAMinorAddition) {
  const ScratchFolder folder;
  write_with_truth(folder / "golden.h5");
  // What a reader of version 1.0 goes by: the major version, and groups it asks for by name.
  const std::string bytes = file_bytes(folder / "golden.h5");
  EXPECT_EQ(bytes.at(16), 1) << "major";
  EXPECT_EQ(bytes.at(20), 3) << "minor";
  write_sample(folder / "plain.h5", small_golden());
  EXPECT_FALSE(GoldenReader(folder / "plain.h5").cases().at(0).truth.has_value());
}

TEST(GoldenTruth, IsRefusedWhenItsContentsMakeNoSense) {
  const auto inside = [](const std::string& name) { return path_of("cases/000000/truth/", name); };
  const std::vector<Forgery> table = {
      {"no dtype", unlink(inside("dtype")), "column dtype of the truth of case 0 is missing"},
      {"an unknown dtype", replace_texts(inside("dtype"), {"float99"}),
       "the truth of case 0 has the dtype 'float99'"},
      {"a dtype in which no model runs", replace_texts(inside("dtype"), {"int64"}),
       "the truth of case 0 has the dtype 'int64'"},
      {"two dtypes", replace_texts(inside("dtype"), {"float64", "float32"}),
       "the truth of case 0 has not one dtype"},
      {"an introduced error less",
       replace(inside("introduced_nrmse"), H5::PredType::IEEE_F64LE, {2}, sample_bytes(16, 5)),
       "another number of introduced errors than of taps"},
      {"no index", unlink(inside("index")), "group 'index' is missing"},
      {"no notes", unlink(inside("notes")), "column notes of the truth of case 0 is missing"},
      {"a tap less", unlink(inside("taps/000001")),
       "the tap 'mask' of the truth of case 'prompt' is missing"},
      {"another value",
       replace(inside("taps/000000"), H5::PredType::IEEE_F64LE, {2, 4}, sample_bytes(64, 5)),
       "do not have the digest"},
      {"another dtype than listed",
       replace(inside("taps/000000"), H5::PredType::IEEE_F32LE, {2, 4}, sample_bytes(32, 5)),
       "is not stored as float64"},
      {"a truth that leads elsewhere",
       [](H5::H5File& file) {
         file.unlink(kTruthAt);
         H5Lcreate_soft("/cases/000001", file.getId(), kTruthAt, H5P_DEFAULT, H5P_DEFAULT);
       },
       "is a link to somewhere else"},
  };
  const ScratchFolder folder;
  const std::filesystem::path golden = folder / "golden.h5";
  for (const Forgery& forgery : table) {
    SCOPED_TRACE(forgery.what);
    write_with_truth(golden);
    forge(golden, forgery.change);
    try {
      read_truth(golden);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(std::string(error.what()).find(forgery.reason), std::string::npos) << error.what();
    }
  }
}

TEST(GoldenTruth, NeverLetsAChangedByteThrough) {
  const ScratchFolder folder;
  write_with_truth(folder / "golden.h5");
  const std::string good = file_bytes(folder / "golden.h5");
  for (std::size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write_file(folder / "bad.h5", bad);
    EXPECT_THROW(GoldenReader(folder / "bad.h5"), Error) << "byte " << at;
  }
}

TEST(GoldenTruth, IsWrittenOnceForACase) {
  const ScratchFolder folder;
  GoldenWriter writer(folder / "golden.h5", {});
  const SampleGolden golden = small_golden();
  writer.begin_case("prompt", golden.cases[0].inputs);
  writer.add_tap(golden.cases[0].taps[0].record, golden.cases[0].taps[0].stored);
  writer.end_case({}, {});
  writer.begin_truth(0, DType::float64);
  writer.end_truth({});
  EXPECT_THROW(writer.begin_truth(0, DType::float32), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "golden.h5"));
}

}  // namespace
}  // namespace parity::golden_store
