#include "harness/measure/find.h"

#include <gtest/gtest.h>

#include <utility>

#include "harness/measure/prepare.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

class ProbeListener final : public RunObserver {
 public:
  void on_probe(const Result& result) override {
    ++probes;
    if (probes == stop_after) stop.request_stop();
    EXPECT_EQ(result.search->probes.size(), probes);
  }
  void on_trial(const Result& /*result*/, const CellResult& /*cell*/) override { ++trials; }

  std::size_t probes = 0;
  std::size_t trials = 0;
  std::size_t stop_after = 1000;
  std::stop_source stop;
};

class FindTest : public testing::Test {
 protected:
  FindTest() { make_images(4); }

  void make_images(std::uint32_t edge) {
    std::string labels = test::idx_header({64});
    for (int i = 0; i < 64; ++i) labels += static_cast<char>(i % 10);
    test::write(home_ / "mnist" / "train-images-idx3-ubyte", test::idx_images(64, edge, edge));
    test::write(home_ / "mnist" / "train-labels-idx1-ubyte", labels);
  }

  // `au` is so low that every trial reaches it, or so high that none does, whatever else the machine does.
  RunOptions options(const std::string& find, double au) const {
    return {.workloads = {"mnist"},
            .loaders = {"thread-pool"},
            .workers = {2},
            .batch_sizes = {8},
            .data = (home_ / "mnist").string(),
            .compute = "device:samples_per_second=1e6",
            .trials = 4,
            .trial_batches = 3,
            .first_epoch_seconds = 0,
            .ceilings = "off",
            .au = au,
            .find = find};
  }

  bool find(const RunOptions& options) {
    const PlanContext plan_context{.threads_in_force = 2, .data_directory = home_.path()};
    RunContext context{.clock = clock_, .stop = listener_.stop.get_token(), .observer = listener_};
    context.times_resumed = [this]() -> std::uint64_t { return ++looks_ < resumed_at_look_ ? 0 : 1; };
    prepare_run(make_plan(options, plan_context), result_, context);
    return find_and_run(options, plan_context, result_, context);
  }

  test::TemporaryDirectory home_;
  SteadyClock clock_;
  ProbeListener listener_;
  Result result_;
  // The run asks before and after each trial whether the process was stopped and resumed.
  std::size_t looks_ = 0;
  std::size_t resumed_at_look_ = 1;
};

TEST_F(FindTest, ProbesAgainIfTheProcessWasStoppedDuringAProbe) {
  EXPECT_TRUE(find(options("min-workers", 1e-6)));
  const std::size_t looks = std::exchange(looks_, 0);
  const std::size_t probes = std::exchange(listener_.probes, 0);
  result_ = {};
  resumed_at_look_ = 2;
  EXPECT_TRUE(find(options("min-workers", 1e-6)));
  EXPECT_GT(looks_, looks);
  EXPECT_EQ(listener_.probes, probes);
}

TEST_F(FindTest, ConfirmsTheFewestWorkersWithAWholeRun) {
  EXPECT_TRUE(find(options("min-workers", 1e-6)));
  ASSERT_TRUE(result_.search.has_value());
  EXPECT_EQ(result_.search->kind, "min-workers");
  EXPECT_EQ(result_.search->found, 1);
  EXPECT_EQ(result_.search->confirmed, 1);
  const auto& probes = result_.search->probes;
  ASSERT_EQ(probes.size(), 3U);
  EXPECT_EQ(probes[0].value, 2);
  EXPECT_EQ(probes[1].value, 1);
  EXPECT_EQ(probes[1].full.size(), 3U) << "short trials";
  EXPECT_FALSE(probes[1].confirms);
  EXPECT_EQ(probes[2].full.size(), 4U) << "as many as the run has";
  EXPECT_TRUE(probes[2].confirms);
  ASSERT_EQ(result_.cells.size(), 4U);
  for (const CellResult& cell : result_.cells) {
    EXPECT_EQ(cell.trials.size(), 4U) << cell.cell.name();
    EXPECT_EQ(cell.cell.workers, cell.cell.loader ? 1U : 0U);
  }
  EXPECT_EQ(listener_.trials, 16U) << "trials of probes are not told of";
  EXPECT_EQ(listener_.probes, 3U);
}

TEST_F(FindTest, RunsTheLargestRateThatWasFound) {
  EXPECT_TRUE(find(options("max-rate", 1e-6)));
  const auto& search = *result_.search;
  EXPECT_EQ(search.probes.size(), 13U);
  ASSERT_TRUE(search.confirmed.has_value());
  EXPECT_EQ(search.confirmed, search.probes.back().value);
  EXPECT_EQ(search.confirmed, search.probes[11].value);
  for (const CellResult& cell : result_.cells) {
    EXPECT_NE(cell.cell.compute, "device:samples_per_second=1e6") << cell.cell.name();
  }
}

TEST_F(FindTest, RunsTheMostWorkersIfNoNumberIsEnough) {
  // The device takes a batch in no time. The loader takes so long that no pause of the machine makes up for it.
  make_images(64);
  RunOptions hopeless = options("min-workers", 1);
  hopeless.compute = "device:samples_per_second=1e15";
  hopeless.batch_sizes = {64};
  hopeless.trial_batches = 100;
  EXPECT_TRUE(find(hopeless));
  EXPECT_EQ(result_.search->found, std::nullopt);
  EXPECT_EQ(result_.search->confirmed, std::nullopt);
  ASSERT_EQ(result_.search->probes.size(), 2U);
  EXPECT_EQ(result_.search->probes[1].value, 2);
  EXPECT_TRUE(result_.search->probes[1].confirms);
  EXPECT_EQ(result_.cells[0].trials.size(), 4U);
}

TEST_F(FindTest, KeepsItsProbesWhenStopped) {
  listener_.stop_after = 1;
  EXPECT_FALSE(find(options("min-workers", 1e-6)));
  EXPECT_EQ(result_.search->probes.size(), 1U);
  EXPECT_EQ(result_.search->found, std::nullopt);
  EXPECT_FALSE(result_.cells.empty());
  for (const CellResult& cell : result_.cells) EXPECT_TRUE(cell.trials.empty());
}

}  // namespace
}  // namespace loadline
