#include "harness/measure/watch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/storage/file.h"
#include "tests/harness/measure/run_fixture.h"

namespace loadline {
namespace {

using test::thrown_by;

class DatasetWatchTest : public testing::Test {
 protected:
  // Writes `files` files into three directories.
  DatasetInfo folder(std::size_t files) const {
    DatasetInfo info;
    for (std::size_t i = 0; i < files; ++i) {
      info.files.push_back(test::write(home_ / fmt::format("{}/{:04}.jpg", i * 3 / files, i), "pixels"));
    }
    return info;
  }
  static std::string complaint(const DatasetWatch& watch) {
    return thrown_by([&] { watch.check(); }).message;
  }

  const test::TemporaryDirectory home_;
};

TEST_F(DatasetWatchTest, AcceptsFilesThatAreReadAndDropped) {
  const DatasetInfo info = folder(3);
  const DatasetWatch watch(info);
  for (const auto& path : info.files) {
    test::bytes_of(path);
    const File file = File::open(path);
    file.wait_until_stored();
    file.drop_from_page_cache(file.size_bytes());
  }
  EXPECT_EQ(complaint(watch), "");
}

TEST_F(DatasetWatchTest, NamesTheFileThatChanged) {
  const DatasetInfo info = folder(3);
  const DatasetWatch watch(info);
  std::filesystem::resize_file(info.files[1], 2);
  EXPECT_EQ(complaint(watch),
            "cannot measure " + info.files[1].string() + ": it was cut from 6 to 2 bytes while it was measured");
  const DatasetWatch next(info);
  EXPECT_EQ(complaint(next), "");
  std::filesystem::last_write_time(info.files[2], {});
  EXPECT_EQ(complaint(next), "cannot measure " + info.files[2].string() + ": it was written to while it was measured");
}

TEST_F(DatasetWatchTest, ChecksSomeOfManyFilesAndTheirDirectories) {
  const DatasetInfo info = folder(2 * DatasetWatch::kMostFiles);
  const DatasetWatch watch(info);
  std::filesystem::resize_file(info.files[7], 2);
  EXPECT_EQ(complaint(watch), "") << "one that is not among them";
  std::filesystem::resize_file(info.files[8], 2);
  EXPECT_THAT(complaint(watch), testing::HasSubstr("0008.jpg: it was cut from 6 to 2 bytes"));
  const DatasetWatch next(info);
  std::filesystem::remove(info.files[7]);
  EXPECT_EQ(complaint(next),
            "cannot measure " + info.files[7].parent_path().string() + ": it was written to while it was measured");
}

TEST_F(DatasetWatchTest, AcceptsADatasetWithoutFiles) {
  EXPECT_EQ(complaint(DatasetWatch(DatasetInfo())), "");
}

// In a run

using WatchedRunTest = test::RunTest;

TEST_F(WatchedRunTest, KeepsTheTrialsBeforeTheChangeAndNoneAfterIt) {
  const auto data = mnist();
  RunOptions options = this->options();
  options.modes = {"io", "full"};
  options.loaders = {"serial", "thread-pool"};
  listener_.after_trial = [&](std::size_t trials) {
    if (trials == 5) std::filesystem::last_write_time(data / "train-images-idx3-ubyte", {});
  };
  EXPECT_TRUE(run(plan_of(options)));
  const std::string sentence =
      "cannot measure " + (data / "train-images-idx3-ubyte").string() + ": it was written to while it was measured";
  std::size_t kept = 0;
  for (const CellResult& cell : result_.cells) {
    if (cell.cell.mode == Mode::kOverhead) continue;
    EXPECT_EQ(cell.error, sentence) << cell.cell.name();
    kept += cell.trials.size();
  }
  EXPECT_EQ(kept, 4U) << "of the first round, beside OVERHEAD";
}

TEST_F(WatchedRunTest, IsNotTroubledByColdTrials) {
  mnist();
  RunOptions options = this->options();
  options.modes = {"io"};
  options.compute.clear();
  options.cache = "cold";
  EXPECT_TRUE(run(plan_of(options)));
  for (const CellResult& cell : result_.cells) EXPECT_FALSE(cell.error) << *cell.error;
}

TEST_F(WatchedRunTest, SeesAChangeBetweenColdTrials) {
  const auto data = mnist();
  RunOptions options = this->options();
  options.modes = {"io"};
  options.compute.clear();
  options.loaders = {"serial"};
  options.workers.clear();
  options.cache = "cold";
  listener_.after_trial = [&](std::size_t trials) {
    if (trials == 2) std::filesystem::resize_file(data / "train-labels-idx1-ubyte", 10);
  };
  EXPECT_TRUE(run(plan_of(options)));
  EXPECT_EQ(result_.cells[0].error, "cannot measure " + (data / "train-labels-idx1-ubyte").string() +
                                        ": it was cut from 48 to 10 bytes while it was measured");
}

TEST_F(WatchedRunTest, SeesAChangeDuringTheFirstEpoch) {
  const auto data = mnist();
  RunOptions options = this->options();
  options.modes = {"io"};
  options.compute.clear();
  options.loaders = {"serial"};
  options.workers.clear();
  options.first_epoch_seconds = 1;
  const Plan plan = plan_of(options);
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  ASSERT_TRUE(prepare_run(plan, result_, context));
  std::filesystem::last_write_time(data / "train-images-idx3-ubyte", {});
  EXPECT_TRUE(run_plan(plan, result_, context));
  EXPECT_FALSE(result_.cells[0].first_epoch);
  EXPECT_TRUE(result_.cells[0].error);
}

}  // namespace
}  // namespace loadline
