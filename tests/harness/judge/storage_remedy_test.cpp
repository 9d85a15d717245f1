#include "harness/judge/storage_remedy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/judgement.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string_view remedy(std::optional<CeilingUnit> limit, const DatasetInfo& info, Cell cell = {}) {
  if (!cell.loader) cell.loader = "thread-pool";
  CellResult result;
  result.cell = cell;
  return words_of(storage_remedy(result, info, limit));
}

TEST(StorageRemedy, IsFewerBytesWhereBytesBindAndFewerReadsWhereReadsBind) {
  EXPECT_EQ(remedy(CeilingUnit::kBytes, {.access = Access::kFiles}), "a format with fewer bytes per sample");
  EXPECT_EQ(remedy(CeilingUnit::kBytes, {.access = Access::kMapped}), "a format with fewer bytes per sample");
  EXPECT_EQ(remedy(CeilingUnit::kReads, {.access = Access::kFiles}), "packed files with fewer reads per sample");
  EXPECT_EQ(remedy(std::nullopt, {.access = Access::kFiles}), "a format with fewer reads or bytes per sample");
}

TEST(StorageRemedy, NamesAnOrderOnlyWhereThatIsWhatScattersTheReads) {
  Cell cell;
  cell.sampler.order = Order::kShuffled;
  const DatasetInfo mapped{.access = Access::kMapped};
  EXPECT_EQ(remedy(CeilingUnit::kReads, mapped, cell), "--order page-shuffled with fewer reads per sample");
  DatasetInfo crops = mapped;
  crops.volume = VolumeShape{.edge = 256};
  EXPECT_EQ(remedy(CeilingUnit::kReads, crops, cell), "samples that need fewer reads");
  cell.loader = "loader.py:make_loader";
  EXPECT_EQ(remedy(CeilingUnit::kReads, mapped, cell), "samples that need fewer reads") << "its order is its own";
  cell.loader = "thread-pool";
  cell.sampler.order = Order::kPageShuffled;
  EXPECT_EQ(remedy(CeilingUnit::kReads, mapped, cell), "samples that need fewer reads");
}

// Cold photographs that wait for storage and reach 196 of the samples/s that this ceiling allows.
std::string sentence_at(const Ceiling& ceiling, double per_second) {
  Result result =
      test::result_of({{.mode = Mode::kIo, .rates = {196, 196, 196}, .loader = "thread-pool", .workers = 2}});
  result.datasets[0].info = {.samples = 1000, .stored_bytes = 1'000'000, .access = Access::kFiles};
  result.cells[0].cell.cache = CacheState::kCold;
  for (Trial& trial : result.cells[0].trials) {
    trial.wait.total_seconds = 0.9 * trial.wall_seconds;
    trial.usage.device_read_bytes = static_cast<std::uint64_t>(1000 * trial.samples);
  }
  test::add_ceiling(result, ceiling, std::vector<double>(3, per_second), {0});
  return judge_run(result).configurations[0].verdict.sentence;
}

// The advice used to be fewer bytes where the reads per second of a device are the limit.
TEST(StorageRemedy, FollowsTheCeilingThatTheTrialsReached) {
  const std::string reads = sentence_at(test::ceiling("device-iops", 64), 200);
  EXPECT_THAT(reads, HasSubstr("so more reads in flight can hardly help; use faster storage or packed files with fewer "
                               "reads per sample."));
  EXPECT_THAT(reads, Not(HasSubstr("fewer bytes")));
  const std::string bytes = sentence_at(test::ceiling("device-read", 64), 200e3);
  EXPECT_THAT(bytes, HasSubstr("so more reads in flight can hardly help; use faster storage or a format with fewer "
                               "bytes per sample."));
  EXPECT_THAT(bytes, Not(HasSubstr("fewer reads")));
}

}  // namespace
}  // namespace loadline
