#include "pipeline/stored/measured_reports.h"

#include <cstring>
#include <random>
#include <utility>

#include "capture/row_selection.h"
#include "gate/rule_book.h"
#include "pipeline/compare/decode_facts.h"
#include "pipeline/compare/report_assembly.h"
#include "pipeline/judge/judgement.h"
#include "tensor/digest.h"

namespace parity::pipeline_test {
namespace {

using pipeline::ComparedTap;
using tensor::DType;

/// Where the exponent lies in the bits; 0 of integers.
struct Format {
  int mantissa_bits = 0;
  int exponent_bits = 0;
};

Format format_of(DType component) {
  switch (component) {
    case DType::float64:
      return {52, 11};
    case DType::float32:
      return {23, 8};
    case DType::float16:
      return {10, 5};
    case DType::bfloat16:
      return {7, 8};
    case DType::float8_e4m3fn:
    case DType::float8_e4m3fnuz:
      return {3, 4};
    case DType::float8_e5m2:
    case DType::float8_e5m2fnuz:
      return {2, 5};
    default:
      return {};
  }
}

std::uint64_t bits_of(DType component, Content content, std::mt19937_64& random) {
  const Format format = format_of(component);
  std::uint64_t bits = content == Content::zeros ? 0 : random();
  if (component == DType::boolean) return bits & 1U;
  if (content == Content::bits || content == Content::zeros) return bits;
  if (format.exponent_bits == 0) return bits & 0x3fU;
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const std::uint64_t bias = (std::uint64_t{1} << (format.exponent_bits - 1)) - 1;
  const std::uint64_t exponent = bias - 1 + (random() & 1U);
  const std::uint64_t sign = random() & 1U;
  return mantissa | exponent << format.mantissa_bits |
         sign << (format.mantissa_bits + format.exponent_bits);
}

std::uint64_t loaded(const std::vector<std::byte>& bytes, std::size_t at, std::size_t size_bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + at * size_bytes, size_bytes);
  return bits;
}

void store(std::uint64_t bits, std::size_t at, std::size_t size_bytes,
           std::vector<std::byte>& bytes) {
  std::memcpy(bytes.data() + at * size_bytes, &bits, size_bytes);
}

run::TapRecord record_of(const PairRequest& request, const std::vector<std::byte>& bytes) {
  run::TapRecord record;
  record.id = {run::TapKind::module, request.path, "", 0, ""};
  record.dtype = request.dtype;
  record.shape = request.shape;
  record.digest = tensor::digest_of(bytes);
  return record;
}

bool is_changed(Change change, std::size_t at) {
  constexpr std::size_t kStride = 17;
  return change == Change::rounding ? at % 3 == 0
                                    : change == Change::everything || at % kStride == 0;
}

}  // namespace

pipeline::TapData Side::data() const {
  return {record, {record.dtype, run::stored_shape(record), bytes}};
}

Pair made(const PairRequest& request) {
  std::mt19937_64 random(request.seed);
  const DType component = tensor::component(request.dtype);
  const std::size_t size_bytes = tensor::size_bytes(component);
  const std::size_t count =
      tensor::element_count(request.shape) * (tensor::is_complex(request.dtype) ? 2 : 1);
  std::vector<std::byte> reference(count * size_bytes);
  const std::uint64_t same = bits_of(component, Content::ordinary, random);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = bits_of(component, request.content, random);
    store(request.content == Content::constant ? same : bits, i, size_bytes, reference);
  }
  std::vector<std::byte> candidate = reference;
  for (std::size_t i = 0; request.change != Change::none && i < count; ++i) {
    if (!is_changed(request.change, i)) continue;
    const std::uint64_t bits = request.change == Change::rounding
                                   ? loaded(reference, i, size_bytes) ^ 1U
                                   : bits_of(component, request.content, random);
    store(bits, i, size_bytes, candidate);
  }
  return {{record_of(request, reference), reference}, {record_of(request, candidate), candidate}};
}

Side widened(const Side& side) {
  Side wide = side;
  const bool to_double = side.record.dtype == DType::float32;
  wide.record.dtype = to_double ? DType::float64 : DType::float32;
  const std::size_t count = tensor::element_count(side.record.shape);
  wide.bytes.assign(count * tensor::size_bytes(wide.record.dtype), std::byte{0});
  for (std::size_t i = 0; i < count; ++i) {
    if (to_double) {
      float value = 0;
      std::memcpy(&value, side.bytes.data() + i * sizeof(value), sizeof(value));
      // Nearer to it than rounding, and not the same.
      const double truth = static_cast<double>(value) * (1 + 1e-9);
      std::memcpy(wide.bytes.data() + i * sizeof(truth), &truth, sizeof(truth));
    } else {
      store(loaded(side.bytes, i, 2) << 16U | 0x1234U, i, 4, wide.bytes);  // of bfloat16
    }
  }
  wide.record.digest = tensor::digest_of(wide.bytes);
  return wide;
}

Pair as_logits(Pair pair) {
  for (Side* side : {&pair.reference, &pair.candidate}) {
    side->record.id = {run::TapKind::output, std::string(run::kOutputPath), "", 0, ""};
    side->record.role = run::Role::logits;
  }
  return pair;
}

ComparedTap compared(const Pair& pair, const Side* truth) {
  std::optional<pipeline::TapData> data;
  if (truth != nullptr) data.emplace(truth->data());
  return pipeline::compare_tap(compare::Reference{pair.reference.data()},
                               compare::Candidate{pair.candidate.data()}, {10, 1},
                               data ? &*data : nullptr);
}

report::Report report_of(std::vector<ComparedTap> taps) {
  report::Report report;
  report.model_file = "model.pt";
  report.model_kind = "torchscript";
  report.reference.file = "golden.h5";
  report.repro = "parity compare golden.h5 --model model.pt";
  report::Case item;
  item.name = "prose";
  for (ComparedTap& tap : taps) {
    if (tap.logits) item.logits.push_back(std::move(*tap.logits));
    if (tap.tap.truth) report.truth_file = "golden.h5";
    if (tap.tap.introduced) report.attribution.emplace().finding = "none";
    item.taps.push_back(std::move(tap.tap));
  }
  report.cases.push_back(std::move(item));
  pipeline::add_noise_summary(report);
  return report;
}

report::Report judged(report::Report report) {
  pipeline::judge_report(report, gate::default_rules(), run::Strictness::normal);
  return report;
}

report::Report full_report(Change change) {
  std::vector<ComparedTap> taps;
  const Pair first = made({"first", DType::float32, {6, 32}, Content::ordinary, change, 3});
  const Side truth = widened(first.reference);
  taps.push_back(compared(first, &truth));
  taps.back().tap.introduced = taps.back().tap.facts;
  taps.back().tap.introduced->worst.clear();
  Pair rows = made({"rows", DType::float16, {9, 16}, Content::ordinary, change, 4});
  for (Side* side : {&rows.reference}) {
    side->record.mode = run::StoreMode::rows;
    side->record.rows = {0, 4, 8};
    side->bytes = capture::select_rows({side->record.dtype, side->record.shape, side->bytes},
                                       side->record.rows);
  }
  taps.push_back(compared(rows));
  taps.push_back(compared(made({"ids",
                                DType::int64,
                                {20},
                                Content::ordinary,
                                change == Change::rounding ? Change::none : change,
                                5})));
  const Pair output =
      as_logits(made({"", DType::bfloat16, {2, 3, 40}, Content::ordinary, change, 6}));
  const Side output_truth = widened(output.reference);
  taps.push_back(compared(output, &output_truth));
  taps[0].tap.noise = run::TapNoise{4, 2, {{"nrmse", 1e-9}, {"max_error_over_rms", 2e-9}}};
  taps[2].tap.noise = run::TapNoise{4, 0, {}};
  return judged(report_of(std::move(taps)));
}

report::Report decoded_report() {
  std::vector<ComparedTap> taps;
  for (std::int64_t step = 0; step <= 2; ++step) {
    const auto seed = static_cast<std::uint64_t>(step);
    Pair pair = as_logits(made({"",
                                DType::bfloat16,
                                {2, step == 0 ? 3 : 1, 40},
                                Content::ordinary,
                                Change::everything,
                                20 + seed}));
    pair.reference.record.id.call = pair.candidate.record.id.call = step;
    const Side truth = widened(pair.reference);
    taps.push_back(compared(pair, &truth));
  }
  std::vector<std::byte> tokens(2 * 2 * sizeof(std::int64_t));
  const tensor::Value fed{tensor::ValueDict{
      {{"decode_tokens", {tensor::HostTensor(DType::int64, {2, 2}, std::move(tokens))}}}}};
  report::Report report = report_of(std::move(taps));
  pipeline::add_decode({compare::Reference{fed}, compare::Candidate{fed}},
                       pipeline::Passes::prompt_and_steps, report.cases[0]);
  return judged(std::move(report));
}

}  // namespace parity::pipeline_test
