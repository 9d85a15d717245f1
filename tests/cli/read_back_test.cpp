// The harness reads back results of real runs; written again, they are the same to the byte.
#include <fmt/format.h>

#include <csignal>

#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;

class ReadBack : public CommandLine {
 protected:
  Result expect_same(const std::string& name = "result.json") const {
    Result result = load_result(home_ / name);
    EXPECT_EQ(result_json(result, judge_run(result)), bytes_of(home_ / name));
    return result;
  }

  Words short_run_of(const std::string& workload, const std::string& data) const {
    return Words{"run", "--workload", workload, "--data", data, "--batch-size", "2", "-o", "result.json"} + kShort;
  }
};

TEST_F(ReadBack, SweepWithEverythingMeasured) {
  keep_ceilings_small();
  ASSERT_EQ(run(Words{"run",        "--workload",
                      "mnist",      "--data",
                      mnist(),      "--batch-size",
                      "8,16",       "--workers",
                      "1,2",        "--prefetch",
                      "2,3",        "--trials",
                      "2",          "--trial-seconds",
                      "0.005",      "--first-epoch-seconds",
                      "0.1",        "--au",
                      "0.5",        "-o",
                      "result.json"})
                .exit_code,
            0);
  const Result result = expect_same();
  EXPECT_EQ(result.status, Status::kComplete);
  EXPECT_GT(result.cells.size(), 10U);
  EXPECT_GT(result.ceilings.size(), 3U);
  EXPECT_TRUE(result.cells.front().first_epoch);
}

TEST_F(ReadBack, CheckedVerdict) {
  ASSERT_EQ(run(short_run(mnist()) + Words{"--loader", "thread-pool", "--workers", "2", "--prefetch", "1", "--compute",
                                           "device:samples_per_second=1000,depth=0", "--trials", "3", "--trial-batches",
                                           "20", "--au", "0.5", "--check-verdict"})
                .exit_code,
            0);
  const Result result = expect_same();
  if (judge_run(result).configurations[0].verdict.bound != Bound::kCompute || loading_is_noise(this->result())) {
    GTEST_SKIP() << "too noisy a machine to predict anything";
  }
  ASSERT_FALSE(result.checks.empty());
  EXPECT_EQ(result.checks[0].cell.workers, 1U);
  EXPECT_EQ(result.checks[0].trials.size(), 3U);
  EXPECT_EQ(judge_run(result).predictions.at(0).check, 0U);
}

TEST_F(ReadBack, Search) {
  ASSERT_EQ(run(short_run(mnist()) + Words{"--loader", "thread-pool", "--workers", "2", "--au", "1e-6", "--find",
                                           "min-workers", "--trials", "4"})
                .exit_code,
            0);
  const Result result = expect_same();
  ASSERT_TRUE(result.search);
  EXPECT_EQ(result.search->kind, "min-workers");
  EXPECT_EQ(result.search->probes.size(), 3U);
}

TEST_F(ReadBack, SearchForTheBest) {
  ASSERT_EQ(run(short_run(mnist()) +
                Words{"--loader", "thread-pool", "--workers", "1,2", "--find", "best", "--check-verdict"})
                .exit_code,
            0);
  const Result result = expect_same();
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->candidates.size(), 6U);
  EXPECT_EQ(result.best->rungs.size(), 1U);
  EXPECT_FALSE(result.best->winner) << "one trial tells nothing";
}

TEST_F(ReadBack, CeilingsAlone) {
  keep_ceilings_small();
  write(home_ / "config.json", R"({"trial_seconds": 0.001, "trials": 1})");
  ASSERT_EQ(run({"ceilings", "--config", "config.json", "--workload", "mnist", "--data", mnist(), "--batch-size", "8",
                 "-o", "result.json"})
                .exit_code,
            0);
  EXPECT_TRUE(expect_same().cells.front().trials.empty());
}

TEST_F(ReadBack, Volumes) {
  ASSERT_EQ(run({"data", "make", "nbody", "box.h5", "--size", "32", "--quiet"}).exit_code, 0);
  const Outcome outcome =
      run(short_run_of("nbody", "box.h5") + Words{"--crop-edge", "8", "--crops", "64", "--loader", "thread-pool"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Result result = expect_same();
  ASSERT_TRUE(result.datasets.front().info.volume);
  EXPECT_EQ(result.datasets.front().info.volume->edge, 32U);
  EXPECT_EQ(result.cells.front().cell.volume.edge, 8U);
  EXPECT_EQ(result.cells.front().cell.dataset.crops, 64U);
}

TEST_F(ReadBack, MostlyCorruptPhotographs) {
  for (int i = 0; i < 100; ++i) {
    const std::string image = i % 4 == 0 ? "P6\n4 4\n255\n" + std::string(48, 'x') : "no photograph";
    write(home_ / "photos" / "class" / fmt::format("{:02}.ppm", i), image);
  }
  const Outcome outcome =
      run(Words{"run", "--workload", "photos", "--data", "photos", "--batch-size", "50", "--image-size", "32",
                "--on-corrupt", "skip", "--loader", "serial", "--mode", "io", "-o", "result.json"} +
          kShort);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Result result = expect_same();
  const CellResult& cell = result.cells.front();
  EXPECT_EQ(cell.cell.photo.size.height, 32U);
  EXPECT_EQ(result.datasets.front().info.files.size(), 64U);
  EXPECT_EQ(result.datasets.front().files_left_out, 36U);
  EXPECT_EQ(cell.skipped.size(), 64U);
  EXPECT_EQ(cell.skipped_count(), 75U);
  EXPECT_THAT(judge_run(result).warnings,
              testing::Contains(testing::Field(&Warning::message, HasSubstr("75 samples"))));
}

TEST_F(ReadBack, OnlyCorruptPhotographs) {
  for (int i = 0; i < 8; ++i) write(home_ / "photos" / "class" / fmt::format("{}.ppm", i), "no photograph");
  const Outcome outcome =
      run(Words{"run", "--workload", "photos", "--data", "photos", "--batch-size", "4", "--image-size", "32",
                "--on-corrupt", "skip", "--loader", "serial", "--mode", "io", "-o", "result.json"} +
          kShort);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("cannot measure photos: none of the samples read can be decoded, so --on-corrupt skip left out all"));
  EXPECT_TRUE(expect_same().cells.front().trials.empty());
}

TEST_F(ReadBack, CorruptPhotographsThatMustNotBeSkipped) {
  for (int i = 0; i < 8; ++i) write(home_ / "photos" / "class" / fmt::format("{}.ppm", i), "no photograph");
  const Outcome outcome = run(Words{"run", "--workload", "photos", "--data", "photos", "--batch-size", "4", "--loader",
                                    "serial", "--mode", "io", "-o", "result.json"} +
                              kShort);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot decode photos/class/"));
  EXPECT_THAT(outcome.err, HasSubstr("; --on-corrupt skip leaves such samples out, and `loadline data verify photos` "
                                     "lists them\n"));
  expect_same();
}

TEST_F(ReadBack, InterruptedRun) {
  Tool tool(long_run(mnist()), world_);
  ASSERT_TRUE(tool.wait_until_err_says("trial 2/"));
  tool.send(SIGINT);
  EXPECT_EQ(tool.finish().exit_code, 130);
  EXPECT_EQ(expect_same().status, Status::kPartial);
}

TEST_F(ReadBack, PathThatIsNotText) {
  ASSERT_EQ(run(short_run(mnist("odd \xff\xfe"))).exit_code, 0);
  expect_same();
}

TEST_F(ReadBack, EveryLoaderAndOptionList) {
  const std::string data = mnist();
  ASSERT_EQ(run({"data", "convert", data, (home_ / "mnist.h5").string(), "--quiet"}).exit_code, 0);
  ASSERT_EQ(run({"data", "convert", data, (home_ / "mnist-chunks.h5").string(), "--chunk", "8", "--quiet"}).exit_code,
            0);
  const Outcome outcome =
      run(short_run(data) + Words{"--loader", "all", "--workers", "1", "--dtype", "all", "--stores", "all", "--order",
                                  "all", "--page-samples", "2", "--window-samples", "8", "--mode", "io"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(expect_same().options.axes.empty());
}

}  // namespace
}  // namespace loadline::test
