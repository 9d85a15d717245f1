#include "harness/measure/memory_need.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/batch_pool.h"
#include "tests/harness/support/results.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::result_of;
using testing::ElementsAre;
using testing::Pair;

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;

// 60,000 samples of 28 x 28 in a mapped file; an IO cell of 9 slots of 100 samples each.
Result prepared_for_memory() {
  Result result = result_of({{.mode = Mode::kIo, .rates = {}, .loader = "thread-pool", .workers = 4}});
  result.datasets[0].info.stored_bytes = 47'100'000;
  result.cells[0].slots = 9;
  result.cells[0].slot_bytes = 1'000'000;
  return result;
}

std::vector<std::pair<std::string, std::uint64_t>> parts_of(const MemoryNeed& need) {
  std::vector<std::pair<std::string, std::uint64_t>> parts;
  for (const MemoryPart& part : need.parts) parts.emplace_back(part.what, part.bytes);
  return parts;
}

TEST(MemoryNeed, OfACellIsThatOfItsLabelsOrdersSlotsAndCompute) {
  Result result = prepared_for_memory();
  result.cells[0].compute_bytes = 5'000;
  const MemoryNeed need = memory_need(result);
  EXPECT_THAT(parts_of(need),
              ElementsAre(Pair("the labels of /data/mnist", 240'000U),
                          Pair("the sample orders of mnist/IO/thread-pool/workers:4/batch:100", 480'000U),
                          Pair("the slots of mnist/IO/thread-pool/workers:4/batch:100", 9U * 1'003'520),
                          Pair("the compute of mnist/IO/thread-pool/workers:4/batch:100", 5'000U)));
  EXPECT_EQ(need.total_bytes(), 9'756'680U);
}

TEST(MemoryNeed, OfASlotIsWhatThePoolAllocates) {
  EXPECT_EQ(BatchPool(1, 100, 10'000).slot_size_bytes(), 1'003'520U);
  // The gaps between samples, labels and indices do not fit on the last of 25 pages.
  EXPECT_EQ(BatchPool(1, 100, 1'016).slot_size_bytes(), 26U * 4096);
  Result result = prepared_for_memory();
  result.cells[0].slot_bytes = 101'600;
  EXPECT_THAT(parts_of(memory_need(result)),
              testing::Contains(Pair("the slots of mnist/IO/thread-pool/workers:4/batch:100", 9U * 26 * 4096)));
}

TEST(MemoryNeed, OfCellsIsThatOfTheLargestBecauseTheyRunInTurn) {
  Result result = prepared_for_memory();
  result.cells.push_back(result.cells[0]);
  result.cells[1].slots = 20;
  EXPECT_EQ(memory_need(result).total_bytes(), 240'000U + 480'000 + 20 * 1'003'520);
}

TEST(MemoryNeed, CountsEachCopyOfSamplesInMemory) {
  Result result = prepared_for_memory();
  result.datasets[0].info.access = Access::kResident;
  result.cells[0].cell.dataset.memory = {.nodes = {0, 1}, .replicated = true};
  EXPECT_THAT(parts_of(memory_need(result)),
              testing::Contains(Pair("the samples of /data/mnist in memory on 2 NUMA nodes", 2 * 47'040'000U)));
  result.cells[0].cell.dataset.memory.replicated = false;
  EXPECT_THAT(parts_of(memory_need(result)),
              testing::Contains(Pair("the samples of /data/mnist in memory", 47'040'000U)));
}

TEST(MemoryNeed, CountsSamplesInMemoryOfAllDatasetsAtOnce) {
  Result result = prepared_for_memory();
  result.datasets[0].info.access = Access::kResident;
  result.datasets.push_back(result.datasets[0]);
  result.datasets[1].path = "/data/other";
  const auto parts = parts_of(memory_need(result));
  EXPECT_THAT(parts, testing::Contains(Pair("the samples of /data/mnist in memory", 47'040'000U)));
  EXPECT_THAT(parts, testing::Contains(Pair("the samples of /data/other in memory", 47'040'000U)));
}

TEST(MemoryNeed, CountsOrdersThatAreDrawnInMemory) {
  Result result = prepared_for_memory();
  result.datasets[0].info.samples = 4'194'304;
  const MemoryUse use = memory_use(memory_need(result), {.memory_available_bytes = std::uint64_t{32} << 20});
  EXPECT_EQ(use.largest, "the sample orders of mnist/IO/thread-pool/workers:4/batch:100");
  EXPECT_EQ(use.largest_bytes, 33'554'432U);
  EXPECT_EQ(test::thrown_by([&] { check_memory(use); }),
            test::usage("the run needs 56.6 MiB of memory, 32.0 MiB of it for the sample orders of "
                        "mnist/IO/thread-pool/workers:4/batch:100, and MemAvailable leaves 32.0 MiB; reduce the need "
                        "or allow more memory"));
}

TEST(MemoryNeed, OfFourBillionCropsHasNoOrders) {
  Result result = prepared_for_memory();
  result.datasets[0].info.volume = VolumeShape{.edge = 256, .input_channels = 4, .target_channels = 5};
  result.datasets[0].info.samples = 4'000'000'000;
  EXPECT_EQ(memory_need(result).total_bytes(), 9U * 1'003'520) << "the slots";
}

TEST(MemoryNeed, LeavesOutLabelsThatStayInTheirFile) {
  Result result = prepared_for_memory();
  result.datasets[0].info.labels_in_memory = false;
  EXPECT_EQ(memory_need(result).total_bytes(), 480'000U + 9 * 1'003'520);
}

TEST(MemoryNeed, LeavesOutSequentialOrders) {
  Result result = prepared_for_memory();
  result.cells[0].cell.sampler.order = Order::kSequential;
  EXPECT_EQ(memory_need(result).total_bytes(), 240'000U + 9 * 1'003'520);
}

TEST(MemoryNeed, CountsACeilingInsteadOfTheCellsIfItNeedsMore) {
  Result result = prepared_for_memory();
  result.environment.machine.last_level_cache_bytes = 4 * kMebi;
  result.environment.machine.memory_available_bytes = 8192 * kMebi;
  test::add_ceiling(result, test::ceiling("memory-copy", 4), {}, {0});
  EXPECT_THAT(parts_of(memory_need(result)), ElementsAre(Pair("the labels of /data/mnist", 240'000U),
                                                         Pair("the ceiling memory-copy/threads:4", 16 * kMebi)));
}

TEST(MemoryNeed, CountsTheSlotsOfEachThreadThatFillsForOthers) {
  const auto part_of = [](const std::string& ceiling) {
    Result result = prepared_for_memory();
    test::add_ceiling(result, test::ceiling(ceiling, 5), {}, {0});
    return parts_of(memory_need(result)).back();
  };
  // One thread reads what the other four fill; or all five fill.
  EXPECT_THAT(part_of("gather-across"),
              Pair("the ceiling gather-across/mnist/data:0/batch:100/threads:5", 480'000U + 4 * 5 * 1'000'000));
  EXPECT_THAT(part_of("gather-exchange"),
              Pair("the ceiling gather-exchange/mnist/data:0/batch:100/threads:5", 480'000U + 5 * 5 * 1'000'000));
  EXPECT_THAT(part_of("drain"),
              Pair("the ceiling drain/mnist/data:0/batch:100/threads:5", 7U * 1'000'000 + 4 * 4'194'304));
}

TEST(MemoryNeed, CountsTheCopyThatCeilingsReadIfSamplesAreNotInTheAddressSpace) {
  Result result = prepared_for_memory();
  result.datasets[0].info.access = Access::kChunks;
  result.environment.machine.memory_available_bytes = 80'000'000;
  test::add_ceiling(result, test::ceiling("gather", 4), {}, {0});
  EXPECT_THAT(parts_of(memory_need(result)),
              testing::Contains(Pair("a copy of /data/mnist for ceilings", 10'000'000U)));
}

TEST(CopiedForCeilings, IsAtMost256MiBOfLabelledSamplesAndAnEighthOfTheMemoryLeft) {
  DatasetInfo photos;
  photos.encoded = true;
  photos.stored_bytes = 200 * kMebi;
  EXPECT_EQ(copied_for_ceilings_bytes(photos, {.memory_available_bytes = 8192 * kMebi}), 200 * kMebi);
  EXPECT_EQ(copied_for_ceilings_bytes(photos, {.memory_available_bytes = 80 * kMebi}), 10 * kMebi);
  photos.stored_bytes = 1000 * kMebi;
  EXPECT_EQ(copied_for_ceilings_bytes(photos, {.memory_available_bytes = 8192 * kMebi}), 256 * kMebi);
}

TEST(CopiedForCeilings, IsAllOfATextOrNothing) {
  DatasetInfo text;
  text.text = TextShape{.bytes = 1000 * kMebi};
  EXPECT_EQ(copied_for_ceilings_bytes(text, {.memory_available_bytes = 8000 * kMebi}), 1000 * kMebi);
  EXPECT_EQ(copied_for_ceilings_bytes(text, {.memory_available_bytes = 7999 * kMebi}), 0U);
}

TEST(MemoryNeed, IsMultipliedByTheNumberOfProcesses) {
  EXPECT_THAT(parts_of(memory_need(prepared_for_memory(), 8)),
              testing::Contains(
                  Pair("the slots of mnist/IO/thread-pool/workers:4/batch:100 in 8 processes", 8U * 9 * 1'003'520)));
}

TEST(MemoryNeed, ThatOverflowsIsTheHighestNumber) {
  Result result = prepared_for_memory();
  result.cells[0].slots = ~std::size_t{0};
  EXPECT_EQ(memory_need(result).total_bytes(), ~std::uint64_t{0});
}

TEST(MemoryUse, IsComparedWithTheLimitThatLeavesLeast) {
  const MemoryNeed need{.parts = {{"slots", 1000}, {"orders", 500}}, .mapped_bytes = 10'000};
  const auto limit_of = [&](const Machine& machine) { return memory_use(need, machine).limit; };
  EXPECT_EQ(limit_of({}), "");
  EXPECT_EQ(limit_of({.memory_available_bytes = 4000, .cgroup_memory_limit_bytes = 5000}), "MemAvailable");
  EXPECT_EQ(limit_of({.memory_available_bytes = 4000, .cgroup_memory_limit_bytes = 3000}),
            "the memory limit of the control group");
  EXPECT_EQ(limit_of({.memory_available_bytes = 4000, .data_left_bytes = 2000}), "RLIMIT_DATA");
}

TEST(MemoryUse, CountsMappedFilesAndStacksOnlyAgainstTheAddressSpace) {
  const MemoryNeed need{.parts = {{"slots", 1000}}, .mapped_bytes = 10'000};
  const MemoryUse use = memory_use(need, {.memory_available_bytes = 2000, .address_space_left_bytes = 10'500});
  EXPECT_EQ(use.limit, "RLIMIT_AS");
  EXPECT_EQ(use.needed_bytes, 11'000U);
  EXPECT_EQ(use.available_bytes, 10'500U);
}

TEST(MemoryUse, OfSeveralProcessesCountsOneAgainstItsOwnLimits) {
  const MemoryNeed need{.parts = {{"slots in 4 processes", 4000}}};
  const MemoryUse use = memory_use(need, {.memory_available_bytes = 5000, .data_left_bytes = 1100}, 4);
  EXPECT_EQ(use.limit, "RLIMIT_DATA");
  EXPECT_EQ(use.needed_bytes, 1000U);
}

TEST(MemoryUse, IsNotRefusedIfItFits) {
  EXPECT_NO_THROW(check_memory({.needed_bytes = 1000, .available_bytes = 1000}));
  EXPECT_NO_THROW(check_memory({.needed_bytes = 1000}));
}

}  // namespace
}  // namespace loadline
