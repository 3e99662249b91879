// What a golden holds, for a terminal. Everything in it came out of a file that nobody vouches for,
// so no text is shown uncleaned.
#include <algorithm>

#include <fmt/format.h>

#include "report/data/inspection.h"
#include "report/terminal/tap_rows.h"
#include "report/words/numbers.h"
#include "report/words/text.h"
#include "tensor/digest.h"

namespace parity::report {
namespace {

std::string size_text(std::uint64_t size_bytes) {
  const auto bytes = static_cast<double>(size_bytes);
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.2f} MB", bytes / 1e6);
  if (bytes >= 1e3) return fmt::format("{:.1f} kB", bytes / 1e3);
  return fmt::format("{} B", size_bytes);
}

std::string stored_text(const run::TapRecord& tap) {
  if (tap.mode != run::StoreMode::rows) return std::string(run::name(tap.mode));
  return fmt::format("{} rows", tap.rows.size());
}

void add_values(std::string& text, const TapValues& values) {
  text += fmt::format(
      "      finite {}  nan {}  inf {}  min {:.6g}  max {:.6g}  mean {:.6g}  rms {:.6g}\n      "
      "first",
      values.finite, values.nan, values.inf, values.min, values.max, values.mean, values.rms);
  for (const double value : values.first) text += fmt::format(" {:.6g}", value);
  text += '\n';
}

void add_taps(std::string& text, const std::vector<InspectedTap>& taps) {
  int name_width = 4;
  int shape_width = 5;
  for (const InspectedTap& tap : taps) {
    name_width = std::max(name_width, display_width(tap_name(tap.record.id)));
    shape_width = std::max(shape_width, display_width(tensor::to_string(tap.record.shape)));
  }
  text += fmt::format("  {}  {:<9} {}  {:<8} {:>9}  digest\n", pad_right("tap", name_width),
                      "dtype", pad_right("shape", shape_width), "stored", "size");
  for (const InspectedTap& tap : taps) {
    text += fmt::format(
        "  {}  {:<9} {}  {:<8} {:>9}  {}{}\n", pad_right(tap_name(tap.record.id), name_width),
        tensor::name(tap.record.dtype), pad_right(tensor::to_string(tap.record.shape), shape_width),
        stored_text(tap.record), size_text(tap.stored_bytes),
        tensor::to_hex(tap.record.digest).substr(0, 12),
        tap.record.role == run::Role::logits ? "  logits" : "");
    if (tap.values) add_values(text, *tap.values);
  }
}

void add_noise(std::string& text, const InspectedNoise& noise) {
  const std::string repeats = plural(static_cast<std::uint64_t>(noise.repeats), "repeat");
  if (noise.differing.empty()) {
    text += fmt::format("  {}: every tap has the same bits\n", repeats);
    return;
  }
  text += fmt::format("  {}: {} not the same each time\n", repeats,
                      plural(noise.differing.size(), "tap"));
  for (const run::TapId& tap : noise.differing) text += fmt::format("    {}\n", tap_name(tap));
}

void add_case(std::string& text, const InspectedCase& one) {
  text += fmt::format("\ncase {}\n", clean(one.name));
  for (const std::string& input : one.inputs) text += fmt::format("  input {}\n", clean(input));
  if (one.decode) {
    text += fmt::format("  decode {} of {}\n",
                        plural(static_cast<std::uint64_t>(one.decode->steps), "step"),
                        plural(static_cast<std::uint64_t>(one.decode->rows), "row"));
  }
  add_taps(text, one.taps);
  for (const run::SkippedTap& skipped : one.skipped) {
    text += fmt::format("  not captured: {}: {}\n", tap_name(skipped.id), clean(skipped.reason));
  }
  for (const std::string& note : one.notes) text += fmt::format("  note: {}\n", clean(note));
  if (one.noise) add_noise(text, *one.noise);
  if (!one.truth) return;
  text +=
      fmt::format("  truth in {}, {}\n", clean(one.truth->dtype), plural(one.truth->taps, "tap"));
  for (const std::string& note : one.truth->notes)
    text += fmt::format("  note: truth: {}\n", clean(note));
}

void add_provenance(std::string& text, const run::Provenance& provenance) {
  constexpr int kKeyWidth = 28;
  for (const auto& [key, value] : provenance.facts()) {
    // Values of several lines are common: the configuration of a library, for one.
    std::string shown = value;
    std::replace(shown.begin(), shown.end(), '\n', ' ');
    text += fmt::format("  {} {}\n", pad_right(clean(key), kKeyWidth), clean(shown));
  }
}

}  // namespace

std::string to_text(const Inspection& inspection) {
  const run::ModelDescription& model = inspection.header.model;
  std::string text =
      fmt::format("{}  {}\n", clean(inspection.file), size_text(inspection.file_bytes));
  text += fmt::format("model   {} ({}), {} parameters, {} weights, digest {}\n",
                      clean(model.file_name), clean(model.kind), model.parameter_count,
                      model.weights.size(), tensor::to_hex(model.all_weights));
  add_provenance(text, inspection.header.provenance);
  for (const std::string& note : inspection.header.notes)
    text += fmt::format("note: {}\n", clean(note));
  for (const InspectedCase& one : inspection.cases) add_case(text, one);
  return text;
}

}  // namespace parity::report
