// The probes against machines made of scalar arithmetic, each wrong or different in one way.
#include "host/probe/probes.h"

#include <string>

#include <gtest/gtest.h>

#include "host/probe/emulated_device.h"

namespace parity::host {
namespace {

std::string text_of(const Machine& machine, const std::string& probe) {
  return probed(machine, probe).text;
}

std::string detail_of(const Machine& machine, const std::string& probe) {
  return probed(machine, probe).detail;
}

Machine with_half(const Unit& unit) {
  Machine machine;
  machine.half = unit;
  return machine;
}

TEST(Probes, OfAMachineThatKeepsToIeee) {
  EmulatedDevice device(Machine{});
  std::string all;
  for (const run::Probe& probe : fingerprint(device)) all += probe.name + ": " + probe.text + "\n";
  EXPECT_EQ(all,
            "integers.float64: exact\n"
            "integers.float32: exact\n"
            "integers.bfloat16: exact\n"
            "integers.float16: exact\n"
            "operands.ieee: 23 bits, no bias\n"
            "operands.tf32: 23 bits, no bias\n"
            "accumulation.float32: order 62 61 59 55 47 31, bits 22, round nearest, residue 0 0\n"
            "accumulation.tf32: order 62 61 59 55 47 31, bits 22, round nearest, residue 0 0\n"
            "accumulation.bfloat16: order 62 61 59 55 47 31, bits 22, round nearest, residue 0 0\n"
            "accumulation.float16: order 62 61 59 55 47 31, bits 22, round nearest, residue 0 0\n"
            "subnormals.float64: matmul keeps, multiply keeps\n"
            "subnormals.float32: matmul keeps, multiply keeps\n"
            "subnormals.bfloat16: matmul keeps, multiply keeps\n"
            "subnormals.float16: matmul keeps, multiply keeps\n"
            "fma: addcmul separate, add separate\n"
            "repeat: same bits\n");
}

TEST(Probes, CountTheBitsThatAnAccumulatorKeeps) {
  for (int bits = 16; bits <= 29; ++bits) {
    const std::string text =
        text_of(with_half({Adder::truncating, 8, bits}), "accumulation.float16");
    EXPECT_NE(text.find("bits " + std::to_string(bits) + ","), std::string::npos) << text;
  }
  const std::string few = text_of(with_half({Adder::truncating, 8, 12}), "accumulation.float16");
  EXPECT_NE(few.find("bits none,"), std::string::npos) << few;
  const std::string many = text_of(with_half({Adder::exact, 4, 0}), "accumulation.float16");
  EXPECT_NE(many.find("bits 30+,"), std::string::npos) << many;
}

TEST(Probes, SeeTheGroupsThatAreAddedTogether) {
  struct Row {
    std::size_t group;
    const char* order;
  };
  for (const Row& row : {Row{1, "order 62 61 59 55 47 31,"}, Row{2, "order 62 60 58 54 46 30,"},
                         Row{4, "order 60 60 56 52 44 28,"}, Row{8, "order 56 56 56 48 40 24,"},
                         Row{16, "order 48 48 48 48 32 16,"}}) {
    const std::string text =
        text_of(with_half({Adder::truncating, row.group, 24}), "accumulation.bfloat16");
    EXPECT_EQ(text.rfind(row.order, 0), 0U) << row.group << ": " << text;
  }
}

TEST(Probes, TellCuttingFromRoundingAndFloor) {
  const std::string cut = text_of(with_half({Adder::truncating, 8, 25}), "accumulation.float16");
  EXPECT_NE(cut.find("round cut, residue 0 0"), std::string::npos) << cut;
  const std::string floor =
      text_of(with_half({Adder::floor_joined, 8, 24}), "accumulation.float16");
  EXPECT_NE(floor.find("round nearest, residue -0.25 0"), std::string::npos) << floor;
}

TEST(Probes, SeeAUnitThatFlushesSubnormals) {
  const Machine machine = with_half({Adder::pairwise, 4, 0});
  // The results of this float16 product are normal numbers of float32, in which it is summed.
  EXPECT_EQ(text_of(machine, "subnormals.float16"), "matmul flushes operands, multiply keeps");
  EXPECT_EQ(text_of(machine, "subnormals.bfloat16"), "matmul flushes, multiply keeps");
  EXPECT_EQ(text_of(machine, "subnormals.float32"), "matmul keeps, multiply keeps");
}

TEST(Probes, SeeElementsThatFlushSubnormals) {
  Machine machine;
  machine.flushes_elements = true;
  for (const char* dtype : {"float64", "float32", "bfloat16", "float16"}) {
    EXPECT_EQ(text_of(machine, std::string("subnormals.") + dtype),
              "matmul keeps, multiply flushes")
        << dtype;
  }
}

TEST(Probes, SeeWhatBecomesOfTheBitsThatTf32DoesNotKeep) {
  Machine machine;
  machine.tf32 = Unit{Adder::truncating, 8, 25};
  EXPECT_EQ(text_of(machine, "operands.tf32"), "10 bits, nearest, no bias");
  EXPECT_EQ(text_of(machine, "operands.ieee"), "23 bits, no bias") << "TF32 was not asked for";
  machine.tf32_operands = Operands::cut_to_10_bits;
  EXPECT_EQ(text_of(machine, "operands.tf32"), "10 bits, cut, too low");
  // As measured on an MI300 with such numbers: -5.3e-3.
  EXPECT_EQ(detail_of(machine, "operands.tf32").substr(0, 26), "mean signed error -0.00515");
}

TEST(Probes, TellOneRoundingFromTwo) {
  Machine machine;
  machine.contraction = Contraction::fused;
  EXPECT_EQ(text_of(machine, "fma"), "addcmul fused, add fused");
  machine.contraction = Contraction::fused_but_remainder;
  EXPECT_EQ(text_of(machine, "fma"), "addcmul mixed, add mixed");
}

TEST(Probes, SeeBitsThatChangeBetweenCalls) {
  for (const int calls : {1, 2}) {
    Machine machine;
    machine.drifts_after = calls;
    EXPECT_EQ(text_of(machine, "repeat"), "other bits in a later call: matmul.float32") << calls;
  }
}

TEST(Probes, NameTheBatchAtWhichIntegersGoWrong) {
  for (const std::size_t batch : {1U, 3U, 4U, 130U}) {
    Machine machine;
    machine.wrong_batch = batch;
    EXPECT_EQ(text_of(machine, "integers.bfloat16"), "wrong: 1 of " + std::to_string(batch * 128) +
                                                         " elements at batch " +
                                                         std::to_string(batch));
  }
}

TEST(Probes, GoOnWhereTheDeviceLacksADtype) {
  Machine machine;
  machine.lacks_float16 = true;
  EXPECT_EQ(text_of(machine, "integers.float16"), "not available");
  EXPECT_EQ(detail_of(machine, "integers.float16"), "no kernel for Half");
  EXPECT_EQ(text_of(machine, "accumulation.float16"), "not available");
  EXPECT_EQ(text_of(machine, "integers.bfloat16"), "exact");
  EXPECT_EQ(text_of(machine, "repeat"), "same bits");
  EXPECT_EQ(detail_of(machine, "repeat"),
            "not available: matmul.float16, softmax.float16, sum.float16, attention.float16");
}

TEST(Probes, GiveTheSameFingerprintTwice) {
  EmulatedDevice device(with_half({Adder::floor_joined, 8, 24}));
  EXPECT_EQ(run::probe_facts(fingerprint(device)).facts(),
            run::probe_facts(fingerprint(device)).facts());
}

}  // namespace
}  // namespace parity::host
