// Patterns of matrix units follow from the published descriptions of their arithmetic; the tests
// hold them against an emulation of each. Those of an architecture that is not here are not
// guessed.
#include "host/probe/known.h"

#include <algorithm>
#include <array>

namespace parity::host {
namespace {

constexpr std::array<ProbeMeaning, 6> kMeanings = {{
    {"integers",
     "Products of -1, 0 and 1 at eleven batch sizes from 1 to 130: exact in any order, with any "
     "accumulator.",
     "kernels that are wrong at some batch sizes alone [ROCm/aiter #3933], a sum in slices that "
     "gives NaN [rocm-libraries #9055]"},
    {"operands",
     "How many fraction bits of float32 operands a matrix product uses, what becomes of the "
     "others, "
     "and whether its mean error has a sign; once with TF32 forbidden (ieee), once with it "
     "allowed.",
     "TF32 keeps 10 bits to nearest; XF32 of MI300 cuts them, so every product is too low "
     "[jeffdaily/tf32_analysis]; libraries that switch either on unasked [rocm-libraries #9176, "
     "#3209]"},
    {"accumulation",
     "How a matrix product adds. order: ones, of 62, that outlive a large term and its negative at "
     "1, 2, 4, 8, 16 and 32 places from it; bits: how far below the largest term another still "
     "counts; round: what becomes of bits that float32 has no place for; residue: what is left of "
     "-2^-20 and 2^-20 beside terms that cancel.",
     "0, 191.875 and 255.875 as the result of one product on five GPUs [FTTN, arXiv 2403.00232]; "
     "-0.25 as residue on CDNA3, which biases sums downwards [MMA-Sim, arXiv 2511.10909]"},
    {"subnormals", "Whether numbers below the least normal one survive as operands and as results.",
     "MI200 flushes them in float16 and bfloat16 matrix products, other AMD GPUs do not [PyTorch, "
     "numerical accuracy note]"},
    {"fma", "Whether c + a * b rounds once (fused) or twice (separate), in two operators.",
     "compilers that contract differently; fused is nearer to the truth"},
    {"repeat",
     "Whether the second and third call of matrix product, softmax, sum and attention give the "
     "bits "
     "of the first.",
     "autotuning, and sums in the order in which threads arrive"},
}};

constexpr std::string_view kVolta = "NVIDIA Volta";
constexpr std::string_view kTuring = "NVIDIA Turing";
constexpr std::string_view kAmpere = "NVIDIA Ampere and Ada";
constexpr std::string_view kHopper = "NVIDIA Hopper and Blackwell";
constexpr std::string_view kCdna1 = "AMD CDNA1";
constexpr std::string_view kCdna2 = "AMD CDNA2";
constexpr std::string_view kCdna3 = "AMD CDNA3";

constexpr std::string_view kOnVolta = "sm_70 ";
constexpr std::string_view kOnTuring = "sm_75 ";
constexpr std::string_view kOnAmpere = "sm_80 sm_86 sm_89 ";
constexpr std::string_view kOnHopper = "sm_90 sm_100 sm_103 sm_120 ";
constexpr std::string_view kOnCdna1 = "gfx908 ";
constexpr std::string_view kOnCdna2 = "gfx90a ";
constexpr std::string_view kOnCdna3 = "gfx940 gfx941 gfx942 ";

constexpr std::string_view kTensorCores =
    "Khattak and Mikaitis, arXiv 2512.07004; Fasi, Higham, Mikaitis and Pranesh, PeerJ CS 7:e330";
constexpr std::string_view kTensorCores2 = "Khattak and Mikaitis, arXiv 2512.07004";
constexpr std::string_view kMmaSim = "MMA-Sim, arXiv 2511.10909";
constexpr std::string_view kBothModels =
    "MMA-Sim, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004";
constexpr std::string_view kSubnormalNote =
    "PyTorch, numerical accuracy note; MMA-Sim, arXiv 2511.10909";
constexpr std::string_view kTf32Analysis = "jeffdaily/tf32_analysis";

constexpr std::string_view kAmpereSums = "order 56 56 56 48 40 24, bits 24, round cut, residue 0 0";
constexpr std::string_view kHopperSums = "order 48 48 48 48 32 16, bits 25, round cut, residue 0 0";
constexpr std::string_view kCdna2Sums =
    "order 62 60 56 52 44 28, bits 22, round nearest, residue -9.54e-07 9.54e-07";
constexpr std::string_view kCdna3Sums =
    "order 56 56 56 48 40 24, bits 24, round nearest, residue -0.25 0";
constexpr std::string_view kChainSums =
    "order 62 61 59 55 47 31, bits 22, round nearest, residue 0 0";
constexpr std::string_view kChain =
    "one chain of fused multiply-adds in float32, in ascending order";
constexpr std::string_view kIeee = "IEEE 754, fusedMultiplyAdd";
constexpr std::string_view kAmx = "Intel AMX, products of bfloat16 tiles";
constexpr std::string_view kAmxManual = "Intel, Software Developer's Manual, TDPBF16PS";
constexpr std::string_view kKeeps = "matmul keeps, multiply keeps";

constexpr auto kPatterns = std::to_array<KnownPattern>({
    {"accumulation.float16", kVolta, kOnVolta,
     "order 60 60 56 52 44 28, bits 23, round cut, residue 0 0", kTensorCores},
    {"accumulation.float16", kTuring, kOnTuring, kAmpereSums,
     "Fasi, Higham, Mikaitis and Pranesh, PeerJ CS 7:e330; MMA-Sim, arXiv 2511.10909"},
    {"accumulation.float16", kAmpere, kOnAmpere, kAmpereSums, kTensorCores},
    {"accumulation.float16", kHopper, kOnHopper, kHopperSums, kBothModels},
    {"accumulation.float16", kCdna1, kOnCdna1,
     "order 62 62 59 55 47 31, bits 30+, round nearest, residue -9.54e-07 9.54e-07", kBothModels},
    {"accumulation.float16", kCdna2, kOnCdna2, kCdna2Sums, kBothModels},
    {"accumulation.float16", kCdna3, kOnCdna3, kCdna3Sums, kMmaSim},
    {"accumulation.float16", kChain, "", kChainSums, kIeee},
    {"accumulation.bfloat16", kAmpere, kOnAmpere, kAmpereSums, kTensorCores2},
    {"accumulation.bfloat16", kHopper, kOnHopper, kHopperSums, kBothModels},
    {"accumulation.bfloat16", kCdna1, kOnCdna1,
     "order 62 61 59 55 47 31, bits 22, round nearest, residue -9.54e-07 9.54e-07", kBothModels},
    {"accumulation.bfloat16", kCdna2, kOnCdna2, kCdna2Sums, kBothModels},
    {"accumulation.bfloat16", kCdna3, kOnCdna3, kCdna3Sums, kMmaSim},
    {"accumulation.bfloat16", kAmx, "",
     "order 32 62 61 59 55 16, bits 30+, round nearest, residue 0 0", kAmxManual},
    {"accumulation.bfloat16", kChain, "", kChainSums, kIeee},
    {"accumulation.tf32", kAmpere, kOnAmpere,
     "order 60 60 56 52 44 28, bits 24, round cut, residue 0 0", kTensorCores2},
    {"accumulation.tf32", kHopper, kOnHopper,
     "order 56 56 56 48 40 24, bits 25, round cut, residue 0 0", kBothModels},
    {"accumulation.tf32", "NVIDIA Hopper, sums of 32 products by themselves", "",
     "order 56 56 56 48 40 0, bits 25, round cut, residue 0 0",
     "measured with cuBLAS 13.1 on an H200"},
    {"accumulation.tf32", kCdna3, kOnCdna3,
     "order 60 60 56 52 44 28, bits 24, round nearest, residue -0.25 0", kMmaSim},
    {"accumulation.tf32", kChain, "", kChainSums, kIeee},
    {"accumulation.float32", kChain, "", kChainSums, kIeee},
    {"operands.ieee", "IEEE 754", "", "23 bits, no bias", "IEEE 754"},
    {"operands.tf32", "NVIDIA TF32 through cuBLAS", "sm_80 sm_86 sm_89 sm_90 sm_100 sm_103 sm_120 ",
     "10 bits, nearest, no bias", "measured with cuBLAS 13.1 on an H200"},
    {"operands.tf32", "AMD XF32", "gfx942 ", "10 bits, cut, too low", kTf32Analysis},
    {"operands.tf32", "IEEE 754, whatever was allowed", "", "23 bits, no bias", "IEEE 754"},
    {"subnormals.float16", kCdna2, kOnCdna2, "matmul flushes operands, multiply keeps",
     kSubnormalNote},
    {"subnormals.bfloat16", kCdna2, kOnCdna2, "matmul flushes, multiply keeps", kSubnormalNote},
    {"subnormals.bfloat16", kAmx, "", "matmul flushes, multiply keeps", kAmxManual},
    {"subnormals.float16", "tensor cores, CDNA1 and CDNA3",
     "sm_70 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_103 sm_120 gfx908 gfx940 gfx941 gfx942 ",
     kKeeps, kBothModels},
    {"subnormals.bfloat16", "tensor cores, CDNA1 and CDNA3",
     "sm_80 sm_86 sm_89 sm_90 sm_100 sm_103 sm_120 gfx908 gfx940 gfx941 gfx942 ", kKeeps,
     kBothModels},
    {"subnormals.float32", "IEEE 754", "", kKeeps, "IEEE 754"},
    {"subnormals.float64", "IEEE 754", "", kKeeps, "IEEE 754"},
});

bool is_expected_on(const KnownPattern& pattern, std::string_view arch) {
  return !arch.empty() && (" " + std::string(pattern.archs)).find(" " + std::string(arch) + " ") !=
                              std::string::npos;
}

std::string unit_text(const KnownPattern& pattern) {
  return std::string(pattern.unit) + " [" + std::string(pattern.source) + "]";
}

/// Units that give this text, without what is expected of `arch`.
std::string units_with(const run::Probe& probe, std::string_view arch) {
  std::string units;
  for (const KnownPattern& pattern : known_patterns()) {
    if (pattern.probe != probe.name || pattern.text != probe.text || is_expected_on(pattern, arch))
      continue;
    units += (units.empty() ? "" : ", and of ") + unit_text(pattern);
  }
  return units;
}

}  // namespace

std::span<const ProbeMeaning> probe_meanings() { return kMeanings; }

const ProbeMeaning* meaning_of(std::string_view probe) {
  const std::string_view first = probe.substr(0, probe.find('.'));
  const auto found = std::find_if(kMeanings.begin(), kMeanings.end(),
                                  [&](const ProbeMeaning& row) { return row.probe == first; });
  return found == kMeanings.end() ? nullptr : &*found;
}

std::span<const KnownPattern> known_patterns() { return kPatterns; }

Recognition recognise(std::string_view arch, const run::Probe& probe) {
  const KnownPattern* expected = nullptr;
  for (const KnownPattern& pattern : kPatterns) {
    if (pattern.probe == probe.name && is_expected_on(pattern, arch)) expected = &pattern;
  }
  const std::string units = units_with(probe, arch);
  if (expected != nullptr && expected->text == probe.text)
    return {Standing::as_known, "As published of " + unit_text(*expected) + "."};
  if (expected != nullptr) {
    return {Standing::otherwise,
            "Of " + unit_text(*expected) + ", '" + std::string(expected->text) + "' is published" +
                (units.empty() ? "; this is unknown." : "; this is the pattern of " + units + ".")};
  }
  if (!units.empty()) return {Standing::elsewhere, "The pattern of " + units + "."};
  return {Standing::unknown, ""};
}

}  // namespace parity::host
