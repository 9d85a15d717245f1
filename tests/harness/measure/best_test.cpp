#include "harness/measure/best.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/measure/prepare.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

TEST(RungsFor, HalveUntilThreeOrFewerAreLeft) {
  using Numbers = std::vector<std::size_t>;
  const auto numbers = [](std::size_t candidates, std::size_t Rung::*number) {
    Numbers found;
    for (const Rung& rung : rungs_for(candidates)) found.push_back(rung.*number);
    return found;
  };
  EXPECT_EQ(numbers(24, &Rung::candidates), (Numbers{24, 12, 6}));
  EXPECT_EQ(numbers(24, &Rung::probes), (Numbers{1, 2, 4}));
  EXPECT_EQ(numbers(24, &Rung::kept), (Numbers{12, 6, 3}));
  EXPECT_EQ(numbers(7, &Rung::kept), (Numbers{4, 2}));
  EXPECT_EQ(numbers(5, &Rung::kept), (Numbers{3}));
  EXPECT_EQ(numbers(3, &Rung::kept), Numbers{});
}

class FoundListener final : public RunObserver {
 public:
  void on_probe(const Result& result) override {
    rungs.push_back(result.best->rungs.back());
    if (rungs.size() == stop_after) stop.request_stop();
  }
  void on_trial(const Result& /*result*/, const CellResult& /*cell*/) override { ++trials; }

  std::vector<Rung> rungs;
  std::size_t trials = 0;
  std::size_t stop_after = 1000;
  std::stop_source stop;
};

// The device waits a fixed time for each batch, however large. The clock hardly moves otherwise, so each batch size is
// twice as fast as the one before.
class FindBestTest : public testing::Test {
 protected:
  FindBestTest() {
    std::string labels = test::idx_header({64});
    for (int i = 0; i < 64; ++i) labels += static_cast<char>(i % 10);
    test::write(home_ / "mnist" / "train-images-idx3-ubyte", test::idx_images(64, 4, 4));
    test::write(home_ / "mnist" / "train-labels-idx1-ubyte", labels);
    clock_.set_tick(std::chrono::microseconds(1));
  }

  RunOptions options() const {
    return {.workloads = {"mnist"},
            .loaders = {"serial"},
            .batch_sizes = {1, 2, 4, 8, 16, 32, 64},
            .data = (home_ / "mnist").string(),
            .compute = "device:samples_per_second=1e9,copy_latency_seconds=0.01,overlap=off,depth=0",
            .trials = 2,
            .trial_batches = 8,
            .first_epoch_seconds = 0,
            .ceilings = "off",
            .find = "best"};
  }

  bool find(const RunOptions& options) {
    const PlanContext plan_context{.threads_in_force = 2, .data_directory = home_.path()};
    RunContext context{.clock = clock_, .stop = listener_.stop.get_token(), .observer = listener_};
    prepare_run(make_plan(options, plan_context), result_, context);
    return find_best_and_run(options, plan_context, result_, context);
  }

  test::TemporaryDirectory home_;
  test::FakeClock clock_;
  FoundListener listener_;
  Result result_;
};

TEST_F(FindBestTest, KeepsTheBetterHalfAndConfirmsTheFinalists) {
  EXPECT_TRUE(find(options()));
  ASSERT_TRUE(result_.best.has_value());
  const Best& best = *result_.best;
  EXPECT_EQ(best.mode, Mode::kFull);
  EXPECT_EQ(best.trials, 2U);
  EXPECT_DOUBLE_EQ(best.probe_share, 0.25);
  ASSERT_EQ(best.candidates.size(), 7U);
  EXPECT_EQ(best.candidates[0].cell, "mnist/FULL/serial/batch:1");
  EXPECT_EQ(best.candidates[0].batch_size, 1U);
  std::vector<std::size_t> probes;
  for (const Candidate& candidate : best.candidates) {
    probes.push_back(candidate.probes.size());
    EXPECT_TRUE(candidate.grid.empty());
  }
  EXPECT_EQ(probes, (std::vector<std::size_t>{1, 1, 1, 3, 3, 3, 3}));
  ASSERT_EQ(best.rungs.size(), 2U);
  EXPECT_EQ(best.rungs[1].kept, 2U);
  EXPECT_EQ(best.winner, "mnist/FULL/serial/batch:64");
  // The run measures the finalists in all modes, and OVERHEAD.
  std::set<std::string> cells;
  for (const CellResult& cell : result_.cells) {
    cells.insert(cell.cell.name());
    EXPECT_EQ(cell.trials.size(), 2U) << cell.cell.name();
  }
  EXPECT_EQ(cells, (std::set<std::string>{"mnist/IO/serial/batch:32", "mnist/SYNTHETIC/batch:32",
                                          "mnist/FULL/serial/batch:32", "mnist/IO/serial/batch:64",
                                          "mnist/SYNTHETIC/batch:64", "mnist/FULL/serial/batch:64", "OVERHEAD"}));
  EXPECT_EQ(listener_.trials, 14U) << "probes are not told of";
  EXPECT_EQ(listener_.rungs.size(), 2U);
  EXPECT_FALSE(result_.search.has_value());
}

TEST_F(FindBestTest, MeasuresTheWholeGridToCheckTheSearch) {
  RunOptions checked = options();
  checked.modes = {"full"};
  checked.check_verdict = true;
  EXPECT_TRUE(find(checked));
  for (const Candidate& candidate : result_.best->candidates) EXPECT_EQ(candidate.grid.size(), 2U) << candidate.cell;
}

TEST_F(FindBestTest, SearchesIoIfFullIsNotRequested) {
  RunOptions io = options();
  io.modes = {"io"};
  io.compute.clear();
  EXPECT_TRUE(find(io));
  EXPECT_EQ(result_.best->mode, Mode::kIo);
  EXPECT_TRUE(result_.best->winner.has_value());
}

TEST_F(FindBestTest, ConfirmsAFewCandidatesWithoutProbes) {
  RunOptions few = options();
  few.batch_sizes = {8, 16};
  EXPECT_TRUE(find(few));
  EXPECT_TRUE(result_.best->rungs.empty());
  EXPECT_EQ(result_.best->winner, "mnist/FULL/serial/batch:16");
}

TEST_F(FindBestTest, KeepsItsProbesWhenStopped) {
  listener_.stop_after = 1;
  EXPECT_FALSE(find(options()));
  EXPECT_EQ(result_.best->candidates[0].probes.size(), 1U);
  EXPECT_EQ(result_.best->winner, std::nullopt);
}

}  // namespace
}  // namespace loadline
