// A shard says which part of which run it is, and its cases are taken over with every bit.
#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/forge_contents.h"
#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "golden_store/sample_shard.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store {
namespace {

using namespace testing;
using tensor::DType;

TEST(GoldenShard, SaysWhichPartOfWhichRunItIs) {
  const ScratchFolder folder;
  write_rich(folder / "shard.h5");
  const GoldenReader reader(folder / "shard.h5");
  ASSERT_TRUE(reader.shard().has_value());
  EXPECT_EQ(reader.shard()->shard, (run::Shard{1, 3}));
  EXPECT_EQ(reader.shard()->run, part({}).run);
  EXPECT_EQ(reader.shard()->case_count, 7U);
  EXPECT_EQ(reader.shard()->positions, (std::vector<std::size_t>{2, 4}));
  ASSERT_EQ(reader.shard()->left_out.size(), 2U);
  EXPECT_EQ(reader.shard()->left_out[1].position, 6U);
  EXPECT_EQ(reader.shard()->left_out[0].note, "case small was left out: too small");
}

TEST(GoldenShard, IsNothingThatAWholeGoldenHas) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", small_golden());
  EXPECT_FALSE(GoldenReader(folder / "golden.h5").shard().has_value());
}

TEST(GoldenShard, MayHaveNoCaseWhereAWholeGoldenMayNot) {
  const ScratchFolder folder;
  GoldenWriter shard(folder / "shard.h5", {});
  shard.finish(sample_header(), part({}));
  const GoldenReader reader(folder / "shard.h5");
  EXPECT_TRUE(reader.cases().empty());
  EXPECT_EQ(reader.shard()->case_count, 7U);
  EXPECT_EQ(reader.header().model.weights.size(), 3U);
  GoldenWriter whole(folder / "golden.h5", {});
  EXPECT_THROW(whole.finish(sample_header()), Error);
}

TEST(GoldenShard, IsNotWrittenWithPlacesThatDoNotFitItsCases) {
  for (const std::vector<std::size_t>& positions :
       std::vector<std::vector<std::size_t>>{{}, {7}, {1, 2}}) {
    const ScratchFolder folder;
    GoldenWriter writer(folder / "shard.h5", {});
    writer.begin_case("one", {});
    const SampleTap tap = random_tap(module_id("a"), DType::float32, {2}, 1);
    writer.add_tap(tap.record, tap.stored);
    writer.end_case({}, {});
    EXPECT_THROW(writer.finish(sample_header(), part(positions)), Error);
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST(CopiedCase, KeepsEverythingOfTheCase) {
  for (const WriteOptions& options : {WriteOptions{}, gzipped(1)}) {
    SCOPED_TRACE(options.compression ? "gzip" : "plain");
    const ScratchFolder folder;
    write_rich(folder / "shard.h5", options);
    const GoldenReader shard(folder / "shard.h5");
    GoldenWriter writer(folder / "golden.h5", {});
    writer.copy_case(shard, 1);
    writer.copy_case(shard, 0);
    writer.finish(shard.header());
    const GoldenReader golden(folder / "golden.h5");
    ASSERT_EQ(golden.cases().size(), 2U);
    EXPECT_FALSE(golden.shard().has_value());
    expect_same_case(shard, 1, golden, 0);
    expect_same_case(shard, 0, golden, 1);
  }
}

TEST(CopiedCase, KeepsCompressedBytesAsTheyAre) {
  const ScratchFolder folder;
  SampleGolden sample = small_golden();
  sample.cases[0].taps.push_back(full_tap(module_id("zeros"), DType::float32, {1000, 300},
                                          std::vector<std::byte>(1'200'000, std::byte{0})));
  write_sample(folder / "shard.h5", sample, gzipped(1));
  const GoldenReader shard(folder / "shard.h5");
  GoldenWriter writer(folder / "golden.h5", {});  // without compression of its own
  writer.copy_case(shard, 0);
  writer.finish(shard.header());
  EXPECT_LT(std::filesystem::file_size(folder / "golden.h5"), 100'000U);
}

TEST(CopiedCase, GivesEqualFilesForEqualShards) {
  const ScratchFolder folder;
  write_rich(folder / "shard.h5");
  const GoldenReader shard(folder / "shard.h5");
  for (const std::string name : {"one.h5", "other.h5"}) {
    GoldenWriter writer(folder / name, {});
    writer.copy_case(shard, 0);
    writer.finish(shard.header());
  }
  EXPECT_EQ(file_bytes(folder / "one.h5"), file_bytes(folder / "other.h5"));
}

TEST(CopiedCase, IsRefusedTwiceAndWhereItsValuesAreNotThere) {
  const ScratchFolder folder;
  write_sample(folder / "shard.h5", small_golden());
  GoldenWriter twice(folder / "golden.h5", {});
  twice.copy_case(GoldenReader(folder / "shard.h5"), 0);
  EXPECT_THROW(twice.copy_case(GoldenReader(folder / "shard.h5"), 0), Error);
  forge(folder / "shard.h5", unlink("cases/000000/taps/000001"));
  const GoldenReader damaged(folder / "shard.h5");
  GoldenWriter writer(folder / "other.h5", {});
  try {
    writer.copy_case(damaged, 0);
    ADD_FAILURE() << "copied a case without its values";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("shard.h5"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("blocks.0.mlp"), std::string::npos) << error.what();
  }
}

TEST(GoldenShard, IsRefusedWhereWhatItSaysOfItselfIsImpossible) {
  struct Row {
    std::string what;
    Change change;
    std::string reason;
  };
  const ScratchFolder folder;
  for (const Row& row : std::vector<Row>{
           {"an index beyond the count", replace_integers<std::int64_t>("shard/index", {1}, {3}),
            "it says that it is shard 3 of 3"},
           {"a negative index", replace_integers<std::int64_t>("shard/index", {1}, {-1}),
            "below zero"},
           {"more shards than there can be",
            replace_integers<std::int64_t>("shard/count", {1}, {1 << 20}), "it says that it is"},
           {"two shards", replace_integers<std::int64_t>("shard/index", {2}, {0, 1}),
            "another number of shards than one"},
           {"places of other cases",
            replace_integers<std::int64_t>("shard/cases/position", {1}, {2}),
            "places of another number of cases"},
           {"a place twice", replace_integers<std::int64_t>("shard/cases/position", {2}, {2, 2}),
            "places of its cases"},
           {"a place beyond all cases",
            replace_integers<std::int64_t>("shard/cases/position", {2}, {2, 7}),
            "places of its cases"},
           {"a negative place",
            replace_integers<std::int64_t>("shard/cases/position", {2}, {-1, 2}),
            "places of its cases"},
           {"no run", unlink("shard/run"), "column run of shard is missing"}}) {
    SCOPED_TRACE(row.what);
    write_rich(folder / "shard.h5");
    forge(folder / "shard.h5", row.change);
    try {
      const GoldenReader reader(folder / "shard.h5");
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(std::string(error.what()).find(row.reason), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace parity::golden_store
