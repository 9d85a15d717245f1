#include "loaders/system/numa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "loaders/batch_pool.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/memory.h"
#include "loaders/datasets/strided.h"

namespace loadline {
namespace {

using Pieces = std::vector<std::span<const std::byte>>;
using Nodes = std::vector<std::size_t>;

// Returns whether the system reports where memory lies; if not, there is nothing to check. Every Linux has a node 0.
bool system_tells() {
  const HugeMemory memory(1);
  return node_of(memory.bytes()).has_value();
}

TEST(Numa, ThreadsRunOnANode) {
  EXPECT_TRUE(node_here().has_value());
}

TEST(Numa, UntouchedMemoryIsOnNoNode) {
  const HugeMemory memory(1 << 20, Faults::kLater);
  EXPECT_EQ(node_of(memory.bytes()), std::nullopt);
  EXPECT_TRUE(pieces_by_node(Pieces{memory.bytes()}).empty());
  EXPECT_TRUE(pages_by_node(Pieces{}).empty());
}

TEST(Numa, MemoryLiesOnTheRequestedNode) {
  if (!system_tells()) GTEST_SKIP() << "the system does not tell on which node memory lies";
  const HugeMemory memory(3 << 20, Faults::kNow, Nodes{0});
  EXPECT_EQ(node_of(memory.bytes()), 0U);
  EXPECT_EQ(pages_by_node(Pieces{memory.bytes()}), (std::vector<OnNode>{{0, 768}}));
}

TEST(Numa, MemoryLiesElsewhereIfTheNodeDoesNotExist) {
  const HugeMemory memory(100, Faults::kNow, Nodes{1000});
  EXPECT_NE(node_of(memory.bytes()), 1000U);
}

TEST(Numa, SlotsAreCountedOnceTheyWereLent) {
  if (!system_tells()) GTEST_SKIP() << "the system does not tell on which node memory lies";
  BatchPool pool(3, 10, 1000, Nodes{0});
  EXPECT_EQ(pool.slot_memory().size(), 3U);
  EXPECT_TRUE(pieces_by_node(pool.slot_memory()).empty());
  const Batch first = pool.acquire();
  const Batch second = pool.acquire();
  EXPECT_EQ(pieces_by_node(pool.slot_memory()), (std::vector<OnNode>{{0, 2}}));
}

NodeMemory three_bytes() {
  HugeMemory memory(3);
  std::ranges::fill(memory.bytes(), std::byte{7});
  return memory;
}

TEST(NodeMemory, IsReadInPlaceIfItHasOneCopy) {
  const NodeMemory memory = three_bytes();
  EXPECT_EQ(memory.bytes().data(), memory.first().data());
  EXPECT_EQ(memory.all().size(), 1U);
}

TEST(NodeMemory, IsReadOnTheNodeOfTheThread) {
  const auto here = node_here();
  ASSERT_TRUE(here.has_value());
  NodeMemory memory = three_bytes();
  memory.replicate(Nodes{*here + 1, *here});
  ASSERT_EQ(memory.all().size(), 2U);
  const std::span<const std::byte> own = memory.bytes();
  EXPECT_EQ(own.data(), memory.all()[1].data());
  EXPECT_TRUE(std::ranges::equal(own, memory.first()));
  EXPECT_EQ(memory.here(memory.first().data() + 2), own.data() + 2);
}

TEST(NodeMemory, FallsBackToTheFirstCopy) {
  const auto here = node_here();
  ASSERT_TRUE(here.has_value());
  NodeMemory memory = three_bytes();
  memory.replicate(Nodes{*here + 1, *here + 2});
  EXPECT_EQ(memory.bytes().data(), memory.first().data());
}

TEST(NodeMemory, HoldsTheSameSamplesInEachCopyOfADataset) {
  HugeMemory memory(6);
  for (std::size_t i = 0; i < 6; ++i) memory.bytes()[i] = static_cast<std::byte>(i);
  const StridedDataset original({.format = "memory", .samples = 3, .shape = {1, 1, 2}, .classes = 1},
                                std::vector<std::int32_t>(3), std::move(memory));
  const auto here = node_here();
  ASSERT_TRUE(here.has_value());
  const auto copy = copy_to_memory(original, 6, {.nodes = {*here + 1, *here}, .replicated = true});
  EXPECT_EQ(copy->memory().size(), 2U);
  const auto reader = copy->make_reader(1);
  const SampleIndex last = 2;
  StoredSample sample;
  reader->read({&last, 1}, {&sample, 1});
  EXPECT_EQ(sample.data(), copy->memory()[1].data() + 4);
  EXPECT_EQ(sample[1], std::byte{5});
  EXPECT_EQ(content_fingerprint(*copy), content_fingerprint(original));
}

TEST(MemoryPlace, CountsItsCopies) {
  EXPECT_EQ(MemoryPlace().copies(), 1U);
  EXPECT_EQ((MemoryPlace{.nodes = {0, 1}, .replicated = false}.copies()), 1U);
  EXPECT_EQ((MemoryPlace{.nodes = {0, 1}, .replicated = true}.copies()), 2U);
  EXPECT_EQ((MemoryPlace{.nodes = {}, .replicated = true}.copies()), 1U);
}

}  // namespace
}  // namespace loadline
