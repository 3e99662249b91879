// The table of published patterns against an emulation of each unit, and the document that shows
// it.
#include "host/probe/known.h"

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "host/probe/emulated_device.h"
#include "host/probe/probes.h"

namespace parity::host {
namespace {

struct EmulatedUnit {
  std::string unit;
  Machine machine;
};

Unit truncating(std::size_t group, int bits) { return {Adder::truncating, group, bits}; }

/// Group sizes and bits: Khattak and Mikaitis, arXiv 2512.07004; MMA-Sim, arXiv 2511.10909.
std::vector<EmulatedUnit> emulated_units() {
  const auto machine = [](const Unit& half, std::optional<Unit> tf32, Operands operands) {
    Machine made;
    made.half = half;
    made.tf32 = tf32;
    made.tf32_operands = operands;
    return made;
  };
  constexpr auto kNearest = Operands::rounded_to_10_bits;
  return {
      {"NVIDIA Volta", machine(truncating(4, 23), {}, kNearest)},
      {"NVIDIA Turing", machine(truncating(8, 24), {}, kNearest)},
      {"NVIDIA Ampere and Ada", machine(truncating(8, 24), truncating(4, 24), kNearest)},
      {"NVIDIA Hopper and Blackwell", machine(truncating(16, 25), truncating(8, 25), kNearest)},
      {"NVIDIA Hopper, sums of 32 products by themselves",
       machine({}, Unit{Adder::truncating, 8, 25, 32}, kNearest)},
      {"Intel AMX, products of bfloat16 tiles", machine({Adder::two_chains, 32, 0}, {}, kNearest)},
      {"AMD CDNA2", machine({Adder::pairwise, 4, 0}, {}, kNearest)},
      {"AMD CDNA3", machine({Adder::floor_joined, 8, 24}, Unit{Adder::floor_joined, 4, 24},
                            Operands::cut_to_10_bits)}};
}

const KnownPattern* pattern(const std::string& probe, std::string_view unit) {
  for (const KnownPattern& row : known_patterns()) {
    if (row.probe == probe && row.unit == unit) return &row;
  }
  return nullptr;
}

TEST(KnownPatterns, AreThoseOfAnEmulationOfTheUnit) {
  std::size_t checked = 0;
  for (const auto& [unit, machine] : emulated_units()) {
    for (const KnownPattern& row : known_patterns()) {
      if (row.unit != unit) continue;
      EXPECT_EQ(probed(machine, std::string(row.probe)).text, row.text)
          << unit << ", " << row.probe;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 18U);
}

TEST(KnownPatterns, OfCdna1DifferByDtype) {
  // Four float16 products are one exact sum, of bfloat16 two.
  for (const auto& [probe, group] : {std::pair{"accumulation.float16", std::size_t{4}},
                                     std::pair{"accumulation.bfloat16", std::size_t{2}}}) {
    Machine machine;
    machine.half = Unit{Adder::exact, group, 0};
    EmulatedDevice device(machine);
    const run::Probe got = probe_accumulation(
        device, probe, group == 4 ? tensor::DType::float16 : tensor::DType::bfloat16,
        run::Fp32Precision::ieee);
    ASSERT_NE(pattern(probe, "AMD CDNA1"), nullptr);
    EXPECT_EQ(pattern(probe, "AMD CDNA1")->text, got.text) << probe;
  }
}

TEST(KnownPatterns, OfUnitsOtherThanTheSiblingsDiffer) {
  // What cannot be told apart would be no fingerprint; Turing sums as Ampere does.
  std::set<std::string_view> texts;
  for (const KnownPattern& row : known_patterns()) {
    if (row.probe != "accumulation.float16" || row.unit == "NVIDIA Turing") continue;
    EXPECT_TRUE(texts.insert(row.text).second) << row.unit;
  }
  EXPECT_EQ(texts.size(), 7U);
}

TEST(KnownPatterns, NameNoArchitectureTwiceForOneProbeAndHaveASource) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const KnownPattern& row : known_patterns()) {
    EXPECT_FALSE(row.source.empty() || row.unit.empty() || row.text.empty()) << row.probe;
    EXPECT_TRUE(row.archs.empty() || row.archs.back() == ' ') << row.probe << " " << row.archs;
    std::istringstream archs{std::string(row.archs)};
    for (std::string arch; archs >> arch;)
      EXPECT_TRUE(seen.insert({std::string(row.probe), arch}).second) << row.probe << " " << arch;
  }
}

TEST(ProbeMeanings, AreThereForEveryProbe) {
  for (const char* probe : {"integers.float32", "operands.ieee", "accumulation.tf32",
                            "subnormals.float64", "fma", "repeat"}) {
    ASSERT_NE(meaning_of(probe), nullptr) << probe;
    EXPECT_FALSE(meaning_of(probe)->known_for.empty()) << probe;
  }
  EXPECT_EQ(meaning_of("nothing.float32"), nullptr);
}

TEST(Recognise, HoldsADeviceAgainstWhatIsPublishedOfIt) {
  struct Row {
    const char* arch;
    const char* text;
    Standing standing;
    const char* words;
  };
  const char* hopper = "order 48 48 48 48 32 16, bits 25, round cut, residue 0 0";
  const char* cdna3 = "order 56 56 56 48 40 24, bits 24, round nearest, residue -0.25 0";
  for (const Row& row :
       {Row{"sm_90", hopper, Standing::as_known, "As published of NVIDIA Hopper and Blackwell ["},
        Row{"gfx942", cdna3, Standing::as_known, "As published of AMD CDNA3 ["},
        Row{"gfx942", hopper, Standing::otherwise, "this is the pattern of NVIDIA Hopper"},
        Row{"sm_90", "order 1 2 3", Standing::otherwise, "is published; this is unknown."},
        Row{"sm_9", hopper, Standing::elsewhere, "The pattern of NVIDIA Hopper"},
        Row{"gfx1100", cdna3, Standing::elsewhere, "The pattern of AMD CDNA3"},
        Row{"AVX512", hopper, Standing::elsewhere, "The pattern of NVIDIA Hopper"},
        Row{"gfx1100", "order 1 2 3", Standing::unknown, ""},
        Row{"", "order 1 2 3", Standing::unknown, ""}}) {
    const Recognition found = recognise(row.arch, {"accumulation.float16", row.text, ""});
    EXPECT_EQ(found.standing, row.standing) << row.arch << ", " << row.text;
    EXPECT_NE(found.words.find(row.words), std::string::npos) << found.words;
  }
}

TEST(ProbeTable, IsTheOneOfTheDocument) {
  std::ifstream in(PARITY_DOCS "/doctor.md");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::string meanings;
  for (const ProbeMeaning& row : probe_meanings()) {
    meanings += "| `" + std::string(row.probe) + "` | " + std::string(row.meaning) + " | " +
                std::string(row.known_for) + " |\n";
  }
  EXPECT_NE(text.find(meanings), std::string::npos) << "docs/doctor.md must hold:\n" << meanings;
  std::string patterns;
  for (const KnownPattern& row : known_patterns()) {
    std::string archs(row.archs);
    if (!archs.empty()) archs.pop_back();
    patterns += "| `" + std::string(row.probe) + "` | " + std::string(row.unit) + " | " + archs +
                " | " + std::string(row.text) + " | " + std::string(row.source) + " |\n";
  }
  EXPECT_NE(text.find(patterns), std::string::npos) << "docs/doctor.md must hold:\n" << patterns;
}

}  // namespace
}  // namespace parity::host
