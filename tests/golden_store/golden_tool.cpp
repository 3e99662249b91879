// Writes sample goldens for tests in other languages, seals any file as a golden, and reads one
// like a user would.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "error/error.h"
#include "golden_store/forge.h"
#include "golden_store/golden_reader.h"
#include "golden_store/sample_golden.h"

namespace parity::golden_store::testing {
namespace {

using tensor::DType;

/// 0, 1, ..., 11 in bfloat16, whose upper half of float32 is exact for these, then 1/3 rounded, Inf
/// and NaN.
std::vector<std::uint16_t> bfloat16_values() {
  std::vector<std::uint16_t> bits;
  for (int i = 0; i < 12; ++i) {
    const auto value = static_cast<float>(i);
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    bits.push_back(static_cast<std::uint16_t>(word >> 16U));
  }
  const std::vector<std::uint16_t> special = {0x3eab, 0x7f80, 0xff80, 0x7fc1};
  bits.insert(bits.end(), special.begin(), special.end());
  return bits;
}

/// Every dtype with random bytes under its own name, then taps with known values.
SampleGolden golden_for_other_languages() {
  SampleGolden golden = golden_of_every_dtype({3, 5});
  std::vector<SampleTap>& taps = golden.cases[0].taps;
  taps.push_back(full_tap({run::TapKind::module, "blocks.0.mlp", "", 1, "0"}, DType::bfloat16,
                          {4, 4}, bytes_of(bfloat16_values())));
  taps.push_back(full_tap(module_id("half"), DType::float16, {3},
                          bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x7c00})));
  taps.push_back(
      full_tap(module_id("mask"), DType::boolean, {3}, bytes_of<std::uint8_t>({1, 0, 1})));
  taps.push_back(
      full_tap(module_id("phase"), DType::complex64, {1}, bytes_of<float>({1.5F, -2.0F})));
  taps.push_back(random_tap(module_id("empty"), DType::float32, {0, 5}, 1));
  taps.push_back(full_tap(module_id("scalar"), DType::float64, {}, bytes_of<double>({0.1})));
  SampleTap rows =
      full_tap(module_id("rows"), DType::int32, {3, 2}, bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6}));
  rows.record.mode = run::StoreMode::rows;
  rows.record.rows = {0, 2};
  rows.stored = bytes_of<std::int32_t>({1, 2, 5, 6});
  taps.push_back(rows);
  SampleTap digest =
      full_tap(module_id("digest"), DType::float32, {2}, bytes_of<float>({1.0F, 2.0F}));
  digest.record.mode = run::StoreMode::digest;
  digest.stored.clear();
  taps.push_back(digest);
  tensor::ValueDict inputs;
  inputs.items = {
      {"ids", {tensor::HostTensor(DType::int64, {1, 3}, bytes_of<std::int64_t>({5, 7, 9}))}},
      {"rate", {std::int64_t{16000}}},
      {"text", {std::string("été")}}};
  golden.cases[0].inputs = {std::move(inputs)};
  golden.cases[0].skipped = {{module_id("tokenizer"), "a str is no tensor"}};
  return golden;
}

/// `path`, made of links to a golden beside it: "golden.part.h5" for "golden.h5".
void write_linked(const std::filesystem::path& path) {
  const std::filesystem::path part =
      path.parent_path() / (path.stem().string() + ".part" + path.extension().string());
  write_sample(part, golden_for_other_languages());
  const GoldenReader reader(part);
  GoldenWriter writer(path, {});
  writer.link_case(reader, 0);
  writer.finish(reader.header());
}

/// Shard 1 of 2 with the third of four cases, of which the fourth was left out.
void write_shard(const std::filesystem::path& path) {
  const SampleGolden golden = small_golden();
  GoldenWriter writer(path, {});
  writer.begin_case("c", golden.cases[0].inputs);
  for (const SampleTap& tap : golden.cases[0].taps) writer.add_tap(tap.record, tap.stored);
  writer.end_case({}, {});
  run::ShardRecord shard;
  shard.shard = {1, 2};
  shard.case_count = 4;
  shard.positions = {2};
  shard.left_out = {{3, "case d was left out"}};
  writer.finish(golden.header, shard);
}

int read_everything(const std::filesystem::path& path) {
  const GoldenReader reader(path);
  std::size_t taps = 0;
  for (std::size_t c = 0; c < reader.cases().size(); ++c) {
    static_cast<void>(reader.read_inputs(c));
    for (std::size_t t = 0; t < reader.cases()[c].taps.size(); ++t, ++taps)
      static_cast<void>(reader.read_tap(c, t));
  }
  std::printf("%zu cases, %zu taps\n", reader.cases().size(), taps);
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "write" && arguments.size() == 2) {
    write_sample(arguments[1], golden_for_other_languages());
    return 0;
  }
  if ((command == "write-gzip" || command == "write-zstd") && arguments.size() == 2) {
    SampleGolden golden = golden_for_other_languages();
    golden.cases[0].taps.push_back(random_tap(module_id("large"), DType::bfloat16, {1000, 777}, 5));
    const std::vector<std::byte> zeros(4'000'000);
    golden.cases[0].taps.push_back(full_tap(module_id("zeros"), DType::int32, {1'000'000}, zeros));
    const auto packer = command == "write-gzip" ? run::Packer::gzip : run::Packer::zstd;
    write_sample(arguments[1], golden, {run::Compression{packer, 6}});
    return 0;
  }
  if (command == "write-linked" && arguments.size() == 2) {
    write_linked(arguments[1]);
    return 0;
  }
  if (command == "write-shard" && arguments.size() == 2) {
    write_shard(arguments[1]);
    return 0;
  }
  if (command == "seal" && arguments.size() == 3) {
    write_file(arguments[2], sealed(file_bytes(arguments[1])));
    return 0;
  }
  if (command == "read" && arguments.size() == 2) return read_everything(arguments[1]);
  std::fprintf(stderr,
               "golden_tool write OUT | write-gzip OUT | write-zstd OUT | write-linked OUT | "
               "write-shard OUT "
               "| seal ANY OUT | read GOLDEN\n");
  return 2;
}

}  // namespace
}  // namespace parity::golden_store::testing

int main(int count, char** arguments) {
  try {
    return parity::golden_store::testing::run(
        std::vector<std::string>(arguments + 1, arguments + count));
  } catch (const parity::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return parity::exit_code(error.kind());
  }
}
