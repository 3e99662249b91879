// A golden of links is read as one file, or refused where a file is not the one that was linked or
// a link leads anywhere but to it.
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

class LinkedGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    write_rich(folder_ / "shard.h5");
    SampleGolden other = small_golden();
    other.cases[0].name = "third";
    write_sample(folder_ / "other.h5", other);
    const GoldenReader shard(folder_ / "shard.h5");
    GoldenWriter writer(folder_ / "golden.h5", {});
    writer.link_case(shard, 1);
    writer.link_case(GoldenReader(folder_ / "other.h5"), 0);
    writer.link_case(shard, 0);
    writer.finish(shard.header());
  }

  void expect_refused(const std::string& words) const {
    try {
      const GoldenReader reader(folder_ / "golden.h5");
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("golden.h5"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }

  const ScratchFolder folder_;
};

TEST_F(LinkedGolden, ReadsAsOneFile) {
  const GoldenReader golden(folder_ / "golden.h5");
  const GoldenReader shard(folder_ / "shard.h5");
  ASSERT_EQ(golden.cases().size(), 3U);
  EXPECT_EQ(golden.cases()[1].name, "third");
  EXPECT_EQ(golden.read_tap(1, 0).shape(), (tensor::Shape{2, 4}));
  expect_same_case(shard, 1, golden, 0);
  expect_same_case(shard, 0, golden, 2);
  EXPECT_LT(std::filesystem::file_size(folder_ / "golden.h5"), 20'000U);
}

TEST_F(LinkedGolden, IsFoundThroughALinkToIt) {
  const ScratchFolder elsewhere;
  std::filesystem::create_symlink(folder_ / "golden.h5", elsewhere / "name.h5");
  EXPECT_EQ(GoldenReader(elsewhere / "name.h5").cases().size(), 3U);
}

TEST_F(LinkedGolden, IsRefusedWithoutAFileThatItNames) {
  std::filesystem::remove(folder_ / "other.h5");
  expect_refused("other.h5: No such file");
}

TEST_F(LinkedGolden, IsRefusedWithADamagedFile) {
  std::string bytes = file_bytes(folder_ / "other.h5");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(folder_ / "other.h5", bytes);
  expect_refused("other.h5");
}

TEST_F(LinkedGolden, IsRefusedWithAnotherWholeGoldenInAFilesPlace) {
  SampleGolden other = small_golden();
  other.cases[0].name = "third";
  other.header.notes = {"recorded again"};
  write_sample(folder_ / "other.h5", other);
  expect_refused("'other.h5' beside it is no longer the file that was linked");
}

TEST_F(LinkedGolden, NeverLeavesItsFolder) {
  const ScratchFolder outside;
  std::filesystem::copy_file(folder_ / "other.h5", outside / "other.h5");
  for (const std::string& name : {(outside / "other.h5").string(), std::string("../x/other.h5"),
                                  std::string(".."), std::string("sub/other.h5")}) {
    SCOPED_TRACE(name);
    SetUp();
    forge(folder_ / "golden.h5", [&](H5::H5File& file) {
      std::string bytes("shard.h5");
      const std::size_t width = std::max(name.size(), bytes.size()) + 1;
      bytes.resize(width, '\0');
      bytes += name;
      bytes.resize(2 * width, '\0');
      replace("linked/file", text(width), {2},
              bytes_of(std::vector<char>(bytes.begin(), bytes.end())))(file);
    });
    expect_refused("no name of a file beside it");
  }
}

TEST_F(LinkedGolden, RefusesLinksThatItsListOfFilesDoesNotHave) {
  struct Link {
    std::string file;
    std::string path;
    std::string words;
  };
  const std::string absolute = (folder_ / "other.h5").string();
  for (const Link& link :
       std::vector<Link>{{"third.h5", "/cases/000000", "no case of a file that it lists"},
                         {absolute, "/cases/000000", "no case of a file that it lists"},
                         {"other.h5", "/cases", "no case of a file that it lists"},
                         {"other.h5", "/cases/000000/taps", "no case of a file that it lists"},
                         {"other.h5", "/cases/0", "no case of a file that it lists"},
                         {"other.h5", "/cases/000007", "group '000007' is missing"}}) {
    SCOPED_TRACE(link.file + link.path);
    SetUp();
    forge(folder_ / "golden.h5", [&](H5::H5File& file) {
      file.unlink("cases/000001");
      H5Lcreate_external(link.file.c_str(), link.path.c_str(), file.getId(), "cases/000001",
                         H5P_DEFAULT, H5P_DEFAULT);
    });
    expect_refused(link.words);
  }
}

TEST_F(LinkedGolden, RefusesOtherKindsOfLinks) {
  forge(folder_ / "golden.h5", [](H5::H5File& file) {
    file.unlink("cases/000001");
    H5Lcreate_soft("/model", file.getId(), "cases/000001", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused("case 000001 of a golden of links is no link to another file");
}

TEST_F(LinkedGolden, IsNotMadeOfGoldensOfLinks) {
  const GoldenReader inner(folder_ / "golden.h5");
  GoldenWriter writer(folder_ / "outer.h5", {});
  writer.link_case(inner, 0);
  writer.finish(inner.header());
  std::filesystem::remove(folder_ / "golden.h5");
  EXPECT_EQ(GoldenReader(folder_ / "outer.h5").cases()[0].name, "second")
      << "it links to where the case is, not to the link";
}

TEST_F(LinkedGolden, LinksOnlyToItsOwnFolder) {
  const ScratchFolder elsewhere;
  GoldenWriter writer(elsewhere / "golden.h5", {});
  const GoldenReader shard(folder_ / "shard.h5");
  try {
    writer.link_case(shard, 0);
    ADD_FAILURE() << "linked to another folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

TEST_F(LinkedGolden, HasNoCaseOfItsOwn) {
  const GoldenReader shard(folder_ / "shard.h5");
  GoldenWriter first(folder_ / "mixed.h5", {});
  first.copy_case(shard, 0);
  EXPECT_THROW(first.link_case(shard, 1), Error);
  GoldenWriter second(folder_ / "mixed.h5", {});
  second.link_case(shard, 0);
  EXPECT_THROW(second.copy_case(shard, 1), Error);
  GoldenWriter third(folder_ / "mixed.h5", {});
  third.link_case(shard, 0);
  EXPECT_THROW(third.begin_case("own", {}), Error);
}

}  // namespace
}  // namespace parity::golden_store
