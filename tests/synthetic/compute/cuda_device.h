// Tests that need a GPU. Without one they are skipped, with the reason.
#pragma once

#include <gtest/gtest.h>

#include "loaders/error.h"
#include "synthetic/compute/cuda_resources.h"

namespace loadline::test {

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    try {
      cuda::use_first_device();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

}  // namespace loadline::test
