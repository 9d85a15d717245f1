#include "harness/plan/numa.h"

#include <gtest/gtest.h>

#include <numeric>

#include "harness/plan/placement.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::thrown_by;
using test::usage;
using Cpus = std::vector<std::size_t>;

Cpus range(std::size_t begin, std::size_t end) {
  Cpus cpus(end - begin);
  std::iota(cpus.begin(), cpus.end(), begin);
  return cpus;
}

// Two nodes of four cores with two hyperthreads each, as Linux numbers them: CPU 8 is the second hyperthread of core 0.
std::vector<NumaNode> two_nodes() {
  return {{.number = 0, .cores = {{0, 8}, {1, 9}, {2, 10}, {3, 11}}, .distances = {10, 21}},
          {.number = 1, .cores = {{4, 12}, {5, 13}, {6, 14}, {7, 15}}, .distances = {21, 10}}};
}

CpusInForce in_force(const Cpus& cpus, std::vector<NumaNode> nodes = two_nodes()) {
  return {.cpus = cpus, .in_force = cpus.size(), .nodes = std::move(nodes)};
}

Placement placed(const CpusInForce& cpus, std::optional<std::size_t> compute_threads = 1) {
  return place_threads("numa", compute_threads, cpus).placement;
}

Cpus nodes_of_workers(const Placement& placement, std::size_t workers) {
  Cpus nodes;
  for (std::size_t i = 0; i < workers; ++i) nodes.push_back(*placement.node_of_worker(i));
  return nodes;
}

TEST(NumaPlacement, GivesTheStepAWholeCoreAndWorkersTheRestByNode) {
  const Placement placement = placed(in_force(range(0, 16)));
  EXPECT_EQ(placement.name, "numa");
  EXPECT_EQ(placement.compute_cpus, (Cpus{3, 11}));
  EXPECT_EQ(placement.nodes, (std::vector<NodeCpus>{{0, {0, 1, 2, 8, 9, 10}}, {1, {4, 5, 6, 7, 12, 13, 14, 15}}}));
  EXPECT_EQ(placement.worker_cpus, (Cpus{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15}));
  EXPECT_EQ(placement.slot_node, 0U);
  EXPECT_EQ(placement.data_nodes, (Cpus{0, 1}));
}

TEST(NumaPlacement, FillsCoresBeforeHyperthreadsAndItsOwnNodeBeforeTheOther) {
  const Placement placement = placed(in_force(range(0, 16)));
  EXPECT_EQ(nodes_of_workers(placement, 14), (Cpus{0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(nodes_of_workers(placement, 16).back(), 0U) << "more workers than CPUs begin anew";
  const auto cpus = placement.cpus_of_workers(4);
  EXPECT_EQ(cpus[2], (Cpus{0, 1, 2, 8, 9, 10}));
  EXPECT_EQ(cpus[3], (Cpus{4, 5, 6, 7, 12, 13, 14, 15}));
}

TEST(NumaPlacement, GivesAWholeNodeToAStepThatComputes) {
  const Threads half = place_threads("numa", std::nullopt, in_force(range(0, 16)));
  EXPECT_EQ(half.compute, 8U);
  EXPECT_EQ(half.placement.compute_cpus, (Cpus{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(nodes_of_workers(half.placement, 5), (Cpus{1, 1, 1, 1, 1}));
  EXPECT_EQ(half.placement.slot_node, 0U);
  EXPECT_EQ(half.placement.data_nodes, (Cpus{1}));
}

TEST(NumaPlacement, GoesOnToTheNextNodeForALargerStep) {
  const Placement placement = placed(in_force(range(0, 16)), 9);
  EXPECT_EQ(placement.compute_cpus, (Cpus{0, 1, 2, 3, 7, 8, 9, 10, 11, 15}));
  EXPECT_EQ(placement.worker_cpus, (Cpus{4, 5, 6, 12, 13, 14}));
}

TEST(NumaPlacement, KeepsToTheCpusOfACgroup) {
  // Two whole cores of node 0, one of node 1, and one hyperthread of another.
  const Placement placement = placed(in_force({0, 1, 5, 6, 8, 9, 13}));
  EXPECT_EQ(placement.compute_cpus, (Cpus{1, 9}));
  EXPECT_EQ(placement.nodes, (std::vector<NodeCpus>{{0, {0, 8}}, {1, {5, 6, 13}}}));
  EXPECT_EQ(nodes_of_workers(placement, 5), (Cpus{0, 1, 1, 0, 1}));
}

TEST(NumaPlacement, PutsTheStepWhereTheProcessHasTheMostCpus) {
  const Placement placement = placed(in_force({3, 4, 5, 6, 7}));
  EXPECT_EQ(placement.compute_cpus, (Cpus{7}));
  EXPECT_EQ(placement.slot_node, 1U);
  EXPECT_EQ(nodes_of_workers(placement, 4), (Cpus{1, 1, 1, 0}));
  EXPECT_EQ(placement.data_nodes, (Cpus{1, 0}));
}

TEST(NumaPlacement, StaysOnThePartOfANodeThatSlurmBoundTheProcessTo) {
  const Placement placement = placed(in_force({6, 7, 14, 15}));
  EXPECT_EQ(placement.compute_cpus, (Cpus{7, 15}));
  EXPECT_EQ(placement.worker_cpus, (Cpus{6, 14}));
  EXPECT_EQ(nodes_of_workers(placement, 3), (Cpus{1, 1, 1}));
  EXPECT_EQ(placement.slot_node, 1U);
  EXPECT_EQ(placement.data_nodes, (Cpus{1}));
}

TEST(NumaPlacement, LeavesWorkersAHyperthreadIfThereIsOneCore) {
  const Placement placement = placed(in_force({2, 10}));
  EXPECT_EQ(placement.compute_cpus, (Cpus{10}));
  EXPECT_EQ(placement.worker_cpus, (Cpus{2}));
}

TEST(NumaPlacement, NeverRunsOnNodesWithoutCpusAndLeavesTheirMemoryAlone) {
  std::vector<NumaNode> nodes = two_nodes();
  nodes[0].distances = {10, 21, 13};
  nodes[1].distances = {21, 10, 23};
  nodes.push_back({.number = 2, .cores = {}, .distances = {13, 23, 10}});  // HBM beside node 0
  const Placement placement = placed(in_force(range(0, 16), nodes));
  EXPECT_EQ(nodes_of_workers(placement, 14), (Cpus{0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(placement.slot_node, 0U);
  EXPECT_EQ(placement.data_nodes, (Cpus{0, 1}));
}

TEST(NumaPlacement, TakesTheNearestMemoryForANodeWithoutAny) {
  std::vector<NumaNode> nodes = two_nodes();
  nodes[0].memory = false;  // it has none, or the cpuset forbids it
  nodes[0].distances = {10, 21, 17};
  nodes[1].distances = {21, 10, 28};
  nodes.push_back({.number = 4, .cores = {}, .distances = {17, 28, 10}});
  const Placement placement = placed(in_force(range(0, 16), nodes));
  EXPECT_EQ(placement.compute_cpus, (Cpus{3, 11}));
  EXPECT_EQ(placement.slot_node, 4U);
  EXPECT_EQ(placement.data_nodes, (Cpus{4, 1}));
}

TEST(NumaPlacement, TakesNearNodesFirst) {
  std::vector<NumaNode> nodes;
  for (std::size_t i = 0; i < 4; ++i) nodes.push_back({.number = i, .cores = {{2 * i}, {2 * i + 1}}});
  nodes[0].distances = {10, 32, 32, 12};
  EXPECT_EQ(nodes_of_workers(placed(in_force(range(0, 8), nodes)), 7), (Cpus{0, 3, 3, 1, 1, 2, 2}));
  nodes[0].distances = {};
  EXPECT_EQ(nodes_of_workers(placed(in_force(range(0, 8), nodes)), 7), (Cpus{0, 1, 1, 2, 2, 3, 3}));
}

TEST(NumaPlacement, OfOneNodeIsASplitWithMemoryOnThatNode) {
  const std::vector<NumaNode> one{{.number = 0, .cores = {{0}, {1}}, .distances = {10}}};
  const Placement placement = placed(in_force({0, 1}, one));
  EXPECT_EQ(placement.worker_cpus, Cpus{0});
  EXPECT_EQ(placement.compute_cpus, Cpus{1});
  EXPECT_EQ(placement.slot_node, 0U);
}

TEST(NumaPlacement, RespectsTheQuotaOfTheControlGroup) {
  CpusInForce cpus = in_force(range(0, 16));
  cpus.in_force = 4;
  EXPECT_EQ(place_threads("numa", std::nullopt, cpus).compute, 2U);
  EXPECT_EQ(place_threads("numa", std::nullopt, cpus).placement.compute_cpus, (Cpus{3, 11}));
}

TEST(NumaPlacement, NamesNoNodeIfThePlacementIsShared) {
  const Placement shared = place_threads("shared", 1, in_force(range(0, 16))).placement;
  EXPECT_EQ(shared.node_of_worker(0), std::nullopt);
  EXPECT_TRUE(shared.cpus_of_workers(4).empty());
  EXPECT_TRUE(shared.slot_nodes().empty());
}

TEST(NumaPlacement, RefusesImpossiblePlacements) {
  const auto refusal = [](std::string_view placement, std::optional<std::size_t> threads, const CpusInForce& cpus) {
    return thrown_by([&] { place_threads(placement, threads, cpus); });
  };
  EXPECT_EQ(
      refusal("numa", {}, {.cpus = {0, 1}, .in_force = 2}),
      usage("--placement numa: this system reports no NUMA nodes (/sys/devices/system/node); use --placement split"));
  EXPECT_EQ(refusal("numa:replicate", {}, in_force({5})),
            usage("--placement numa:replicate: it needs at least 2 CPUs, but 1 is in force"));
  EXPECT_EQ(refusal("numa", 4, in_force({4, 5, 12, 13})),
            usage("--compute-threads 4: want at most 3, the CPUs in force less one for the workers"));
  EXPECT_EQ(refusal("numa:0", {}, in_force({0, 1})),
            usage("--placement 'numa:0': want one of shared, split, numa, numa:replicate, pin:LIST (did you mean "
                  "numa?)"));
}

}  // namespace
}  // namespace loadline
