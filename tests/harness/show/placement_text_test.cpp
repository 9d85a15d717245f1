#include "harness/show/placement_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::result_of;
using testing::ElementsAre;
using testing::IsEmpty;

// Three workers on two nodes, the step on node 0.
Result by_node() {
  Result result = result_of({{.mode = Mode::kIo, .rates = {100, 100}, .loader = "thread-pool", .workers = 3}});
  Placement& placement = result.cells[0].cell.placement;
  placement = {.name = "numa", .worker_cpus = {0, 1, 2, 4, 5}, .compute_cpus = {3, 11}};
  placement.turns = {0, 1, 1};
  placement.slot_node = 0;
  for (Trial& trial : result.cells[0].trials) trial.slot_nodes = {{.node = 0, .count = 7}};
  return result;
}

TEST(PlacementText, SaysWhereThreadsAndSlotsWere) {
  EXPECT_THAT(placement_lines(by_node()), ElementsAre("numa: step on CPUs 3,11, workers on CPUs 0-2,4-5 of NUMA nodes "
                                                      "0-1, slots on node 0"));
}

TEST(PlacementText, SaysWhatShareOfTheSlotsWasOnTheRequestedNode) {
  Result result = by_node();
  result.cells[0].trials[1].slot_nodes = {{.node = 0, .count = 6}, {.node = 1, .count = 1}};
  EXPECT_THAT(placement_lines(result),
              ElementsAre(testing::EndsWith("slots requested on node 0, where 92 % of them were")));
}

TEST(PlacementText, SaysThatTheSystemDoesNotReportWhereSlotsWere) {
  Result result = by_node();
  for (Trial& trial : result.cells[0].trials) trial.slot_nodes.clear();
  EXPECT_THAT(placement_lines(result),
              ElementsAre(testing::EndsWith("slots requested on node 0; the system does not report where they were")));
  result.cells[0].trials.clear();
  EXPECT_THAT(placement_lines(result), ElementsAre(testing::EndsWith("of NUMA nodes 0-1, slots on node 0")))
      << "of a plan";
}

TEST(PlacementText, IsEmptyForOtherPlacements) {
  EXPECT_THAT(placement_lines(result_of({{.mode = Mode::kIo, .rates = {100, 100}}})), IsEmpty());
}

}  // namespace
}  // namespace loadline
