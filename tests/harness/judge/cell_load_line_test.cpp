#include "harness/judge/cell_load_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

// A cold epoch of 60,000 samples of 1,000 bytes in random order, in blocks of 60,000 bytes. Storage delivers 500,000
// samples/s both around the page cache and through it; memory delivers a million.
Result cold_epoch() {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {310e3, 310e3, 310e3}, .loader = "thread-pool"}});
  CellResult& cell = result.cells[0];
  cell.cell.cache = CacheState::kCold;
  for (Trial& trial : cell.trials) {
    trial = test::trial_of(310e3, 100, 600);
    trial.usage.device_read_bytes = 60'000'000;
  }
  DatasetInfo& info = result.datasets[0].info;
  info.stored_bytes = 60'000'000;
  info.access = Access::kMapped;
  Ceiling mapped = test::ceiling("mapped-read", 2);
  mapped.request_bytes = 60'000;
  mapped.request_order = RequestOrder::kRandom;
  test::add_ceiling(result, mapped, {500e6, 500e6, 500e6}, {0});
  test::add_ceiling(result, test::ceiling("gather-drain", 2), {1e6, 1e6, 1e6}, {0});
  return result;
}

std::string sentence(const Result& result) {
  const CellResult& cell = result.cells[0];
  return load_line_sentence(result, cell, load_line_of(result, cell, nullptr), false);
}

TEST(CellLoadLine, SaysHowMuchOfADevicesRateRandomOrderLeaves) {
  Result result = cold_epoch();
  const std::string of_ceiling =
      " IO reaches 62.0 ± 0.0 % of the mapped-read ceiling (500.0 ± 0.0 k samples/s with many requests at a time).";
  EXPECT_EQ(sentence(result),
            of_ceiling +
                " In random order the first samples need nearly all of the files: reading (mapped-read) and then "
                "filling (gather-drain) allow 344 k samples/s, of which IO reaches 90 %.");
  result.cells[0].cell.sampler.order = Order::kSequential;
  EXPECT_EQ(sentence(result), of_ceiling);
  result = cold_epoch();
  result.cells[0].trials[1] = test::trial_of(310e3, 100, 300);
  EXPECT_EQ(sentence(result), of_ceiling) << "half an epoch";
  result = cold_epoch();
  for (CeilingTrial& trial : result.ceilings[1].trials) trial.amount = 0.2e6;
  for (Trial& trial : result.cells[0].trials) trial = test::trial_of(210e3, 100, 600);
  EXPECT_EQ(sentence(result),
            " IO reaches 52.5 ± 0.0 % of the gather-drain ceiling (400.0 ± 0.0 k samples/s with 2 threads). In random "
            "order the first samples need nearly all of the files: reading (mapped-read) and then filling "
            "(gather-drain) allow 233 k samples/s, of which IO reaches 90 %.");
  result = cold_epoch();
  test::add_ceiling(result, test::ceiling("drain", 3), {0.4e6, 0.4e6, 0.4e6}, {0});
  for (Trial& trial : result.cells[0].trials) trial = test::trial_of(210e3, 100, 600);
  EXPECT_EQ(sentence(result),
            " IO reaches 52.5 ± 0.0 % of the drain ceiling (400.0 ± 0.0 k samples/s with one thread that reads what 2 "
            "others wrote). In random order the first samples need nearly all of the files: reading (mapped-read) and "
            "then taking (drain) allow 233 k samples/s, of which IO reaches 90 %.");
  result = cold_epoch();
  for (CeilingTrial& trial : result.ceilings[1].trials) trial.amount = 50e6;
  EXPECT_EQ(sentence(result), of_ceiling) << "filling takes no time beside reading";
}

// Cold photographs in files, of each of which reading takes 20 µs of CPU time and decoding 30 µs.
Result cold_photographs(std::size_t workers) {
  Result result =
      test::result_of({{.mode = Mode::kIo, .rates = {36e3, 36e3, 36e3}, .loader = "thread-pool", .workers = workers}});
  result.cells[0].cell.cache = CacheState::kCold;
  result.environment.machine.threads_in_force = 2;
  result.datasets[0].info.access = Access::kFiles;
  test::add_ceiling(result, test::ceiling("device-iops", 64), {80e3, 80e3, 80e3}, {0});
  test::add_ceiling(result, test::ceiling("gather-drain", 2), {60e3, 60e3, 60e3}, {0});
  for (CeilingTrial& trial : result.ceilings[0].trials) trial.cpu_seconds = 20e-6 * trial.amount;
  for (CeilingTrial& trial : result.ceilings[1].trials) trial.cpu_seconds = 30e-6 * trial.amount;
  return result;
}

TEST(CellLoadLine, SaysWhatTheCpuTimeOfReadingAndFillingAllows) {
  const std::string of_ceiling =
      " IO reaches 60.0 ± 0.0 % of the gather-drain ceiling (60.00 ± 0.00 k samples/s with 2 threads).";
  const std::string both =
      " Reading (device-iops) takes 20 µs of CPU time per sample and filling (gather-drain) 30 µs, ";
  EXPECT_EQ(sentence(cold_photographs(2)),
            of_ceiling + both + "so 2 CPUs allow 40 k samples/s, of which IO reaches 90 %.");
  EXPECT_EQ(sentence(cold_photographs(1)), of_ceiling) << "IO exceeds what 1 worker should allow";
  Result result = cold_photographs(2);
  result.cells[0].cell.dataset.read = FileRead::kUring;
  EXPECT_EQ(sentence(result), of_ceiling) << "the kernel reads";
  result = cold_photographs(2);
  result.cells[0].cell.loader = "train.py:make_loader";
  EXPECT_EQ(sentence(result), of_ceiling) << "its threads are its own";
  result = cold_photographs(1);
  for (Trial& trial : result.cells[0].trials) trial = test::trial_of(18e3, 100);
  EXPECT_EQ(sentence(result),
            " IO reaches 30.0 ± 0.0 % of the gather-drain ceiling (60.00 ± 0.00 k samples/s with 2 threads)." + both +
                "so 1 worker allows 20 k samples/s, of which IO reaches 90 %.");
  result = cold_photographs(8);
  result.environment.machine.threads_in_force = 16;
  result.cells[0].cell.placement.worker_cpus = {4, 5};
  EXPECT_EQ(sentence(result), of_ceiling + both + "so 2 CPUs allow 40 k samples/s, of which IO reaches 90 %.");
  result = cold_photographs(2);
  result.environment.machine.threads_in_force = 16;
  EXPECT_EQ(sentence(result), of_ceiling + both + "so 2 workers allow 40 k samples/s, of which IO reaches 90 %.");
  for (CeilingTrial& trial : result.ceilings[0].trials) trial.cpu_seconds = 1e-6 * trial.amount;
  EXPECT_EQ(sentence(result), of_ceiling) << "it allows more than the ceiling";
  result = cold_photographs(2);
  for (CeilingTrial& trial : result.ceilings[0].trials) trial.cpu_seconds.reset();
  EXPECT_EQ(sentence(result), of_ceiling) << "an older version";
  result = cold_photographs(2);
  result.cells[0].cell.cache = CacheState::kWarm;
  EXPECT_EQ(sentence(result), of_ceiling);
}

TEST(CellLoadLine, KnowsTheShareOfTheDeviceThatTrialsUsed) {
  Result result = cold_epoch();
  const auto share = [&] { return *device_share_of(result, result.cells[0]); };
  EXPECT_NEAR(share().used, 0.90, 0.005) << "with the filling, which comes behind";
  EXPECT_TRUE(share().with_filling);
  result.cells[0].cell.sampler.order = Order::kSequential;
  EXPECT_DOUBLE_EQ(share().used, 0.62);
  EXPECT_EQ(share().limit, CeilingUnit::kBytes);
  EXPECT_FALSE(share().with_filling);
  for (Trial& trial : result.cells[0].trials) trial.usage.device_read_bytes = 90'000'000;
  EXPECT_DOUBLE_EQ(share().used, 0.93) << "some of it for samples that were not delivered";
  result.cells[0].bounds = {1};  // gather-drain
  EXPECT_FALSE(device_share_of(result, result.cells[0]).has_value());
}

// Cold photographs that reach 196 of the 200 files/s that storage serves to so many requests at a time, in trials whose
// fastest ways were these.
Result limited_photographs(std::size_t requests, const std::vector<std::string>& ways) {
  Result result =
      test::result_of({{.mode = Mode::kIo, .rates = {196, 196, 196}, .loader = "thread-pool", .workers = 1}});
  result.cells[0].cell.cache = CacheState::kCold;
  result.datasets[0].info.access = Access::kFiles;
  test::add_ceiling(result, test::ceiling("device-iops", requests), std::vector<double>(ways.size(), 200), {0});
  for (std::size_t i = 0; i < ways.size(); ++i) result.ceilings[0].trials[i].way = ways[i];
  return result;
}

// It used to say "many requests at a time" of any number, and that storage is the limit.
TEST(CellLoadLine, SaysHowManyRequestsADeviceWasMeasuredWith) {
  const std::string begin = " IO reaches 98.0 ± 0.0 % of the device-iops ceiling (200.0 ± 0.0 samples/s with ";
  const std::string rung = "16 at a time";
  EXPECT_EQ(sentence(limited_photographs(16, {rung, rung, rung})),
            begin + "up to 16 requests at a time): storage is the limit for so few.");
  EXPECT_EQ(sentence(limited_photographs(16, {rung, "4 at a time", rung})),
            begin + "up to 16 requests at a time): storage is the limit.")
      << "as many as four times fewer";
  EXPECT_EQ(sentence(limited_photographs(1, {"", "", ""})),
            begin + "one request at a time): storage is the limit for so few.");
  EXPECT_EQ(sentence(limited_photographs(64, {"64 at a time", "64 at a time", "64 at a time"})),
            begin + "many requests at a time): storage is the limit.");
}

// A read of a whole file takes as long whether its beginning or its bytes do, so a folder on a disk of few reads per
// second was called short of bytes.
TEST(CellLoadLine, DoesNotSayWhetherReadsOrBytesAreTheLimitWhereBothAllowAsManySamples) {
  const auto limit = [](double bytes_per_second) {
    Result result = limited_photographs(64, {"64 at a time", "64 at a time", "64 at a time"});
    result.datasets[0].info.stored_bytes = 1000 * result.datasets[0].info.samples;
    test::add_ceiling(result, test::ceiling("device-read", 64), std::vector<double>(3, bytes_per_second), {0});
    return device_share_of(result, result.cells[0])->limit;
  };
  EXPECT_EQ(limit(200e3), std::nullopt);
  EXPECT_EQ(limit(280e3), std::nullopt);
  EXPECT_EQ(limit(320e3), CeilingUnit::kReads);
  EXPECT_EQ(limit(100e3), CeilingUnit::kBytes);
}

TEST(CellLoadLine, KnowsWhetherADeviceMayGiveMoreToMoreReads) {
  const auto share = [](std::size_t requests, const std::string& way) {
    const Result result = limited_photographs(requests, {way, way, way});
    return device_share_of(result, result.cells[0]);
  };
  EXPECT_DOUBLE_EQ(share(16, "16 at a time")->used, 0.98);
  EXPECT_EQ(share(16, "16 at a time")->limit, CeilingUnit::kReads);
  EXPECT_TRUE(share(16, "16 at a time")->of_few_reads);
  EXPECT_FALSE(share(16, "4 at a time")->of_few_reads);
  EXPECT_TRUE(share(32, "16 at a time")->of_few_reads) << "the most that were tried";
  EXPECT_TRUE(share(8, "4 at a time")->of_few_reads) << "likewise";
  EXPECT_FALSE(share(64, "64 at a time")->of_few_reads);
  EXPECT_FALSE(share(3, "").has_value()) << "three reads in flight say how long one takes";
}

}  // namespace
}  // namespace loadline
