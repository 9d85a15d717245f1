#include "harness/plan/placement.h"

#include <gtest/gtest.h>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::thrown_by;
using test::usage;
using Cpus = std::vector<std::size_t>;

const CpusInForce kFour{.cpus = {0, 2, 4, 6}, .in_force = 4};

test::Thrown refusal(std::string_view placement, std::optional<std::size_t> threads = {}, CpusInForce cpus = kFour) {
  return thrown_by([&] { place_threads(placement, threads, cpus); });
}

TEST(Placement, SharedPinsNoThread) {
  const Threads threads = place_threads("shared", std::nullopt, kFour);
  EXPECT_EQ(threads.compute, 4U);
  EXPECT_EQ(threads.placement, Placement());
  EXPECT_EQ(place_threads("shared", 3, kFour).compute, 3U);
}

TEST(Placement, SplitGivesTheComputeTheLastCpus) {
  const Threads half = place_threads("split", std::nullopt, kFour);
  EXPECT_EQ(half.compute, 2U);
  EXPECT_EQ(half.placement, (Placement{"split", {0, 2}, {4, 6}}));
  EXPECT_EQ(place_threads("split", 3, kFour).placement, (Placement{"split", {0}, {2, 4, 6}}));
  EXPECT_EQ(place_threads("split", std::nullopt, {.cpus = {0, 1, 2}, .in_force = 3}).compute, 1U);
}

TEST(Placement, SplitRespectsTheLimitOfTheControlGroup) {
  EXPECT_EQ(place_threads("split", std::nullopt, {.cpus = {0, 1, 2, 3, 4, 5}, .in_force = 2}).compute, 1U);
}

TEST(Placement, PinGivesTheComputeTheCpusListed) {
  const Threads threads = place_threads("pin:2,6", std::nullopt, kFour);
  EXPECT_EQ(threads.compute, 2U);
  EXPECT_EQ(threads.placement, (Placement{"pin:2,6", {0, 4}, {2, 6}}));
  EXPECT_EQ(place_threads("pin:1-3,5", 2, {.cpus = {0, 1, 2, 3, 4, 5}, .in_force = 6}).placement,
            (Placement{"pin:1-3,5", {0, 4}, {1, 2, 3, 5}}));
}

TEST(Placement, RefusesMoreComputeThreadsThanThereAreCpus) {
  EXPECT_EQ(refusal("shared", 5), usage("--compute-threads 5: want at most 4, the CPUs in force"));
  EXPECT_EQ(refusal("split", 4),
            usage("--compute-threads 4: want at most 3, the CPUs in force less one for the workers"));
  EXPECT_EQ(refusal("pin:0,2", 3), usage("--compute-threads 3: want at most 2, the CPUs that --placement lists"));
}

TEST(Placement, RefusesImpossiblePlacements) {
  EXPECT_EQ(refusal("split", {}, {.cpus = {3}, .in_force = 1}),
            usage("--placement split: it needs at least 2 CPUs, but 1 is in force"));
  EXPECT_EQ(refusal("pin:0,1"), usage("--placement pin:0,1: this process may not run on CPU 1, only on 0,2,4,6"));
  EXPECT_EQ(refusal("pin:0,2,4,6"), usage("--placement pin:0,2,4,6: it leaves no CPU for the workers"));
  EXPECT_EQ(
      refusal("splt"),
      usage("--placement 'splt': want one of shared, split, numa, numa:replicate, pin:LIST (did you mean split?)"));
  for (const char* list : {"", "a", "2,", "2-", "4-2", "2,2", "4,2", "2;4", "-2"}) {
    const std::string placement = std::string("pin:") + list;
    EXPECT_EQ(refusal(placement),
              usage("--placement " + placement + ": want CPUs or ranges in ascending order, such as pin:0-3,8"));
  }
}

}  // namespace
}  // namespace loadline
