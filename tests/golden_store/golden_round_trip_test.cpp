// What is written comes back bit for bit: values, names, inputs, header. Equal recordings give
// equal files.
#include <atomic>
#include <bit>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "golden_store/sample_golden.h"
#include "golden_store/scratch_folder.h"

namespace parity::golden_store {
namespace {

using run::TapKind;
using tensor::DType;
using tensor::Shape;
using tensor::Value;
using namespace testing;
using namespace std::string_literals;

void expect_same_tap(const GoldenReader& reader, const SampleTap& tap, std::size_t case_index,
                     std::size_t index) {
  const run::TapRecord& record = reader.cases().at(case_index).taps.at(index);
  const std::string name = run::to_string(tap.record.id);
  EXPECT_EQ(record.id, tap.record.id) << name;
  EXPECT_EQ(record.dtype, tap.record.dtype) << name;
  EXPECT_EQ(record.shape, tap.record.shape) << name;
  EXPECT_EQ(record.digest, tap.record.digest) << name;
  EXPECT_EQ(record.mode, tap.record.mode) << name;
  EXPECT_EQ(record.rows, tap.record.rows) << name;
  EXPECT_EQ(record.role, tap.record.role) << name;
  const tensor::HostTensor values = reader.read_tap(case_index, index);
  EXPECT_EQ(values.dtype(), tap.record.dtype) << name;
  EXPECT_EQ(values.shape(), run::stored_shape(tap.record)) << name;
  EXPECT_TRUE(std::equal(values.bytes().begin(), values.bytes().end(), tap.stored.begin(),
                         tap.stored.end()))
      << name;
}

void expect_round_trip(const SampleGolden& golden, const WriteOptions& options) {
  const ScratchFolder folder;
  write_sample(folder / "golden.h5", golden, options);
  const GoldenReader reader(folder / "golden.h5");
  ASSERT_EQ(reader.cases().size(), golden.cases.size());
  for (std::size_t c = 0; c < golden.cases.size(); ++c) {
    EXPECT_EQ(reader.cases()[c].name, golden.cases[c].name);
    EXPECT_EQ(reader.cases()[c].notes, golden.cases[c].notes);
    ASSERT_EQ(reader.cases()[c].taps.size(), golden.cases[c].taps.size());
    for (std::size_t t = 0; t < golden.cases[c].taps.size(); ++t) {
      expect_same_tap(reader, golden.cases[c].taps[t], c, t);
    }
  }
}

TEST(GoldenRoundTrip, KeepsEveryBitOfEveryDTypeAndShape) {
  const std::vector<Shape> shapes = {
      {}, {0}, {1}, {0, 5}, {3, 0, 2}, {7}, {3, 5}, {2, 1, 3, 1, 2}, {513, 33}, Shape(32, 1)};
  const std::vector<std::optional<run::Compression>> compressions = {
      std::nullopt, run::Compression{run::Packer::gzip, 1}, run::Compression{run::Packer::gzip, 9},
      run::Compression{run::Packer::zstd, 1},
      run::Compression{run::Packer::zstd, run::kMostZstdLevel}};
  for (const std::optional<run::Compression>& compression : compressions) {
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(tensor::to_string(shape) + ", compression " +
                   (compression ? run::to_string(*compression) : "none"));
      expect_round_trip(golden_of_every_dtype(shape), {compression});
    }
  }
}

TEST(GoldenRoundTrip, KeepsTapsThatAreCutIntoManyCompressedPieces) {
  SampleGolden golden = small_golden();
  golden.cases[0].taps.push_back(random_tap(module_id("wide"), DType::float32, {3, 700'001}, 1));
  golden.cases[0].taps.push_back(random_tap(module_id("deep"), DType::float64, {300, 7, 301}, 2));
  golden.cases[0].taps.push_back(full_tap(module_id("zeros"), DType::float32, {1000, 1000},
                                          std::vector<std::byte>(4'000'000, std::byte{0})));
  for (const run::Packer packer : {run::Packer::gzip, run::Packer::zstd})
    expect_round_trip(golden, {run::Compression{packer, 1}});
}

TEST(GoldenRoundTrip, KeepsNamesThatPathsCannotHold) {
  const std::vector<std::string> odd = {"",          "/",
                                        ".",         "..",
                                        "a/b",       "a/b/",
                                        "/a",        "a//b",
                                        "a%2Fb",     "a\\b",
                                        " a ",       "a\nb",
                                        "taps",      "000000",
                                        "\"",        "a#1",
                                        "ключ.层.é", "e\u0301.\u00e9",
                                        "\xff\xfe",  std::string("a\0b", 3),
                                        "<output>"};
  SampleGolden golden = small_golden();
  golden.cases.clear();
  for (std::size_t i = 0; i < odd.size(); ++i) {
    SampleCase sample;
    sample.name = odd[i].empty() ? "empty" : odd[i];
    for (const std::string& name : odd) {
      sample.taps.push_back(random_tap({TapKind::module, name, "", 0, ""}, DType::float32, {2}, i));
      sample.taps.push_back(
          random_tap({TapKind::op, odd[i], name, 1, "0"}, DType::float32, {2}, i));
      sample.taps.push_back(
          random_tap({TapKind::output, "<output>", "", 0, name}, DType::float32, {2}, i));
    }
    sample.notes = odd;
    golden.cases.push_back(std::move(sample));
  }
  expect_round_trip(golden, {});
}

TEST(GoldenRoundTrip, TellsApartTapsWhosePrintedNamesCollide) {
  SampleGolden golden = small_golden();
  golden.cases[0].taps = {
      random_tap({TapKind::module, "a#1", "", 0, ""}, DType::float32, {2}, 1),
      random_tap({TapKind::module, "a", "", 1, ""}, DType::float32, {2}, 2),
      random_tap({TapKind::module, "a/b", "", 0, ""}, DType::float32, {2}, 3),
      random_tap({TapKind::op, "a", "b", 0, ""}, DType::float32, {2}, 4),
      random_tap({TapKind::module, "a:0", "", 0, ""}, DType::float32, {2}, 5),
      random_tap({TapKind::module, "a", "", 0, "0"}, DType::float32, {2}, 6),
  };
  expect_round_trip(golden, {});
}

TEST(GoldenRoundTrip, HoldsFiveThousandTapsWithLongNames) {
  SampleGolden golden = small_golden();
  std::vector<SampleTap>& taps = golden.cases[0].taps;
  taps.clear();
  for (int i = 0; i < 5000; ++i) {
    const std::string name =
        "transformer.decoder.layers." + std::to_string(i) + std::string(60, 'x');
    taps.push_back(
        random_tap(module_id(name), DType::float32, {2, 3}, static_cast<std::uint64_t>(i)));
  }
  expect_round_trip(golden, {});
}

TEST(GoldenRoundTrip, KeepsRowsAndDigestsWithoutTheOtherValues) {
  const std::vector<std::byte> all = sample_bytes(6 * 4 * 2, 3);
  SampleTap rows;
  rows.record = {module_id("rows"),    DType::bfloat16, {2, 3, 4},        tensor::digest_of(all),
                 run::StoreMode::rows, {0, 2, 5},       run::Role::logits};
  rows.stored = sample_bytes(3 * 4 * 2, 4);
  SampleTap digest;
  digest.record = {module_id("digest"),    DType::bfloat16,        {2, 3, 4},
                   tensor::digest_of(all), run::StoreMode::digest, {},
                   run::Role::activation};
  SampleTap no_rows;
  no_rows.record = {module_id("no rows"),  DType::float32,       {0, 4},
                    tensor::digest_of({}), run::StoreMode::rows, {},
                    run::Role::activation};
  SampleGolden golden = small_golden();
  golden.cases[0].taps = {rows, digest, no_rows, rows};
  golden.cases[0].taps[3].record.id.call = 1;
  expect_round_trip(golden, {});
  expect_round_trip(golden, gzipped(5));
}

TEST(GoldenRoundTrip, KeepsHeaderAndSkippedTaps) {
  const ScratchFolder folder;
  SampleGolden golden = small_golden();
  golden.header.provenance.set("run.note", "");
  golden.header.provenance.set("", "no key");
  golden.header.notes = {"first", "", "third\nwith two lines"};
  golden.cases[0].skipped = {{{TapKind::module, "enc", "", 2, "1.x"}, "a str"},
                             {{TapKind::op, "enc", "aten.mul", 0, ""}, ""}};
  write_sample(folder / "golden.h5", golden);
  const GoldenReader reader(folder / "golden.h5");
  EXPECT_EQ(reader.path(), folder / "golden.h5");
  EXPECT_EQ(reader.header().model.file_name, "model.pt");
  EXPECT_EQ(reader.header().model.kind, "decoder:llama");
  EXPECT_EQ(reader.header().model.parameter_count, 12U);
  EXPECT_EQ(reader.header().model.weights, golden.header.model.weights);
  EXPECT_EQ(reader.header().model.all_weights, golden.header.model.all_weights);
  EXPECT_EQ(reader.header().provenance.facts(), golden.header.provenance.facts());
  EXPECT_EQ(reader.header().notes, golden.header.notes);
  ASSERT_EQ(reader.cases()[0].skipped.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(reader.cases()[0].skipped[i].id, golden.cases[0].skipped[i].id);
    EXPECT_EQ(reader.cases()[0].skipped[i].reason, golden.cases[0].skipped[i].reason);
  }
}

/// Same kinds, same bits, same order of keys.
void expect_same_value(const Value& written, const Value& read, const std::string& where) {
  ASSERT_EQ(tensor::kind_name(written), tensor::kind_name(read)) << where;
  const auto expect_items = [&](const std::vector<Value>& left, const std::vector<Value>& right) {
    ASSERT_EQ(left.size(), right.size()) << where;
    for (std::size_t i = 0; i < left.size(); ++i)
      expect_same_value(left[i], right[i], where + "." + std::to_string(i));
  };
  if (const auto* tensor = std::get_if<tensor::HostTensor>(&written.data)) {
    const auto& other = std::get<tensor::HostTensor>(read.data);
    EXPECT_EQ(tensor->dtype(), other.dtype()) << where;
    EXPECT_EQ(tensor->shape(), other.shape()) << where;
    EXPECT_TRUE(std::equal(tensor->bytes().begin(), tensor->bytes().end(), other.bytes().begin(),
                           other.bytes().end()));
  } else if (const auto* real = std::get_if<double>(&written.data)) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*real),
              std::bit_cast<std::uint64_t>(std::get<double>(read.data)))
        << where;
  } else if (const auto* list = std::get_if<tensor::ValueList>(&written.data)) {
    expect_items(list->items, std::get<tensor::ValueList>(read.data).items);
  } else if (const auto* tuple = std::get_if<tensor::ValueTuple>(&written.data)) {
    expect_items(tuple->items, std::get<tensor::ValueTuple>(read.data).items);
  } else if (const auto* dict = std::get_if<tensor::ValueDict>(&written.data)) {
    const auto& other = std::get<tensor::ValueDict>(read.data);
    ASSERT_EQ(dict->items.size(), other.items.size()) << where;
    for (std::size_t i = 0; i < dict->items.size(); ++i) {
      EXPECT_EQ(dict->items[i].first, other.items[i].first) << where;
      expect_same_value(dict->items[i].second, other.items[i].second,
                        where + "[" + dict->items[i].first + "]");
    }
  } else if (const auto* integer = std::get_if<std::int64_t>(&written.data)) {
    EXPECT_EQ(*integer, std::get<std::int64_t>(read.data)) << where;
  } else if (const auto* text = std::get_if<std::string>(&written.data)) {
    EXPECT_EQ(*text, std::get<std::string>(read.data)) << where;
  } else if (const auto* flag = std::get_if<bool>(&written.data)) {
    EXPECT_EQ(*flag, std::get<bool>(read.data)) << where;
  }
}

Value nested_inputs() {
  const auto tensor_of = [](DType dtype, const Shape& shape) {
    const std::size_t size = tensor::element_count(shape) * tensor::size_bytes(dtype);
    return Value{tensor::HostTensor(dtype, shape, sample_bytes(size, size + 1))};
  };
  tensor::ValueDict dict;
  dict.items = {{"z", tensor_of(DType::float16, {2, 3})},
                {"a/b", {std::int64_t{(std::int64_t{1} << 53) + 1}}},
                {"", {std::numeric_limits<std::int64_t>::min()}},
                {"nan", {std::bit_cast<double>(0x7ff4'dead'beef'0001U)}},
                {"inf", {-std::numeric_limits<double>::infinity()}},
                {"-0", {-0.0}},
                {"tiny", {std::numeric_limits<double>::denorm_min()}},
                {"text", {"prompt with \0 zero bytes and \xff\0\0"s}},
                {"no text", {std::string()}}};
  const Value empty_list{tensor::ValueList{}};
  const Value tuple{
      tensor::ValueTuple{{Value{}, Value{true}, Value{false}, Value{tensor::ValueTuple{}},
                          empty_list, Value{tensor::ValueDict{}}, tensor_of(DType::bfloat16, {}),
                          tensor_of(DType::int64, {0, 5})}}};
  return {
      tensor::ValueList{{Value{dict}, tuple, tensor_of(DType::complex64, {400, 3}), empty_list}}};
}

TEST(GoldenRoundTrip, KeepsInputsOfEveryKindExactly) {
  for (const WriteOptions& options : {WriteOptions{}, gzipped(4)}) {
    for (const Value& inputs :
         {nested_inputs(), Value{}, Value{std::int64_t{16000}}, Value{tensor::ValueTuple{}}}) {
      const ScratchFolder folder;
      SampleGolden golden = small_golden();
      golden.cases[0].inputs = inputs;
      write_sample(folder / "golden.h5", golden, options);
      expect_same_value(inputs, GoldenReader(folder / "golden.h5").read_inputs(0), "inputs");
    }
  }
}

TEST(GoldenRoundTrip, GivesEqualFilesForEqualRecordings) {
  const ScratchFolder folder;
  for (const WriteOptions& options : {WriteOptions{}, gzipped(6)}) {
    SampleGolden golden = golden_of_every_dtype({1001, 37});
    golden.cases[0].inputs = nested_inputs();
    golden.cases.push_back(small_golden().cases[0]);
    golden.cases.back().name = "second";
    write_sample(folder / "first.h5", golden, options);
    ::usleep(1'100'000);  // a time inside would differ by a second
    write_sample(folder / "second.h5", golden, options);
    EXPECT_TRUE(file_bytes(folder / "first.h5") == file_bytes(folder / "second.h5"));
  }
}

TEST(GoldenRoundTrip, CompressesWhatCanBeCompressed) {
  const ScratchFolder folder;
  SampleGolden golden = small_golden();
  golden.cases[0].taps.push_back(full_tap(module_id("zeros"), DType::float32, {1000, 1000},
                                          std::vector<std::byte>(4'000'000, std::byte{0})));
  write_sample(folder / "plain.h5", golden, {});
  write_sample(folder / "packed.h5", golden, gzipped(1));
  EXPECT_GT(std::filesystem::file_size(folder / "plain.h5"), 4'000'000U);
  EXPECT_LT(std::filesystem::file_size(folder / "packed.h5"), 200'000U);
}

TEST(GoldenRoundTrip, ReadsAndWritesFromSeveralThreads) {
  const ScratchFolder folder;
  write_sample(folder / "shared.h5", golden_of_every_dtype({40, 50}), gzipped(1));
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      try {
        for (int round = 0; round < 5; ++round) {
          const GoldenReader reader(folder / "shared.h5");
          write_sample(folder / (std::to_string(i) + ".h5"), golden_of_every_dtype({30}));
          for (std::size_t t = 0; t < reader.cases()[0].taps.size(); ++t)
            static_cast<void>(reader.read_tap(0, t));
        }
      } catch (const std::exception&) {
        ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

// In order, taps this large are read ahead; backwards, none is.
TEST(GoldenRoundTrip, ReadsLargeTapsInAnyOrder) {
  const ScratchFolder folder;
  SampleGolden golden = small_golden();
  std::vector<SampleTap>& taps = golden.cases.front().taps;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto rows = static_cast<std::int64_t>(100 + 90 * seed);
    taps.push_back(random_tap(module_id("large." + std::to_string(seed)), tensor::DType::float32,
                              {rows, 1024}, seed));
  }
  write_sample(folder / "golden.h5", golden);
  const GoldenReader reader(folder / "golden.h5");
  const auto expect_stored = [&](std::size_t tap) {
    const tensor::HostTensor read = reader.read_tap(0, tap);
    EXPECT_EQ(std::vector<std::byte>(read.bytes().begin(), read.bytes().end()), taps[tap].stored)
        << tap;
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t tap = 0; tap < taps.size(); ++tap) expect_stored(tap);
  }
  for (std::size_t tap = taps.size(); tap-- > 0;) expect_stored(tap);
  for (const std::size_t tap : {0, 5, 6, 7, 3, 4, 5}) expect_stored(tap);
}

TEST(GoldenRoundTrip, ReadsTwoGoldensAtATimeAndMovesReaders) {
  const ScratchFolder folder;
  write_sample(folder / "one.h5", small_golden());
  write_sample(folder / "two.h5", golden_of_every_dtype({4}));
  GoldenReader first(folder / "one.h5");
  GoldenReader second(folder / "two.h5");
  EXPECT_EQ(first.read_tap(0, 0).shape(), (Shape{2, 4}));
  first = std::move(second);
  EXPECT_EQ(first.read_tap(0, 0).shape(), (Shape{4}));
}

}  // namespace
}  // namespace parity::golden_store
