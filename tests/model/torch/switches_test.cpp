// The record of numeric switches is read back from torch and holds nothing that torch does not
// know.
#include "model/torch/switches.h"

#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "model/torch/device.h"

namespace parity::model {
namespace {

/// Puts the switches of parity in force and, at its end, in force again.
class SwitchFacts : public testing::Test {
 protected:
  SwitchFacts() { apply_switches(settings, device); }
  ~SwitchFacts() override { apply_switches(settings, device); }

  [[nodiscard]] std::string fact(const char* key) const {
    return std::string(switch_facts(device, settings).get(key));
  }

  const run::Settings settings;
  const c10::Device device{c10::kCPU};
};

TEST_F(SwitchFacts, TellTheExecutorAndGradientsAsTorchHasThem) {
  EXPECT_EQ(fact("switch.executor"), "optimise off, profiling off, fuser off");
  EXPECT_EQ(fact("switch.gradients"), "off");
  torch::jit::getProfilingMode() = true;
  EXPECT_EQ(fact("switch.executor"), "optimise off, profiling on, fuser off");
  torch::jit::setGraphExecutorOptimize(true);
  EXPECT_EQ(fact("switch.executor"), "optimise on, profiling on, fuser off");
  at::GradMode::set_enabled(true);
  EXPECT_EQ(fact("switch.gradients"), "on");
}

TEST_F(SwitchFacts, LeaveToTheRecordingWhatTheRecordingDecides) {
  for (const char* key : {"switch.dtype", "switch.taps", "switch.seed"}) {
    EXPECT_EQ(fact(key), "") << key;
  }
}

}  // namespace
}  // namespace parity::model
