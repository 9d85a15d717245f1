#include "synthetic/compute/made_up.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(MadeUpCompute, TakesABatch) {
  SteadyClock clock;
  parse_compute("made-up").make({.clock = clock, .stop = {}})->consume({});
}

}  // namespace
}  // namespace loadline
