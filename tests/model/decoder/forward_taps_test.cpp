// A failing operator is reported with the innermost module around it, and a silent run hands out
// nothing.
#include "model/decoder/forward_taps.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "model/collecting_sink.h"

namespace parity::model {
namespace {

at::Tensor two_zeros() { return at::zeros({2}); }

TEST(ForwardTaps, NamesTheInnermostModuleThatFailed) {
  CollectingSink sink;
  TapEmitter emitter(sink);
  const ForwardTaps taps(emitter, Instrumentation::taps, run::TapDepth::modules);
  try {
    (void)taps.module("outer", [&] {
      (void)taps.module("outer.first", two_zeros);
      return taps.module("outer.second", [] { return two_zeros().view({3}); });
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string(error.what()).find("outer.second"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("shape '[3]' is invalid"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(sink.names, (std::vector<std::string>{"outer.first"}))
      << "a failed module has no output to tap";
}

TEST(ForwardTaps, FiresLightOperatorsAtDepthOpsAlone) {
  for (const auto depth : {run::TapDepth::modules, run::TapDepth::ops}) {
    CollectingSink sink;
    TapEmitter emitter(sink);
    const ForwardTaps taps(emitter, Instrumentation::taps, depth);
    taps.op("layer", "aten.heavy", two_zeros());
    taps.light_op("layer", "aten.light", two_zeros());
    const std::vector<std::string> heavy = {"layer/aten.heavy"};
    const std::vector<std::string> both = {"layer/aten.heavy", "layer/aten.light"};
    EXPECT_EQ(sink.names, depth == run::TapDepth::ops ? both : heavy);
  }
}

TEST(ForwardTaps, HandsOutNothingWhenOnlyOutputsAreWanted) {
  CollectingSink sink;
  TapEmitter emitter(sink);
  const ForwardTaps taps(emitter, Instrumentation::outputs_only, run::TapDepth::ops);
  EXPECT_EQ(taps.module("layer", two_zeros).numel(), 2);
  taps.module_outputs("layer", {two_zeros(), two_zeros()});
  taps.op("layer", "aten.heavy", two_zeros());
  taps.light_op("layer", "aten.light", two_zeros());
  EXPECT_TRUE(sink.names.empty());
}

}  // namespace
}  // namespace parity::model
