// Run-to-run noise of a case: comes back as written, is optional, and is trusted no more than
// anything else in a golden. And what a writer reads back of its own unfinished file.
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

Change replace_column(const std::string& name, const std::vector<std::int64_t>& values) {
  return replace_integers(name, {values.size()}, values);
}

run::NoiseRecord sample_noise() {
  return {4,
          {{0, 1, {{"nrmse", 1.5e-7}, {"ulp.max", 3}}},
           {2, 4, {{"nrmse", std::numeric_limits<double>::infinity()}}}}};
}

/// Two cases of at least three taps, of which the first was repeated.
void write_with_noise(const std::filesystem::path& path, const run::NoiseRecord& noise) {
  GoldenWriter writer(path, {});
  const SampleGolden golden = small_golden();
  for (const std::string name : {"prompt", "other"}) {
    writer.begin_case(name, golden.cases[0].inputs);
    for (const SampleTap& tap : golden.cases[0].taps) writer.add_tap(tap.record, tap.stored);
    if (name == "prompt") writer.add_noise(noise);
    writer.end_case({}, {});
  }
  writer.finish(golden.header);
}

TEST(GoldenNoise, ComesBackBesideTheCase) {
  const ScratchFolder folder;
  ASSERT_GE(small_golden().cases[0].taps.size(), 3U);
  write_with_noise(folder / "golden.h5", sample_noise());
  const GoldenReader reader(folder / "golden.h5");
  ASSERT_TRUE(reader.cases().at(0).noise.has_value());
  EXPECT_FALSE(reader.cases().at(1).noise.has_value());
  const run::NoiseRecord& noise = *reader.cases()[0].noise;
  EXPECT_EQ(noise.repeats, 4);
  ASSERT_EQ(noise.taps.size(), 2U);
  const run::TapNoise first = run::noise_of(noise, 0);
  EXPECT_EQ(first.repeats, 4);
  EXPECT_EQ(first.differing, 1);
  ASSERT_EQ(first.figures.size(), 2U);
  EXPECT_EQ(first.figures[0].metric, "nrmse");
  EXPECT_EQ(first.figures[0].value, 1.5e-7);
  EXPECT_EQ(first.figures[1].metric, "ulp.max");
  EXPECT_EQ(run::noise_of(noise, 1).differing, 0);
  EXPECT_EQ(run::noise_of(noise, 1).repeats, 4);
  EXPECT_EQ(run::noise_of(noise, 2).figures.at(0).value, std::numeric_limits<double>::infinity());
}

TEST(GoldenNoise, MayBeThatNothingDiffered) {
  const ScratchFolder folder;
  write_with_noise(folder / "golden.h5", {1, {}});
  const GoldenReader reader(folder / "golden.h5");
  ASSERT_TRUE(reader.cases().at(0).noise.has_value());
  EXPECT_TRUE(reader.cases()[0].noise->taps.empty());
}

TEST(GoldenNoise, IsRefusedWhenItMakesNoSense) {
  const auto inside = [](const std::string& name) { return path_of("cases/000000/noise/", name); };
  const std::vector<Forgery> table = {
      {"no repeats", unlink(inside("repeats")), "column repeats of the noise of case 0 is missing"},
      {"no repeat", replace_column(inside("repeats"), {0}), "counts no repeats"},
      {"two counts", replace_column(inside("repeats"), {4, 4}), "has not one number of repeats"},
      {"a tap that is not there",
       [&](H5::H5File& file) {
         replace_column(inside("taps/tap"), {0, 99})(file);
         replace_column(inside("figures/tap"), {0, 0, 99})(file);
       },
       "names tap 99"},
      {"a tap below zero", replace_column(inside("taps/tap"), {-1, 2}), "names tap -1"},
      {"taps out of order", replace_column(inside("taps/tap"), {2, 0}), "did not differ"},
      {"more than all", replace_column(inside("taps/differing"), {1, 5}),
       "differed in 5 of 4 repeats"},
      {"none", replace_column(inside("taps/differing"), {0, 4}), "differed in 0 of 4 repeats"},
      {"figures of another tap", replace_column(inside("figures/tap"), {0, 0, 1}),
       "figures of tap 1, which did not differ"},
      {"the same figure twice",
       replace_texts(inside("figures/metric"), {"nrmse", "nrmse", "nrmse"}),
       "two figures 'nrmse' of tap 0"},
      {"a figure without a name", replace_texts(inside("figures/metric"), {"", "ulp.max", "nrmse"}),
       "without a name"},
      {"no figures", unlink(inside("figures")), "group 'figures' is missing"},
  };
  const ScratchFolder folder;
  const std::filesystem::path golden = folder / "golden.h5";
  for (const Forgery& forgery : table) {
    SCOPED_TRACE(forgery.what);
    write_with_noise(golden, sample_noise());
    forge(golden, forgery.change);
    try {
      const GoldenReader reader(golden);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(std::string(error.what()).find(forgery.reason), std::string::npos) << error.what();
    }
  }
}

TEST(GoldenNoise, IsRefusedByTheWriterToo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<run::NoiseRecord> table = {{0, {}},
                                               {2, {{99, 1, {}}}},
                                               {2, {{1, 1, {}}, {0, 1, {}}}},
                                               {2, {{0, 3, {}}}},
                                               {2, {{0, 1, {{"nrmse", nan}}}}}};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ScratchFolder folder;
    EXPECT_THROW(write_with_noise(folder / "golden.h5", table[i]), Error) << i;
    EXPECT_FALSE(std::filesystem::exists(folder / "golden.h5")) << i;
  }
}

TEST(GoldenWriter, ReadsBackWhatItWroteWhileTheFileIsOpen) {
  for (const WriteOptions& options : {WriteOptions{}, gzipped(6)}) {
    const ScratchFolder folder;
    GoldenWriter writer(folder / "golden.h5", options);
    const SampleGolden golden = small_golden();
    const auto expect_same = [&](std::size_t of_case) {
      ASSERT_EQ(writer.taps(of_case).size(), golden.cases[0].taps.size());
      for (std::size_t t = 0; t < golden.cases[0].taps.size(); ++t) {
        const SampleTap& tap = golden.cases[0].taps[t];
        EXPECT_EQ(writer.taps(of_case)[t].id, tap.record.id);
        const tensor::HostTensor back = writer.read_back(of_case, t);
        EXPECT_TRUE(std::equal(back.bytes().begin(), back.bytes().end(), tap.stored.begin(),
                               tap.stored.end()))
            << run::to_string(tap.record.id);
      }
    };
    for (const std::string name : {"one", "two"}) {
      writer.begin_case(name, golden.cases[0].inputs);
      for (const SampleTap& tap : golden.cases[0].taps) writer.add_tap(tap.record, tap.stored);
      expect_same(name == "one" ? 0 : 1);
      writer.end_case({}, {});
    }
    expect_same(0);
    writer.finish(golden.header);
  }
}

}  // namespace
}  // namespace parity::golden_store
