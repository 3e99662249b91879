// The zip directory reader, on archives that another library wrote and on damaged ones.
#include "model/weights/zip_archive.h"

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;

std::string read_text(const ZipArchive& archive, const std::string& name) {
  const std::optional<FileBytes> record = archive.read(name);
  return record ? std::string(as_text(record->bytes)) : "<none>";
}

TEST(ZipArchive, HandsOutStoredRecordsInPlace) {
  const FileBytes file =
      bytes_of(zip_of({{"top/a", "alpha"}, {"top/empty", ""}, {"top/b", "beta"}}));
  const ZipArchive archive(file, "file");
  EXPECT_EQ(read_text(archive, "top/a"), "alpha");
  EXPECT_EQ(read_text(archive, "top/b"), "beta");
  EXPECT_EQ(read_text(archive, "top/empty"), "");
  EXPECT_EQ(read_text(archive, "top/c"), "<none>");
  EXPECT_EQ(archive.top_folder(), "top");
  const std::byte* inside = archive.read("top/a")->bytes.data();
  EXPECT_GE(inside, file.bytes.data());
  EXPECT_LT(inside, file.bytes.data() + file.bytes.size());
}

TEST(ZipArchive, InflatesDeflatedRecords) {
  const std::string text(100000, 'x');
  const ZipArchive archive(bytes_of(zip_of({{"a", text}, {"b", "short"}}, Packing::deflated)),
                           "file");
  ASSERT_EQ(archive.entries().front().method, 8);
  EXPECT_EQ(read_text(archive, "a"), text);
  EXPECT_EQ(read_text(archive, "b"), "short");
}

/// One stored record whose directory entry keeps sizes and offset in the ZIP64 field, and a ZIP64
/// end record.
std::string zip64_of(const std::string& name, const std::string& content) {
  std::string file = little(0x04034b50, 4) + little(45, 2) + little(0, 2) + little(0, 2) +
                     little(0, 8) + little(0xffffffff, 4) + little(0xffffffff, 4) +
                     little(name.size(), 2) + little(20, 2) + name + little(1, 2) + little(16, 2) +
                     little(content.size(), 8) + little(content.size(), 8) + content;
  const std::size_t directory = file.size();
  file += little(0x02014b50, 4) + little(45, 2) + little(45, 2) + little(0, 2) + little(0, 2) +
          little(0, 8) + little(0xffffffff, 4) + little(0xffffffff, 4) + little(name.size(), 2) +
          little(28, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
          little(0xffffffff, 4) + name + little(1, 2) + little(24, 2) + little(content.size(), 8) +
          little(content.size(), 8) + little(0, 8);
  const std::size_t end = file.size();
  file += little(0x06064b50, 4) + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
          little(1, 8) + little(1, 8) + little(end - directory, 8) + little(directory, 8);
  file += little(0x07064b50, 4) + little(0, 4) + little(end, 8) + little(1, 4);
  file += little(0x06054b50, 4) + little(0, 4) + little(0xffff, 2) + little(0xffff, 2) +
          little(0xffffffff, 4) + little(0xffffffff, 4) + little(0, 2);
  return file;
}

TEST(ZipArchive, ReadsZip64) {
  const ZipArchive archive(bytes_of(zip64_of("a/data.pkl", "content")), "file");
  EXPECT_EQ(read_text(archive, "a/data.pkl"), "content");
}

TEST(ZipArchive, RefusesZip64ThatPointsOutside) {
  std::string file = zip64_of("a", "content");
  const std::size_t locator = file.size() - 22 - 20;
  file.replace(locator + 8, 8, little(std::uint64_t{1} << 63U, 8));
  const std::string message = error_of([&] { const ZipArchive archive(bytes_of(file), "file"); });
  EXPECT_NE(message.find("ZIP64"), std::string::npos) << message;
}

TEST(ZipArchive, RefusesEveryCutInOneSentence) {
  const std::string whole = zip_of({{"top/a", "alpha"}, {"top/b", "beta"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message =
        error_of([&] { const ZipArchive archive(bytes_of(whole.substr(0, size)), "file"); });
    ASSERT_NE(message.find("file is a damaged zip file"), std::string::npos) << "cut at " << size;
  }
}

TEST(ZipArchive, RefusesTwoRecordsOfOneName) {
  std::string file = zip_of({{"top/a", "alpha"}, {"top/b", "beta"}});
  const std::size_t second = file.rfind("top/b");
  file.replace(second, 5, "top/a");
  const std::string message = error_of([&] { const ZipArchive archive(bytes_of(file), "file"); });
  EXPECT_NE(message.find("two records named `top/a`"), std::string::npos) << message;
}

TEST(ZipArchive, RefusesRecordsThatLieAboutTheirSize) {
  const std::string whole = zip_of({{"a", std::string(1000, 'x')}}, Packing::deflated);
  const std::size_t entry = whole.rfind("PK\x01\x02");
  std::string large = whole;
  large.replace(entry + 24, 4, little(0xfffffff0, 4));
  const ZipArchive liar(bytes_of(large), "file");
  EXPECT_NE(error_of([&] { static_cast<void>(liar.read("a")); }).find("claims more bytes"),
            std::string::npos);
  std::string small = whole;
  small.replace(entry + 24, 4, little(10, 4));
  const ZipArchive shrunk(bytes_of(small), "file");
  EXPECT_NE(error_of([&] { static_cast<void>(shrunk.read("a")); }), "");
}

TEST(ZipArchive, RefusesRecordsThatShareTheirPackedBytes) {
  // 40 names for one megabyte that is packed into about a thousand bytes.
  Records records;
  for (int i = 10; i < 50; ++i) {
    records.emplace_back("name" + std::to_string(i), i == 10 ? std::string(1 << 20, 'x') : "y");
  }
  std::string file = zip_of(records, Packing::deflated);
  const std::size_t directory = file.find("PK\x01\x02");
  const std::string first = file.substr(directory, 46);
  for (std::size_t at = directory; at != std::string::npos; at = file.find("PK\x01\x02", at + 1)) {
    file.replace(at, 28, first.substr(0, 28));      // method, checksum and sizes
    file.replace(at + 42, 4, first.substr(42, 4));  // where the packed bytes lie
  }
  const ZipArchive archive(bytes_of(file), "file");
  const std::string message = error_of([&] {
    for (const auto& [name, content] : records) static_cast<void>(archive.read(name));
  });
  EXPECT_NE(message.find("its records claim more bytes"), std::string::npos) << message;
}

TEST(ZipArchive, RefusesDamagedDeflatedContent) {
  std::string content;
  for (int i = 0; i < 2000; ++i) content += static_cast<char>(i * 7 % 251);
  std::string file = zip_of({{"a", content}}, Packing::deflated);
  file[60] = static_cast<char>(file[60] ^ 0x10);
  const ZipArchive archive(bytes_of(file), "file");
  EXPECT_NE(error_of([&] { static_cast<void>(archive.read("a")); }).find("record `a`"),
            std::string::npos);
}

TEST(ZipArchive, RefusesEncryptedAndUnknownMethods) {
  const std::string whole = zip_of({{"a", "alpha"}});
  const std::size_t entry = whole.rfind("PK\x01\x02");
  std::string locked = whole;
  locked[entry + 8] = static_cast<char>(locked[entry + 8] | 1);
  const ZipArchive encrypted(bytes_of(locked), "file");
  EXPECT_NE(error_of([&] { static_cast<void>(encrypted.read("a")); }).find("encrypted"),
            std::string::npos);
  std::string lzma = whole;
  lzma[entry + 10] = 14;
  const ZipArchive packed(bytes_of(lzma), "file");
  EXPECT_NE(error_of([&] { static_cast<void>(packed.read("a")); }).find("method 14"),
            std::string::npos);
}

}  // namespace
}  // namespace parity::model
