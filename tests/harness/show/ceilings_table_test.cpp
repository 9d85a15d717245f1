#include "harness/show/ceilings_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::add_ceiling;
using test::ceiling;
using test::result_of;

TEST(CeilingsText, HasARowPerCeilingByKindAndSaysWhatEachLimits) {
  Result result = result_of({
      {.mode = Mode::kIo, .rates = {}},
      {.mode = Mode::kIo, .rates = {}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kFull, .rates = {}},
      {.mode = Mode::kFull, .rates = {}, .loader = "thread-pool", .workers = 2},
  });
  add_ceiling(result, ceiling("memory-read", 1), {21e9, 21e9}, {});
  add_ceiling(result, ceiling("gather-drain", 1), {4e6, 4.2e6}, {0});
  add_ceiling(result, ceiling("gather", 1), {5e6, 5.1e6}, {2});
  add_ceiling(result, ceiling("memory-read", 2), {}, {});
  add_ceiling(result, ceiling("hand-off", 2), {2e6}, {1, 3});
  add_ceiling(result, ceiling("page-cache", 2), {9e9}, {});
  result.ceilings[3].error = "out of memory";
  EXPECT_EQ(ceilings_text(result, judge_run(result)),
            "mean ± standard deviation of the trials\n"
            "\n"
            "ceiling       of                    threads             rate             limits\n"
            "memory-read                               1   21.00 ± 0.00 G  bytes/s\n"
            "memory-read                               2     not measured  bytes/s\n"
            "page-cache    mnist                       2          9.000 G  bytes/s\n"
            "gather        mnist f32, batch 100        1  5.050 ± 0.071 M  samples/s  serial FULL\n"
            "gather-drain  mnist f32, batch 100        1  4.100 ± 0.141 M  samples/s  serial IO\n"
            "hand-off                                  2          2.000 M  batches/s  thread-pool x 2\n"
            "\n"
            "  memory-read   reads one byte of every cache line in a block larger than the caches\n"
            "  page-cache    reads random blocks of the dataset's files by pread\n"
            "  gather        fills slots with random samples\n"
            "  gather-drain  fills slots with random samples, then reads them\n"
            "  hand-off      passes empty batches from one thread to another and back\n");
}

TEST(CeilingsText, TellsApartTheOrdersInWhichADeviceIsRead) {
  Result result = result_of({{.mode = Mode::kIo, .rates = {}}});
  for (const RequestOrder order : {RequestOrder::kStored, RequestOrder::kRandom}) {
    Ceiling read = ceiling("device-read", 64);
    read.request_bytes = 131072;
    read.request_order = order;
    add_ceiling(result, read, {2e9}, {});
  }
  EXPECT_THAT(ceilings_text(result, judge_run(result)),
              testing::HasSubstr("device-read  mnist, as stored       64  2.000 G  bytes/s\n"
                                 "device-read  mnist, random          64  2.000 G  bytes/s\n"));
}

TEST(LegendText, IsEmptyWithoutKinds) {
  EXPECT_EQ(legend_text({}), "");
}

}  // namespace
}  // namespace loadline
