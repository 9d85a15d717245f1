#include "harness/show/noise_text.h"

#include <gtest/gtest.h>

#include "tests/harness/support/noise.h"

namespace loadline {
namespace {

NoiseFloor noise() {
  NoiseFloor noise = test::noise_of({test::part_with(0.15, Mode::kIo, "a"), test::part_with(0.002, Mode::kFull, "b")});
  noise.machine.kernel_release = "6.1.0";
  noise.machine.load_average_1_minute = 0.12;
  noise.boost = true;
  return noise;
}

TEST(NoiseText, ShowsTheFloorOfEachModeAndHowItWasMeasured) {
  EXPECT_EQ(noise_text(noise()),
            "noise floor of host: IO 15 %, FULL 0.2 % (5 pairs of runs of 3 trials)\n"
            "\n"
            "cell  cache   trial  spread of two runs  floor\n"
            "a     warm   250 ms               5.4 %   15 %\n"
            "b     warm   250 ms             0.078 %  0.2 %\n"
            "floor: 19 in 20 further pairs of such runs differ by no more than this\n"
            "measured on 4 CPUs, kernel 6.1.0, boost on, load 0.12 before\n");
}

TEST(NoiseText, WarnsOfAFloorThatHidesMostChanges) {
  EXPECT_EQ(noise_warning(noise()),
            "warning: two identical runs differ by up to 15 % in IO: smaller changes will go unnoticed on this host; "
            "measure again when it is idle, or with more --trials or longer --trial-seconds\n");
}

}  // namespace
}  // namespace loadline
