#include "harness/measure/prepare.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/measure/schedule.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/script.h"
#include "loaders/names.h"
#include "tests/harness/measure/run_fixture.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

using PrepareTest = test::RunTest;

bool has_compute(std::string_view name) {
  return std::ranges::find(computes(), name, &ComputeKind::name) != computes().end();
}

TEST_F(PrepareTest, KnowsItsDataset) {
  mnist();
  ASSERT_TRUE(run(plan_of(options())));
  ASSERT_EQ(result_.datasets.size(), 1U);
  const DatasetFacts& facts = result_.datasets[0];
  EXPECT_EQ(facts.info.samples, 40U);
  EXPECT_EQ(facts.found.pages, 2U);
  EXPECT_EQ(facts.before.pages, 2U);
  ASSERT_TRUE(facts.after.has_value());
  EXPECT_EQ(facts.after->resident_pages, 2U);
  EXPECT_TRUE(facts.fingerprint.has_value());
}

TEST_F(PrepareTest, FollowsLinksToWhereTheDataLies) {
  const fs::path data = mnist();
  const fs::path link = data.parent_path() / "link-to-data";
  fs::create_directory_symlink(data, link);
  RunOptions linked = options();
  linked.data = link.string();
  ASSERT_TRUE(run(plan_of(linked)));
  EXPECT_EQ(result_.datasets.at(0).path, link);
  EXPECT_EQ(result_.datasets.at(0).canonical_path, fs::canonical(data));
}

TEST_F(PrepareTest, CountsBothFilesWhenOneIsNamedFromItsOwnDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(mnist());
  RunOptions here = options();
  here.data = "train-images-idx3-ubyte";
  EXPECT_TRUE(run(plan_of(here)));
  fs::current_path(before);
  EXPECT_EQ(result_.datasets.at(0).found.pages, 2U);
}

TEST_F(PrepareTest, TriesAComputeWhoseStepTimeIsUnknown) {
  mnist(40, 28);
  if (!has_compute("cnn")) GTEST_SKIP() << "built without oneDNN";
  RunOptions cnn = options();
  cnn.compute = "cnn";
  const Plan plan = plan_of(cnn);
  RunContext context{.clock = clock_, .stop = {}, .observer = listener_};
  prepare_run(plan, result_, context);
  const auto step_known = [](const auto& tried) { return tried.second.step_seconds > 0; };
  EXPECT_EQ(std::ranges::count_if(context.tried, step_known), 0) << "unless it is not asked for";
  result_ = {};
  context.try_computes = true;
  prepare_run(plan, result_, context);
  ASSERT_EQ(std::ranges::count_if(context.tried, step_known), 1) << "SYNTHETIC and FULL have the same";
  EXPECT_GT(std::ranges::find_if(context.tried, step_known)->second.setup_seconds, 0);
}

TEST_F(PrepareTest, TriesHowFastSamplesAreAssembled) {
  mnist();
  const Plan plan = plan_of(options());
  RunContext context{.clock = clock_, .stop = {}, .observer = listener_};
  prepare_run(plan, result_, context);
  const auto full = std::ranges::find(plan.cells, Mode::kFull, &Cell::mode);
  ASSERT_NE(full, plan.cells.end());
  EXPECT_GT(context.tried.at(compute_key(*full)).fill_seconds, 0);
  EXPECT_GT(context.tried.at(compute_key(*full)).open_seconds, 0);
}

TEST_F(PrepareTest, RefusesAComputeThatCannotBeMadeBeforeAnythingIsMeasured) {
  mnist();
  if (!has_compute("cuda")) GTEST_SKIP() << "built without CUDA";
  RunOptions cuda = options();
  cuda.compute = "cuda";
  const Plan plan = plan_of(cuda);
  RunContext context{.clock = clock_, .stop = {}, .observer = listener_, .try_computes = true};
  try {
    prepare_run(plan, result_, context);
    GTEST_SKIP() << "there is a GPU";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("compute cuda: no CUDA device found"));
  }
}

TEST_F(PrepareTest, RefusesABatchLargerThanTheDataset) {
  mnist();
  RunOptions large = options();
  large.batch_sizes = {8, 41};
  EXPECT_EQ(refusal(large),
            test::usage("--batch-size 41 is larger than the dataset of 40 samples; use --batch-size 40 or less"));
  EXPECT_TRUE(listener_.trials.empty());
}

TEST_F(PrepareTest, RefusesAnOptionThatNoDatasetCanUse) {
  mnist();
  RunOptions crops = options();
  write_option(crops, row_named(run_options(), "option", "crops"), "5");
  EXPECT_EQ(refusal(crops), test::usage(fmt::format("--crops: it applies to volumes, not to {}, which holds images of "
                                                    "one size",
                                                    (home_ / "mnist").string())));
}

TEST_F(PrepareTest, NamesTheCommandThatGetsMissingData) {
  RunOptions missing = options();
  missing.data.clear();
  EXPECT_EQ(refusal(missing),
            test::failed(fmt::format("cannot open {0}: workload mnist has no data there; get it with `loadline data "
                                     "make mnist {0}`, or give its path with --data",
                                     (home_ / "mnist").string())));
}

TEST_F(PrepareTest, RefusesLabelsThatTheWorkloadDoesNotHave) {
  mnist(2);
  test::write(home_ / "mnist" / "train-labels-idx1-ubyte", test::idx_labels({3, 10}));
  RunOptions two = options();
  two.batch_sizes = {2};
  EXPECT_EQ(refusal(two), test::failed(fmt::format("cannot use {} for workload mnist: label 10 is out of range, want 0 "
                                                   "to 9",
                                                   (home_ / "mnist").string())));
}

TEST_F(PrepareTest, RefusesSlotsThatDoNotFitTheMemory) {
  mnist();
  result_.environment.machine.memory_available_bytes = 1100;
  EXPECT_EQ(
      refusal(options()),
      test::usage("the run needs 4.5 KiB of memory, 4.0 KiB of it for the slots of mnist/IO/serial/batch:8, and "
                  "MemAvailable leaves 1.1 KiB; reduce the need, such as by a smaller --batch-size, --prefetch or "
                  "--image-size, or allow more memory"));
}

TEST_F(PrepareTest, CountsResidentSamplesAgainstTheCgroupLimit) {
  mnist();
  RunOptions resident = options();
  resident.in_memory = true;
  result_.environment.machine.memory_available_bytes = 1'000'000;
  result_.environment.machine.cgroup_memory_limit_bytes = 6000;
  const test::Thrown refused = refusal(resident);
  EXPECT_THAT(refused.message, testing::StartsWith("the run needs 45.1 KiB of memory, "));
  EXPECT_THAT(refused.message, testing::HasSubstr("and the memory limit of the control group leaves 5.9 KiB"));
}

TEST_F(PrepareTest, RefusesSamplesThatDoNotFitTheMemoryBeforeItCopiesThem) {
  mnist(400, 28);
  RunOptions resident = options();
  resident.in_memory = true;
  result_.environment.machine.memory_available_bytes = 100'000;
  EXPECT_EQ(refusal(resident),
            test::usage(fmt::format("the run needs 306.2 KiB of memory, 306.2 KiB of it for the samples of {} in "
                                    "memory, and MemAvailable leaves 97.7 KiB; reduce the need or allow more memory",
                                    (home_ / "mnist").string())));
}

TEST_F(PrepareTest, AddsUpTheMemoryOfTheRun) {
  mnist();
  result_.environment.machine.memory_available_bytes = 1'000'000;
  ASSERT_TRUE(run(plan_of(options())));
  ASSERT_TRUE(result_.memory.has_value());
  EXPECT_EQ(result_.memory->available_bytes, 1'000'000U);
  EXPECT_GT(result_.memory->needed_bytes, 0U);
  EXPECT_LE(result_.memory->largest_bytes, result_.memory->needed_bytes);
}

TEST_F(PrepareTest, StopsWhileItReadsTheData) {
  mnist();
  stop_.request_stop();
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  EXPECT_FALSE(prepare_run(plan_of(options()), result_, context));
  EXPECT_TRUE(result_.datasets.empty());
}

TEST_F(PrepareTest, ListsTheCeilingsThatBoundEachCell) {
  mnist();
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;
  RunOptions once = with_ceilings();
  once.trials = 1;
  ASSERT_TRUE(run(plan_of(once)));
  for (const CellResult& cell : result_.cells) {
    SCOPED_TRACE(cell.cell.name());
    std::set<std::string> bounds;
    for (const std::size_t i : cell.bounds) bounds.insert(result_.ceilings.at(i).ceiling.id());
    const bool io = cell.cell.mode == Mode::kIo;
    if (!cell.cell.loader) {
      EXPECT_EQ(bounds, std::set<std::string>());
    } else if (cell.cell.workers == 0) {
      EXPECT_EQ(bounds, std::set<std::string>{io ? "gather-drain/mnist/data:0/batch:8/threads:1"
                                                 : "gather/mnist/data:0/batch:8/threads:1"});
    } else if (io) {
      EXPECT_EQ(bounds, (std::set<std::string>{"gather-drain/mnist/data:0/batch:8/threads:2",
                                               "drain/mnist/data:0/batch:8/threads:3", "hand-off/threads:2"}));
    } else {
      EXPECT_EQ(bounds, (std::set<std::string>{"gather/mnist/data:0/batch:8/threads:2", "hand-off/threads:2"}));
    }
  }
}

TEST_F(PrepareTest, PreparesAnotherPlanOnTheSameDatasets) {
  mnist();
  ASSERT_TRUE(run(plan_of(options())));
  RunOptions other = with_ceilings();
  other.workers = {1};
  const Plan plan = plan_of(other);
  const RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  prepare_again(plan, result_, context);
  EXPECT_EQ(listener_.datasets, 1) << "it is not read again";
  ASSERT_EQ(result_.cells.size(), plan.cells.size());
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    EXPECT_EQ(result_.cells[i].cell.name(), plan.cells[i].name());
    EXPECT_TRUE(result_.cells[i].trials.empty());
    EXPECT_GT(result_.cells[i].slots, 0U);
  }
  EXPECT_FALSE(result_.ceilings.empty());
}

TEST_F(PrepareTest, DoesNotReadDataForAsIsTrials) {
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;  // ceilings take an eighth of it
  const fs::path data = mnist();
  RunOptions as_is = with_ceilings();
  as_is.cache = "as-is";
  const Plan plan = plan_of(as_is);
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  ASSERT_TRUE(prepare_run(plan, result_, context));
  EXPECT_EQ(result_.datasets[0].fingerprint, std::nullopt);
  EXPECT_EQ(listener_.datasets, 0);
  for (const CeilingResult& ceiling : result_.ceilings) {
    EXPECT_EQ(ceiling.ceiling.dataset, std::nullopt) << "it would read them";
  }
  EXPECT_TRUE(run_plan(plan, result_, context));
  EXPECT_EQ(result_.datasets[0].fingerprint, std::nullopt);
  for (const CellResult& cell : result_.cells) {
    for (const Trial& trial : cell.trials) {
      EXPECT_EQ(trial.page_cache.before.has_value(), uses_loader(cell.cell.mode));
      EXPECT_EQ(trial.page_cache.after.has_value(), uses_loader(cell.cell.mode));
    }
  }
  EXPECT_TRUE(take_fingerprints(result_, context));
  EXPECT_EQ(result_.datasets[0].fingerprint, content_fingerprint(*open_dataset(data, {})));
  EXPECT_EQ(listener_.datasets, 1);
}

TEST_F(PrepareTest, ReadsDataOfAsIsTrialsOnlyIfOtherTrialsAreWarm) {
  mnist();
  for (const char* other : {"warm", "cold"}) {
    result_ = Result();
    RunOptions mixed = options();
    mixed.axes = {{"cache", {"as-is", other}}};
    RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
    ASSERT_TRUE(prepare_run(plan_of(mixed), result_, context));
    EXPECT_EQ(result_.datasets[0].fingerprint.has_value(), other == std::string("warm")) << other;
  }
}

TEST_F(PrepareTest, LeavesOutTheFingerprintOfDataThatIsMissing) {
  const fs::path data = mnist();
  RunOptions as_is = options();
  as_is.cache = "as-is";
  ASSERT_TRUE(run(plan_of(as_is)));
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  stop_.request_stop();
  EXPECT_FALSE(take_fingerprints(result_, context));
  fs::remove_all(data);
  EXPECT_TRUE(take_fingerprints(result_, context));
  EXPECT_EQ(result_.datasets[0].fingerprint, std::nullopt);
}

TEST_F(PrepareTest, RefusesColdTrialsOfDataThatIsInflatedOnOpening) {
  const fs::path data = mnist();
  const fs::path images = data / "train-images-idx3-ubyte";
  test::write(data / "train-images-idx3-ubyte.gz", test::gzip_of(test::bytes_of(images)));
  fs::remove(images);
  RunOptions cold = options();
  cold.cache = "cold";
  EXPECT_EQ(refusal(cold), test::usage(fmt::format("--cache cold: {} is read into memory completely when it is opened, "
                                                   "so trials read no file; unpack it or leave out cold",
                                                   data.string())));
}

TEST_F(PrepareTest, RefusesColdTrialsOfDataThatOnlyALoaderInPythonReads) {
  set_sample_count([](const fs::path& /*path*/) { return std::size_t{40}; });
  const auto dataset = open_script("train.py");
  set_sample_count({});
  Cell cell{.workload = "python", .mode = Mode::kIo, .data = "train.py"};
  cell.cache = CacheState::kCold;
  Machine machine;
  EXPECT_EQ(
      test::thrown_by([&] { prepare_cell(cell, *dataset, 0, machine); }),
      test::usage("--cache cold: only a loader in Python knows which files it reads, so loadline cannot drop them "
                  "from the page cache; leave out cold, or name the data with --data"));
}

// Runs the test without privileges during its lifetime, if the test runs as root.
class Unprivileged {
 public:
  Unprivileged() : was_root_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() {
    if (was_root_) [[maybe_unused]]
      const int back = ::seteuid(0);
  }

 private:
  bool was_root_;
};

TEST_F(PrepareTest, IgnoresUnreadableFilesBesideItsData) {
  mnist();
  fs::permissions(home_.path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  fs::permissions(test::write(home_ / "mnist" / "private", "of somebody else"), fs::perms::none);
  const Unprivileged unprivileged;
  EXPECT_TRUE(run(plan_of(options())));
  EXPECT_EQ(result_.datasets[0].found.pages, 2U);
}

}  // namespace
}  // namespace loadline
