#include "harness/ceilings/requests.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kGiB = 1024 * kMiB;

Cell cell_with(std::size_t workers, Order order = Order::kShuffled) {
  Cell cell{.workload = "cifar10", .mode = Mode::kIo};
  cell.loader = workers == 0 ? "serial" : "thread-pool";
  cell.workers = workers;
  cell.sampler.batch_size = 512;
  cell.sampler.order = order;
  return cell;
}

// 600,000 samples of 3,073 bytes in two files.
DatasetInfo records() {
  return {.samples = 600'000, .files = {"a", "b"}, .stored_bytes = 600'000 * std::size_t{3073}};
}

TEST(StorageRequests, OfMappedFilesAreTheBlocksThatWorkersRequestIfMemoryHoldsTheFiles) {
  const StorageRequests blocks{.bytes = 128 * kKiB, .at_a_time = 64, .order = RequestOrder::kRandom};
  EXPECT_EQ(storage_requests(cell_with(2), records(), 24 * kGiB), blocks);
  EXPECT_EQ(storage_requests(cell_with(2), records(), {}), blocks) << "not known";
}

TEST(StorageRequests, OfMappedFilesAreThePagesOfEachSampleIfMemoryCannotHoldTheFiles) {
  EXPECT_EQ(storage_requests(cell_with(2), records(), kGiB),
            (StorageRequests{.bytes = 4 * kKiB, .at_a_time = 64, .order = RequestOrder::kRandom, .of_a_sample = 1}));
  DatasetInfo large = records();
  large.samples = 12'000;
  EXPECT_EQ(storage_requests(cell_with(2), large, kGiB).bytes, 152 * kKiB)
      << "153,650 bytes lie on 38.5 pages on the average";
}

TEST(StorageRequests, InPageShuffledOrderServeSeveralSamples) {
  const Cell cell = cell_with(2, Order::kPageShuffled);
  EXPECT_EQ(storage_requests(cell, records(), kGiB).of_a_sample, std::nullopt);
  EXPECT_EQ(storage_requests(cell, records(), 24 * kGiB), storage_requests(cell_with(2), records(), 24 * kGiB));
}

TEST(StorageRequests, OfSmallDatasetsAreSmaller) {
  DatasetInfo little = records();
  little.stored_bytes = 5 * kMiB;
  EXPECT_EQ(storage_requests(cell_with(2), little, 24 * kGiB).bytes, 80 * kKiB);
}

TEST(StorageRequests, AreLargestAndInStoredOrderIfOnlyTheSystemReadsAhead) {
  const StorageRequests largest{.bytes = kMiB, .at_a_time = 64, .order = RequestOrder::kStored};
  EXPECT_EQ(storage_requests(cell_with(2, Order::kSequential), records(), 24 * kGiB), largest);
  EXPECT_EQ(storage_requests(cell_with(0), records(), 24 * kGiB), largest) << "serial";
  DatasetInfo by_library = records();
  by_library.access = Access::kRows;
  EXPECT_EQ(storage_requests(cell_with(2), by_library, 24 * kGiB), largest);
  DatasetInfo text = records();
  text.text.emplace();
  EXPECT_EQ(storage_requests(cell_with(2), text, 24 * kGiB), largest);
}

TEST(StorageRequests, OfSequencesAreInStoredOrderOnlyIfTheyAreConsecutive) {
  DatasetInfo info = records();
  info.tokens = TokenShape{
      .tokens = 900'000'000, .token_bytes = 2, .sequence_length = 1024, .sequences = Sequences::kConsecutive};
  EXPECT_EQ(storage_requests(cell_with(2, Order::kSequential), info, kGiB).order, RequestOrder::kStored);
  info.tokens->sequences = Sequences::kRandom;
  EXPECT_EQ(storage_requests(cell_with(2, Order::kSequential), info, kGiB),
            (StorageRequests{.bytes = 4 * kKiB, .at_a_time = 64, .order = RequestOrder::kRandom, .of_a_sample = 1}));
}

TEST(StorageRequests, OfACropAreOneRunPerLayerAndChannel) {
  DatasetInfo info = records();
  info.volume = VolumeShape{.edge = 256, .input_channels = 4, .target_channels = 5};
  Cell cell = cell_with(2);
  cell.dataset.crop_edge = 64;
  const StorageRequests requests = storage_requests(cell, info, kGiB);
  EXPECT_EQ(requests.bytes, 64 * kKiB) << "63 rows of 1,024 bytes and 256 bytes lie on 16.7 pages on the average";
  EXPECT_EQ(requests.of_a_sample, 9U * 64);
}

// 12,000 files of 2,900 bytes.
DatasetInfo files() {
  std::vector<std::filesystem::path> names(12'000);
  DatasetInfo info{.samples = 12'000, .files = FileNames(std::move(names)), .stored_bytes = 12'000 * 2900};
  info.access = Access::kFiles;
  return info;
}

TEST(StorageRequests, OfFilesAreAsManyAsTheirReaderKeepsInFlight) {
  Cell cell = cell_with(1);
  const auto at_a_time = [&] { return storage_requests(cell, files(), kGiB).at_a_time; };
  EXPECT_EQ(storage_requests(cell, files(), kGiB),
            (StorageRequests{.bytes = 2900, .at_a_time = 32, .order = RequestOrder::kRandom, .of_a_sample = 1}));
  cell.sampler.batch_size = 8;
  EXPECT_EQ(at_a_time(), 8U) << "within a batch";
  cell.workers = 4;
  EXPECT_EQ(at_a_time(), 32U) << "each worker has its own";
  cell.sampler.batch_size = 512;
  EXPECT_EQ(at_a_time(), 64U) << "more make no device faster";
  cell.dataset.read = FileRead::kMmap;
  EXPECT_EQ(at_a_time(), 4U) << "each is read when it is wanted";
  cell.dataset.read = FileRead::kUring;
  cell.dataset.ahead.requests = 10;
  EXPECT_EQ(at_a_time(), 40U);
  cell.loader = "flow-graph";
  EXPECT_EQ(at_a_time(), 10U) << "one ring for all";
  cell = cell_with(0);
  cell.dataset.read = FileRead::kMmap;
  EXPECT_EQ(at_a_time(), 1U);
}

TEST(StaysMapped, IfItFitsInNineTenthsOfTheMemory) {
  DatasetInfo info{.samples = 10, .stored_bytes = 900, .access = Access::kMapped};
  EXPECT_TRUE(stays_mapped(info, 1000));
  EXPECT_TRUE(stays_mapped(info, std::nullopt)) << "nobody knows better";
  EXPECT_FALSE(stays_mapped(info, 999));
  info.access = Access::kFiles;
  EXPECT_FALSE(stays_mapped(info, 1000));
}

TEST(LargestRequestBytes, AreOneMebibyteOrLessForSmallDatasets) {
  EXPECT_EQ(largest_request_bytes(kGiB), kMiB);
  EXPECT_EQ(largest_request_bytes(16 * kMiB + 100), 256 * kKiB);
  EXPECT_EQ(largest_request_bytes(0), 64 * kKiB);
}

}  // namespace
}  // namespace loadline
