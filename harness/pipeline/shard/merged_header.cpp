#include "pipeline/shard/merged_header.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "run/fact_groups.h"
#include "run/numeric_switch.h"
#include "run/provenance.h"
#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

using golden_store::GoldenReader;

constexpr std::string_view kBetween = " | ";
constexpr std::string_view kBetweenMarks = " + ";

/// A library is loaded by the operators that need it, so that a shard may lack what another has.
bool comes_when_needed(std::string_view key) {
  return key.starts_with("library.") || key.starts_with("run.");
}

/// Facts in which equal cards, and machines with equal cards, differ.
bool is_of_one_machine(std::string_view key) {
  static constexpr std::array<std::string_view, 5> kKeys = {
      "device.memory_bytes", "device.vbios", "device.firmware", run::kVariables.summary,
      run::kLibraryFiles.summary};
  return key.starts_with("host.") || key.starts_with("run.") ||
         std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

bool may_differ(std::string_view key, const run::Provenance& one, const run::Provenance& other) {
  if (is_of_one_machine(key)) return true;
  return run::is_numeric_switch(key) && !run::changes_numbers(key, one, other);
}

void check_same(std::string_view key, const GoldenReader& first, const GoldenReader& other) {
  const run::Provenance& one = first.header().provenance;
  const run::Provenance& two = other.header().provenance;
  const std::string_view left = one.get(key);
  const std::string_view right = two.get(key);
  if (left == right || may_differ(key, one, two)) return;
  if ((left.empty() || right.empty()) && comes_when_needed(key)) return;
  const auto shown = [](std::string_view value) {
    return value.empty() ? std::string("none") : "'" + std::string(value) + "'";
  };
  throw Error(
      ErrorKind::incompatible,
      fmt::format("{} was recorded with {} {} and {} with {}, and a golden is the recording "
                  "of one environment; record all shards on equal machines",
                  other.path().string(), key, shown(right), first.path().string(), shown(left)));
}

bool holds(std::string_view joined, std::string_view value) {
  for (;;) {
    const std::size_t end = joined.find(kBetween);
    if (joined.substr(0, end) == value) return true;
    if (end == std::string_view::npos) return false;
    joined.remove_prefix(end + kBetween.size());
  }
}

void join(run::Provenance& facts, const run::Provenance& more) {
  for (const auto& [key, value] : more.facts()) {
    std::string joined(facts.get(key));
    if (!joined.empty() && holds(joined, value)) continue;
    if (!joined.empty()) joined += kBetween;
    joined += value;
    facts.set(key, std::move(joined));
  }
}

/// How many libraries all shards together loaded, as host::kernel_library_facts counts them.
void count_libraries(run::Provenance& facts) {
  if (facts.get(run::kLibraryFiles.summary).find(kBetween) == std::string_view::npos) return;
  std::size_t count = 0;
  for (const auto& [key, value] : facts.facts()) {
    if (!key.starts_with(run::kLibraryFiles.prefix) || key.ends_with("_kernels")) continue;
    ++count;
    for (std::size_t at = value.find(kBetweenMarks); at != std::string::npos;
         at = value.find(kBetweenMarks, at + kBetweenMarks.size())) {
      ++count;
    }
  }
  facts.set(run::kLibraryFiles.summary,
            std::to_string(count) + (count == 1 ? " library" : " libraries"));
}

void add_note(std::vector<std::string>& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

/// Of the model and of the run; those of cases that were left out stand behind them, in order.
std::vector<std::string> merged_notes(const std::vector<GoldenReader>& shards,
                                      const ShardSet& set) {
  std::vector<std::string> notes;
  for (const std::size_t file : set.files) {
    for (const std::string& note : shards[file].header().notes) {
      const auto is_left_out = [&](const run::LeftOutCase& one) { return one.note == note; };
      if (std::none_of(set.left_out.begin(), set.left_out.end(), is_left_out))
        add_note(notes, note);
    }
  }
  for (const run::LeftOutCase& one : set.left_out) add_note(notes, one.note);
  return notes;
}

}  // namespace

run::RecordingHeader merged_header(const std::vector<GoldenReader>& shards, const ShardSet& set) {
  std::vector<const GoldenReader*> with_cases;
  for (const std::size_t file : set.files) {
    if (!shards[file].cases().empty()) with_cases.push_back(&shards[file]);
  }
  const std::vector<std::string> notes = merged_notes(shards, set);
  if (with_cases.empty()) {
    throw Error(ErrorKind::incompatible,
                "no shard holds a case" + (notes.empty() ? "" : "; " + notes.back()));
  }
  const GoldenReader& first = *with_cases.front();
  run::RecordingHeader header = first.header();
  header.notes = notes;
  for (const GoldenReader* other : with_cases) {
    for (const auto& fact : first.header().provenance.facts())
      check_same(fact.first, first, *other);
    for (const auto& fact : other->header().provenance.facts())
      check_same(fact.first, first, *other);
    join(header.provenance, other->header().provenance);
  }
  count_libraries(header.provenance);
  header.provenance.set("run.shards", std::to_string(shards.size()));
  header.provenance.set("run.id", tensor::to_hex(first.shard()->run));
  return header;
}

}  // namespace parity::pipeline
