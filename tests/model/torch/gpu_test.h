// Tests that need a GPU, and skip where there is none.
#pragma once

#include <optional>

#include <c10/core/Device.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "model/torch/device.h"

namespace parity::model {

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    run::Settings settings;
    settings.device = "cuda";
    try {
      device_.emplace(resolve_device(settings));
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::device) << error.what();
      GTEST_SKIP() << "SKIPPED: no GPU here: " << error.what();
    }
  }

  std::optional<c10::Device> device_;
};

}  // namespace parity::model
