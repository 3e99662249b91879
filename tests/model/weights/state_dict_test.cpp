// Reading state_dicts: both containers of torch.save, where in the file they are found, and what is
// refused.
#include "model/weights/state_dict.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"
#include "model/weights/strided_bytes.h"

namespace parity::model {
namespace {

using namespace testing;
namespace p = testing::pickled;

const std::vector<float> kValues = {1.5F, -2.0F, 3.25F, 0.0F, 5.0F, 6.5F};

std::string weight(const std::string& key = "0") {
  return p::tensor(p::storage("FloatStorage", key, 6), 0, {2, 3}, {3, 1});
}

std::string zip_file(const std::string& object, Packing packing = Packing::stored) {
  return zip_of({{"model/data.pkl", p::program(object)},
                 {"model/byteorder", "little"},
                 {"model/data/0", floats(kValues)},
                 {"model/version", "3\n"}},
                packing);
}

const std::string kMagic = std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.");
const std::string kProtocol = std::string("\x80\x02M\xe9\x03.");

std::string legacy_storage(const std::string& key, std::int32_t elements, const std::string& view) {
  return p::tuple({p::text("storage"), p::global("torch", "FloatStorage"), p::text(key),
                   p::text("cpu"), p::integer(elements), view}) +
         "Q";
}

std::string legacy_file(const std::string& object, const std::vector<std::string>& keys,
                        const std::string& raw) {
  std::vector<std::string> list;
  for (const std::string& key : keys) list.push_back(p::text(key));
  return kMagic + kProtocol + p::program(p::dict({{"little_endian", "\x88"}})) +
         p::program(object) + p::program(p::list(list)) + raw;
}

std::vector<float> values_of(const StoredTensor& tensor) {
  std::vector<float> values;
  for_each_piece(tensor, [&values](std::span<const std::byte> piece) {
    const std::size_t old = values.size();
    values.resize(old + piece.size() / sizeof(float));
    std::memcpy(values.data() + old, piece.data(), piece.size());
  });
  return values;
}

class StateDictTest : public ::testing::Test {
 protected:
  StateDict read(const std::string& content, const std::string& key = "") {
    return read_state_dict(folder_.write("weights.pt", content), key);
  }
  std::string refusal(const std::string& content, const std::string& key = "") {
    return error_of([&] { static_cast<void>(read(content, key)); });
  }
  TemporaryFolder folder_;
};

TEST_F(StateDictTest, ReadsBothContainersAndBothPackings) {
  const std::string object = p::dict({{"w", weight()}});
  const std::string legacy =
      legacy_file(p::dict({{"w", p::tensor(legacy_storage("7", 6, "N"), 0, {2, 3}, {3, 1})}}),
                  {"7"}, little(6, 8) + floats(kValues));
  const std::vector<std::pair<std::string, std::string>> files = {
      {"zip pickle", zip_file(object)},
      {"zip pickle", zip_file(object, Packing::deflated)},
      {"legacy pickle", legacy}};
  for (const auto& [format, content] : files) {
    const StateDict result = read(content);
    EXPECT_EQ(result.format, format);
    EXPECT_EQ(result.key, "");
    EXPECT_TRUE(result.notes.empty()) << result.notes.front();
    ASSERT_EQ(result.tensors.size(), 1U);
    EXPECT_EQ(result.tensors[0].name, "w");
    EXPECT_EQ(result.tensors[0].dtype, tensor::DType::float32);
    EXPECT_EQ(result.tensors[0].shape, (tensor::Shape{2, 3}));
    EXPECT_EQ(values_of(result.tensors[0]), kValues);
  }
}

TEST_F(StateDictTest, KeepsTheMappingAliveAfterTheFileIsGone) {
  std::vector<StoredTensor> tensors = read(zip_file(p::dict({{"w", weight()}}))).tensors;
  std::filesystem::remove(folder_.path("weights.pt"));
  EXPECT_EQ(values_of(tensors[0]), kValues);
}

TEST_F(StateDictTest, TiedTensorsShareTheirStorageAndStridesAreKept) {
  const std::string storage = p::storage("FloatStorage", "0", 6, "cuda:1");
  const StateDict result = read(zip_file(p::dict({{"embed", p::tensor(storage, 0, {2, 3}, {3, 1})},
                                                  {"head", p::tensor(storage, 0, {2, 3}, {3, 1})},
                                                  {"turned", p::tensor(storage, 0, {3, 2}, {1, 3})},
                                                  {"row", p::tensor(storage, 3, {3}, {1})}})));
  ASSERT_EQ(result.tensors.size(), 4U);
  EXPECT_EQ(result.tensors[0].storage.data(), result.tensors[1].storage.data());
  EXPECT_EQ(result.tensors[2].strides, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(values_of(result.tensors[2]),
            (std::vector<float>{1.5F, 0.0F, -2.0F, 5.0F, 3.25F, 6.5F}));
  EXPECT_EQ(values_of(result.tensors[3]), (std::vector<float>{0.0F, 5.0F, 6.5F}));
  EXPECT_EQ(result.tensors[3].storage.size(), 12U);
}

TEST_F(StateDictTest, LegacyViewsLookIntoTheirRootStorage) {
  const auto view = [](const std::string& key, std::int32_t offset, std::int32_t size) {
    return legacy_storage("root", 6,
                          p::tuple({p::text(key), p::integer(offset), p::integer(size)}));
  };
  const StateDict result =
      read(legacy_file(p::dict({{"a", p::tensor(view("v1", 0, 2), 0, {2}, {1})},
                                {"b", p::tensor(view("v2", 2, 4), 1, {3}, {1})}}),
                       {"root"}, little(6, 8) + floats(kValues)));
  EXPECT_EQ(values_of(result.tensors[0]), (std::vector<float>{1.5F, -2.0F}));
  EXPECT_EQ(values_of(result.tensors[1]), (std::vector<float>{0.0F, 5.0F, 6.5F}));
}

TEST_F(StateDictTest, FindsTheOnlyStateDictWhereverItIs) {
  const std::string dict = p::dict({{"w", weight()}});
  const std::string optimizer = p::dict(
      {{"state", p::dict({{"0", p::dict({{"exp_avg", weight()}})}})}, {"param_groups", "]"}});
  struct Row {
    const char* what;
    std::string object;
    const char* key;
  };
  const std::vector<Row> rows = {
      {"top level", dict, ""},
      {"under a key", p::dict({{"epoch", "K\x03"}, {"state_dict", dict}}), "state_dict"},
      {"two levels down", p::dict({{"a", p::dict({{"b.c", dict}})}}), "a.b.c"},
      {"in a list", p::list({"K\x01", dict}), "1"},
      {"beside an optimizer by name",
       p::dict({{"model", dict}, {"optimizer_state_dict", p::dict({{"exp_avg", weight()}})}}),
       "model"},
      {"beside an optimizer by its form", p::dict({{"model", dict}, {"opt", optimizer}}), "model"},
      {"beside a loose tensor", p::dict({{"rng_state", weight()}, {"model", dict}}), "model"},
  };
  for (const Row& row : rows) {
    const StateDict result = read(zip_file(row.object));
    EXPECT_EQ(result.key, row.key) << row.what;
    ASSERT_EQ(result.tensors.size(), 1U) << row.what;
    EXPECT_EQ(result.tensors[0].name, "w") << row.what;
    if (*row.key != '\0') {
      EXPECT_EQ(read(zip_file(row.object), row.key).tensors.size(), 1U) << row.what;
    }
  }
}

TEST_F(StateDictTest, AsksForAKeyWhenThereAreSeveral) {
  const std::string two = p::dict({{"model", p::dict({{"w", weight()}})},
                                   {"ema", p::dict({{"w", weight()}, {"v", weight()}})}});
  const std::string message = refusal(zip_file(two));
  EXPECT_NE(message.find("holds 2 state_dicts (model, ema)"), std::string::npos) << message;
  EXPECT_NE(message.find("--state-key"), std::string::npos) << message;
  EXPECT_EQ(read(zip_file(two), "ema").tensors.size(), 2U);
}

TEST_F(StateDictTest, TheTopLevelCanBeChosenByADot) {
  const std::string mixed = p::dict({{"w", weight()}, {"layer", p::dict({{"v", weight()}})}});
  const StateDict found = read(zip_file(mixed));
  EXPECT_EQ(found.key, "layer");
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "left out tensors outside `layer`: w");
  const StateDict top = read(zip_file(mixed), ".");
  ASSERT_EQ(top.tensors.size(), 1U);
  EXPECT_EQ(top.tensors[0].name, "w");
}

TEST_F(StateDictTest, NotesEntriesThatAreNoTensors) {
  const StateDict result =
      read(zip_file(p::dict({{"w", weight()}, {"epoch", "K\x03"}, {"name", p::text("x")}})));
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0], "ignored 2 entries that are no tensors: epoch, name");
}

TEST_F(StateDictTest, RefusesInOneSentence) {
  const std::string dict = p::dict({{"w", weight()}});
  const std::string tensor = p::tensor(legacy_storage("7", 6, "N"), 0, {2, 3}, {3, 1});
  const std::string raw = little(6, 8) + floats(kValues);
  const std::string outside_view =
      legacy_storage("root", 6, p::tuple({p::text("v"), p::integer(4), p::integer(3)}));
  struct Row {
    const char* what;
    std::string content;
    const char* key;
    const char* words;
  };
  const std::vector<Row> rows = {
      {"unknown key", zip_file(dict), "model", "has no `model` inside (its top level holds w)"},
      {"key of a tensor", zip_file(dict), "w", "holds a tensor at `w`, not a state_dict"},
      {"lone tensor", zip_file(weight()), "", "holds no state_dict (its top level is a tensor)"},
      {"empty dict", zip_file("}"), "", "holds no state_dict (its top level is a dict)"},
      {"sparse weight",
       zip_file(p::dict(
           {{"fc.weight", p::call(p::global("torch._utils", "_rebuild_sparse_tensor"), {})}})),
       "", "the tensor `fc.weight`"},
      {"code", zip_file(p::call(p::global("os", "system"), {p::text("true")})), "",
       "wants to run `os.system`"},
      {"missing storage", zip_file(p::dict({{"w", weight("5")}})), "",
       "the storage `5` is missing"},
      {"short storage",
       zip_file(p::dict({{"w", p::tensor(p::storage("FloatStorage", "0", 7), 0, {7}, {1})}})), "",
       "has 24 bytes where 28 are announced"},
      {"storage of 2^63 bytes",
       zip_file(p::dict(
           {{"w",
             p::tensor(p::tuple({p::text("storage"), p::global("torch", "FloatStorage"),
                                 p::text("0"), p::text("cpu"),
                                 std::string("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", 10)}) +
                           "Q",
                       0, {7}, {1})}})),
       "", "a storage claims"},
      {"big-endian", zip_of({{"m/data.pkl", p::program(dict)}, {"m/byteorder", "big"}}), "",
       "big-endian"},
      {"damaged pickle", zip_of({{"m/data.pkl", "\x80\x02}"}, {"m/data/0", ""}}), "",
       "damaged pickle"},
      {"TorchScript",
       zip_of({{"m/data.pkl", "N."}, {"m/constants.pkl", "N."}, {"m/code/a.py", ""}}), "",
       "is a TorchScript archive, not a state_dict"},
      {"legacy protocol", kMagic + "\x80\x02K\x05.", "", "unknown protocol version"},
      {"legacy, storage cut off", legacy_file(p::dict({{"w", tensor}}), {"7"}, raw.substr(0, 20)),
       "", "ends inside the storage `7`"},
      {"legacy, storage left out", legacy_file(p::dict({{"w", tensor}}), {}, ""), "",
       "the storage `7` is missing"},
      {"legacy, storage of nothing", legacy_file(p::dict({{"w", tensor}}), {"8"}, raw), "",
       "belongs to nothing"},
      {"legacy, two sizes",
       legacy_file(p::dict({{"w", tensor}}), {"7"}, little(5, 8) + floats(kValues)), "",
       "announced with two sizes"},
      {"legacy, view outside",
       legacy_file(p::dict({{"w", p::tensor(outside_view, 0, {1}, {1})}}), {"root"}, raw), "",
       "a view reaches past the end"},
      {"legacy, ends after the magic number", kMagic, "", "damaged pickle"},
  };
  for (const Row& row : rows) {
    const std::string message = refusal(row.content, row.key);
    EXPECT_NE(message.find(row.words), std::string::npos) << row.what << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << row.what;
  }
}

TEST_F(StateDictTest, QuotesForeignNamesInOnePrintableLine) {
  const std::string name = "a\n\x1b[31m" + std::string(100000, 'x');
  const std::string message = refusal(zip_file(p::dict({{"w", weight()}, {"v", "N"}})), name);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  const std::string evil = p::text("my\nmodule") + p::text("\x1b[31mThing") + "\x93)R";
  const std::string refused = refusal(zip_file(p::dict({{"w", evil}})));
  EXPECT_NE(refused.find("wants to run `my?module.?[31mThing`"), std::string::npos) << refused;
  const StateDict noted = read(
      zip_file("}(" + p::text("w") + weight() + p::text("odd\n" + std::string(3000, 'y')) + "Nu"));
  ASSERT_EQ(noted.notes.size(), 1U);
  EXPECT_EQ(noted.notes[0].find('\n'), std::string::npos);
  EXPECT_LE(noted.notes[0].size(), 1300U);
}

TEST_F(StateDictTest, RefusesWhatIsNoRegularFile) {
  EXPECT_NE(error_of([&] {
              static_cast<void>(read_state_dict(folder_.path("none.pt"), ""));
            }).find("cannot open"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              static_cast<void>(read_state_dict(folder_.path(""), ""));
            }).find("is a folder"),
            std::string::npos);
}

TEST_F(StateDictTest, DigestsRowMajorBytesSortedByName) {
  const std::string storage = p::storage("FloatStorage", "0", 6);
  const std::string contiguous = p::storage("FloatStorage", "0", 6);
  const StateDict weights =
      read(zip_file(p::dict({{"z", p::tensor(storage, 0, {2, 3}, {3, 1})},
                             {"turned", p::tensor(storage, 0, {3, 2}, {1, 3})},
                             {"a", p::tensor(contiguous, 0, {0, 4}, {4, 1})}})));
  const std::vector<run::WeightDigest> digests = digest_weights(weights);
  ASSERT_EQ(digests.size(), 3U);
  EXPECT_EQ(digests[0].name, "a");
  EXPECT_EQ(digests[1].name, "turned");
  EXPECT_EQ(digests[2].name, "z");
  EXPECT_EQ(digests[0].digest, tensor::digest_of({}));
  EXPECT_EQ(digests[2].digest, tensor::digest_of(std::as_bytes(std::span(kValues))));
  const std::vector<float> turned = {1.5F, 0.0F, -2.0F, 5.0F, 3.25F, 6.5F};
  EXPECT_EQ(digests[1].digest, tensor::digest_of(std::as_bytes(std::span(turned))));
}

TEST(StridedBytes, CopiesLargeTensorsInPiecesOfBoundedSize) {
  constexpr std::int64_t kRows = 700;
  constexpr std::int64_t kColumns = 900;
  std::vector<float> stored(kRows * kColumns);
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<float>(i);
  StoredTensor tensor{"t",
                      tensor::DType::float32,
                      {kRows, 1, kColumns},
                      {1, 77, kRows},
                      std::as_bytes(std::span(stored)),
                      nullptr};
  EXPECT_FALSE(is_row_major(tensor));
  std::size_t largest = 0;
  for_each_piece(
      tensor, [&](std::span<const std::byte> piece) { largest = std::max(largest, piece.size()); });
  EXPECT_LE(largest, std::size_t{1} << 20U);
  const std::vector<float> values = values_of(tensor);
  ASSERT_EQ(values.size(), stored.size());
  for (std::int64_t row = 0; row < kRows; row += 13) {
    for (std::int64_t column = 0; column < kColumns; column += 7) {
      ASSERT_EQ(values[static_cast<std::size_t>(row * kColumns + column)],
                stored[static_cast<std::size_t>(row + column * kRows)])
          << "at " << row << "," << column;
    }
  }
}

}  // namespace
}  // namespace parity::model
