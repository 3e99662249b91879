// Files with flipped, inserted, removed and repeated bytes: read or refused, never a crash or an
// endless loop.
#include <random>

#include <gtest/gtest.h>

#include "model/weights/file_kind.h"
#include "model/weights/file_writers.h"
#include "model/weights/pickle_reader.h"
#include "model/weights/safetensors.h"
#include "model/weights/state_dict_search.h"
#include "model/weights/torch_file.h"

namespace parity::model {
namespace {

using namespace testing;
namespace p = testing::pickled;

constexpr int kMutationsPerSeed = 1500;

std::string mutate(std::string bytes, std::mt19937_64& random) {
  const auto below = [&random](std::size_t limit) {
    return static_cast<std::size_t>(random() % limit);
  };
  for (std::size_t edits = 1 + below(4); edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      case 3:
        bytes.erase(at, 1 + below(4));
        break;
      case 4:
        bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(40)));
        break;
      default:
        bytes.replace(at, std::min<std::size_t>(4, bytes.size() - at), "\xff\xff\xff\x7f");
        break;
    }
  }
  return bytes;
}

std::string seed_object() {
  const std::string storage = p::storage("FloatStorage", "0", 6);
  return p::dict({{"w", p::tensor(storage, 0, {2, 3}, {3, 1})},
                  {"tied", p::tensor(storage, 2, {2, 2}, {1, 2})},
                  {"list", p::list({"K\x01", "N", "\x88", p::integers({1, 2, 3})})},
                  {"set", p::call(p::global("__builtin__", "set"), {p::list({"K\x01"})})},
                  {"bytes", p::call(p::global("_codecs", "encode"),
                                    {p::text("a\xc3\xbf"), p::text("latin1")})},
                  {"nested", p::dict({{"v", p::tensor(storage, 0, {6}, {1})}})},
                  {"args", p::global("argparse", "Namespace") + ")\x81}b"},
                  {"memo",
                   "K\x05q\x07"
                   "0h\x07"}});
}

/// Whatever the outcome, it is an answer or one parity::Error.
template <typename Body>
bool reads(const Body& body) {
  try {
    body();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void read_everything(const Checkpoint& checkpoint) {
  const StateDict weights = find_state_dict(*checkpoint.root, "", "file");
  static_cast<void>(digest_weights(weights));
}

TEST(MutatedFiles, ZipPicklesAreReadOrRefused) {
  std::mt19937_64 random(1);
  const std::string raw = floats({1, 2, 3, 4, 5, 6});
  int read = 0;
  for (int i = 0; i < kMutationsPerSeed; ++i) {
    const std::string archive =
        zip_of({{"m/data.pkl", mutate(p::program(seed_object()), random)}, {"m/data/0", raw}});
    read += reads(
        [&] { read_everything(read_torch_zip(ZipArchive(bytes_of(archive), "file"), "file")); });
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, kMutationsPerSeed);
}

TEST(MutatedFiles, ZipArchivesAreReadOrRefused) {
  std::mt19937_64 random(2);
  const std::string whole =
      zip_of({{"m/data.pkl", p::program(seed_object())}, {"m/data/0", floats({1, 2, 3, 4, 5, 6})}},
             Packing::deflated);
  int read = 0;
  for (int i = 0; i < kMutationsPerSeed; ++i) {
    read += reads([&] {
      read_everything(read_torch_zip(ZipArchive(bytes_of(mutate(whole, random)), "file"), "file"));
    });
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, kMutationsPerSeed);
}

TEST(MutatedFiles, LegacyFilesAreReadOrRefused) {
  std::mt19937_64 random(3);
  const std::string storage = p::tuple({p::text("storage"), p::global("torch", "FloatStorage"),
                                        p::text("0"), p::text("cpu"), p::integer(6),
                                        p::tuple({p::text("v"), p::integer(1), p::integer(4)})}) +
                              "Q";
  const std::string whole =
      "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03." +
      p::program("}") + p::program(p::dict({{"w", p::tensor(storage, 0, {2, 2}, {2, 1})}})) +
      p::program(p::list({p::text("0")})) + little(6, 8) + floats({1, 2, 3, 4, 5, 6});
  int read = 0;
  for (int i = 0; i < kMutationsPerSeed; ++i) {
    read += reads(
        [&] { read_everything(read_legacy_torch_file(bytes_of(mutate(whole, random)), "file")); });
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, kMutationsPerSeed);
}

TEST(MutatedFiles, SafetensorsAreReadOrRefused) {
  std::mt19937_64 random(4);
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"U8","shape":[4],"data_offsets":[24,28]}})";
  const std::string whole = little(header.size(), 8) + header + std::string(28, 'x');
  int read = 0;
  for (int i = 0; i < kMutationsPerSeed; ++i) {
    read += reads(
        [&] { static_cast<void>(read_safetensors(bytes_of(mutate(whole, random)), "file")); });
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, kMutationsPerSeed);
}

TEST(MutatedFiles, ProtocolZeroPicklesAreReadOrRefused) {
  std::mt19937_64 random(5);
  const std::string whole =
      "(dp0\nS'w'\np1\n(lp2\nI1\naL25L\naF1.5\naVx\\u00e9\nag1\nasS'k'\n(I1\nI2\ntp3\ns.";
  int read = 0;
  for (int i = 0; i < kMutationsPerSeed; ++i) {
    const FileBytes bytes = bytes_of(mutate(whole, random));
    PickleArena arena;
    read += reads([&] { static_cast<void>(read_pickle(bytes.bytes, 0, arena, nullptr, "file")); });
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, kMutationsPerSeed);
}

}  // namespace
}  // namespace parity::model
