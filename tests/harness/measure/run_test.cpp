#include "harness/measure/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/harness/measure/run_fixture.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/volumes.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::RunTest;

TEST_F(RunTest, GivesEveryCellItsTrialsInInterleavedRounds) {
  mnist();
  const Plan plan = plan_of(options());
  ASSERT_EQ(plan.cells.size(), 6U);
  EXPECT_TRUE(run(plan));
  std::vector<std::vector<std::size_t>> rounds(3, std::vector<std::size_t>(6));
  for (std::size_t i = 0; i < result_.cells.size(); ++i) {
    const CellResult& cell = result_.cells[i];
    SCOPED_TRACE(cell.cell.name());
    EXPECT_EQ(cell.error, std::nullopt);
    EXPECT_FALSE(cell.first_epoch.has_value());
    ASSERT_EQ(cell.trials.size(), 3U);
    for (std::size_t round = 0; round < 3; ++round) {
      EXPECT_EQ(cell.trials[round].round, round);
      EXPECT_EQ(cell.trials[round].place / 6, round) << "rounds do not overlap";
      rounds[round][cell.trials[round].place % 6] = i;
    }
  }
  for (std::size_t round = 0; round < 3; ++round) EXPECT_EQ(rounds[round], round_order(1, round, 6));
  EXPECT_EQ(listener_.trials.size(), 18U);
  EXPECT_EQ(listener_.datasets, 1);
}

TEST_F(RunTest, MeasuresTheFirstEpochOfCellsWithALoader) {
  mnist();
  RunOptions with_first = options();
  with_first.first_epoch_seconds = 1000;
  with_first.trials = 1;
  ASSERT_TRUE(run(plan_of(with_first)));
  for (const CellResult& cell : result_.cells) {
    SCOPED_TRACE(cell.cell.name());
    ASSERT_EQ(cell.first_epoch.has_value(), uses_loader(cell.cell.mode));
    if (!cell.first_epoch) continue;
    EXPECT_TRUE(cell.first_epoch->complete);
    EXPECT_EQ(cell.first_epoch->samples, 40U);
    EXPECT_EQ(cell.first_epoch->batches, 5U);
    EXPECT_GT(cell.first_epoch->open_seconds, 0);
  }
  EXPECT_EQ(listener_.first_epochs.size(), 4U);
}

TEST_F(RunTest, OpensEachDatasetOnce) {
  mnist();
  test::write(home_ / "cifar10" / "data_batch_1.bin", test::cifar10(std::vector<int>(8, 3)));
  RunOptions both = options();
  both.workloads = {"mnist", "cifar10"};
  both.data.clear();
  both.modes = {"io", "synthetic"};
  both.trials = 1;
  ASSERT_TRUE(run(plan_of(both)));
  ASSERT_EQ(result_.datasets.size(), 2U);
  for (const CellResult& cell : result_.cells) {
    EXPECT_EQ(result_.datasets[cell.dataset].path, cell.cell.data) << cell.cell.name();
    EXPECT_EQ(cell.trials.size(), 1U) << cell.cell.name();
  }
}

TEST_F(RunTest, KeepsWhatWasMeasuredWhenStoppedInTheMiddle) {
  mnist();
  listener_.after_trial = [&](std::size_t trials) {
    if (trials == 8) stop_.request_stop();
  };
  EXPECT_FALSE(run(plan_of(options())));
  std::size_t trials = 0;
  for (const CellResult& cell : result_.cells) {
    EXPECT_EQ(cell.error, std::nullopt) << "to be stopped is no failure";
    EXPECT_GE(cell.trials.size(), 1U);
    trials += cell.trials.size();
  }
  EXPECT_EQ(trials, 8U);
  EXPECT_EQ(result_.datasets[0].after.has_value(), false);
}

TEST_F(RunTest, HasNoTrialsIfItIsStoppedBeforeItBegins) {
  mnist();
  stop_.request_stop();
  RunOptions with_first = options();
  with_first.first_epoch_seconds = 1;
  EXPECT_FALSE(run(plan_of(with_first)));
  for (const CellResult& cell : result_.cells) EXPECT_TRUE(cell.trials.empty());
}

TEST_F(RunTest, GoesOnWithTheOtherCellsWhenOneFails) {
  mnist();
  RunOptions many = options();
  many.loaders = {"thread-pool"};
  many.modes = {"io"};
  many.compute.clear();
  Plan plan = plan_of(many);
  // Only the loader itself can detect this, because it does not depend on the dataset.
  Cell broken = plan.cells.front();
  broken.workers = kMostWorkers + 1;
  broken.prefetch = 1;
  plan.cells.insert(plan.cells.begin(), broken);
  EXPECT_TRUE(run(plan));
  EXPECT_EQ(result_.cells[0].error, fmt::format("workers 4097: thread-pool wants 1 to {}", kMostWorkers));
  EXPECT_TRUE(result_.cells[0].trials.empty());
  for (std::size_t i = 1; i < result_.cells.size(); ++i) EXPECT_EQ(result_.cells[i].trials.size(), 3U);
  EXPECT_EQ(listener_.failures.size(), 1U) << "and is not tried again";
}

TEST_F(RunTest, KeepsTheTrialsOfACellThatFailsLater) {
  const fs::path images = mnist(4096, 28) / "train-images-idx3-ubyte";
  listener_.after_trial = [&](std::size_t trials) {
    if (trials == 6) fs::resize_file(images, 4096);
  };
  RunOptions whole = options();
  whole.batch_sizes = {4096};
  whole.trial_batches = 1;
  EXPECT_TRUE(run(plan_of(whole)));
  for (const CellResult& cell : result_.cells) {
    if (cell.cell.mode == Mode::kOverhead) continue;  // reads no file
    EXPECT_EQ(cell.trials.size(), 1U) << cell.cell.name();
    ASSERT_TRUE(cell.error.has_value()) << cell.cell.name();
    EXPECT_EQ(*cell.error,
              "cannot measure " + images.string() + ": it was cut from 3211280 to 4096 bytes while it was measured");
  }
}

TEST_F(RunTest, GivesEveryCeilingItsTrialsInTheRoundsOfTheCells) {
  mnist();
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;
  ASSERT_TRUE(run(plan_of(with_ceilings())));
  // The cells have two workers on two CPUs, or the serial loader. The three memory ceilings, page-cache, gather and
  // gather-drain run with one thread and with two; gather-exchange, drain and hand-off run once.
  ASSERT_EQ(result_.ceilings.size(), 15U);
  const std::size_t all = result_.ceilings.size() + result_.cells.size();
  std::set<std::string> ids;
  std::vector<std::vector<std::size_t>> rounds(3, std::vector<std::size_t>(all));
  for (std::size_t i = 0; i < result_.ceilings.size(); ++i) {
    const CeilingResult& ceiling = result_.ceilings[i];
    SCOPED_TRACE(ceiling.ceiling.id());
    EXPECT_TRUE(ids.insert(ceiling.ceiling.id()).second) << "each is measured once";
    EXPECT_EQ(ceiling.error, std::nullopt);
    ASSERT_EQ(ceiling.trials.size(), 3U);
    for (std::size_t round = 0; round < 3; ++round) {
      EXPECT_EQ(ceiling.trials[round].round, round);
      EXPECT_EQ(ceiling.trials[round].place / all, round) << "rounds do not overlap";
      rounds[round][ceiling.trials[round].place % all] = result_.cells.size() + i;
    }
  }
  for (std::size_t i = 0; i < result_.cells.size(); ++i) {
    for (const Trial& trial : result_.cells[i].trials) rounds[trial.round][trial.place % all] = i;
  }
  for (std::size_t round = 0; round < 3; ++round) EXPECT_EQ(rounds[round], round_order(1, round, all));
  EXPECT_EQ(listener_.ceilings.size(), 3 * result_.ceilings.size());
}

TEST_F(RunTest, MeasuresOnlyTheCeilingsOnRequest) {
  mnist();
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;
  RunOptions once = with_ceilings();
  once.trials = 1;
  once.first_epoch_seconds = 1;
  Plan plan = plan_of(once);
  plan.ceilings_alone = true;
  EXPECT_TRUE(run(plan));
  EXPECT_TRUE(listener_.trials.empty());
  EXPECT_TRUE(listener_.first_epochs.empty());
  // Plus three ceilings of the device: the requests of the serial loader, those of workers, and single pages. They do
  // not depend on the number of threads.
  EXPECT_EQ(listener_.ceilings.size() + listener_.failures.size(), 15U + 3U);
}

TEST_F(RunTest, KeepsTheCeilingsThatWereMeasuredWhenStoppedInTheMiddle) {
  mnist();
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;
  listener_.after_ceiling = [&](std::size_t ceilings) {
    if (ceilings == 5) stop_.request_stop();
  };
  EXPECT_FALSE(run(plan_of(with_ceilings())));
  std::size_t trials = 0;
  for (const CeilingResult& ceiling : result_.ceilings) {
    EXPECT_EQ(ceiling.error, std::nullopt);
    trials += ceiling.trials.size();
  }
  EXPECT_EQ(trials, 5U);
}

TEST_F(RunTest, MeasuresCeilingsOnSamplesInMemoryHoweverTheyAreStored) {
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;  // ceilings take an eighth of it
  const fs::path file = home_ / "mnist.h5";
  test::write_hdf5(file, *open_dataset(mnist(64, 28), {}));
  RunOptions once = with_ceilings();
  once.trials = 2;
  once.data = file.string();
  once.loaders = {"hdf5"};
  Plan plan = plan_of(once);
  plan.ceilings_alone = true;
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  prepare_run(plan, result_, context);
  std::erase_if(result_.ceilings, [](const CeilingResult& each) { return each.ceiling.kind->of_device; });
  ASSERT_EQ(result_.datasets[0].info.access, Access::kRows);
  context.watches.assign(1, DatasetWatch(DatasetInfo()));  // the file is cut to detect who reads it
  listener_.after_ceiling = [&](std::size_t ceilings) {
    if (ceilings == result_.ceilings.size()) fs::resize_file(file, 0);
  };
  EXPECT_TRUE(run_plan(plan, result_, context));
  for (const CeilingResult& ceiling : result_.ceilings) EXPECT_EQ(ceiling.trials.size(), 2U) << ceiling.ceiling.id();
}

TEST_F(RunTest, RecordsTheCpusOfTrialsIfTheyHaveChangedSinceTheStart) {
  mnist();
  const CpuLimits at_first{.affinity_list = "0-1", .cgroup_cpu_limit = {}};
  const CpuLimits later{.affinity_list = "0-1", .cgroup_cpu_limit = 0.5};
  result_.environment.machine.affinity_list = at_first.affinity_list;
  std::size_t trials = 0;
  listener_.after_trial = [&](std::size_t count) { trials = count; };
  // A quota applies from the middle of the third trial on.
  std::size_t looks = 0;
  const auto now = [&] {
    ++looks;
    return looks < 6 ? at_first : later;
  };
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_, .cpu_limits = now};
  const Plan plan = plan_of(options());
  ASSERT_TRUE(prepare_run(plan, result_, context));
  ASSERT_TRUE(run_plan(plan, result_, context));
  std::size_t changed = 0;
  for (const CellResult& cell : result_.cells) {
    for (const Trial& trial : cell.trials) {
      EXPECT_EQ(trial.changed_cpus, trial.place < 2 ? std::nullopt : std::optional(later)) << trial.place;
      changed += trial.changed_cpus ? 1 : 0;
    }
  }
  EXPECT_EQ(changed, trials - 2);
}

TEST_F(RunTest, MapsAVolumeThatIsTooLargeForACopy) {
  constexpr VolumeShape kShape{.edge = 64, .input_channels = 2, .target_channels = 3};
  test::write_volume(home_ / "nbody.h5", kShape);
  for (const std::uint64_t left : {8 * kShape.bytes(), 8 * kShape.bytes() - 1}) {
    result_ = Result();
    result_.environment.machine.memory_available_bytes = left;
    RunOptions once = with_ceilings();
    once.trials = 1;
    once.workloads = {"nbody"};
    once.data = (home_ / "nbody.h5").string();
    once.loaders = {"hdf5"};
    once.crop_edge = 16;
    once.batch_sizes = {2};
    Plan plan = plan_of(once);
    plan.ceilings_alone = true;
    ASSERT_TRUE(run(plan));
    for (const CeilingResult& ceiling : result_.ceilings) {
      EXPECT_EQ(ceiling.error, std::nullopt) << ceiling.ceiling.id();
      EXPECT_EQ(ceiling.trials.size(), 1U) << ceiling.ceiling.id();
    }
  }
}

TEST_F(RunTest, GoesOnWithoutACeilingThatFails) {
  const fs::path images = mnist(4096, 28) / "train-images-idx3-ubyte";
  result_.environment.machine.memory_available_bytes = std::size_t{200} << 20;
  RunOptions once = with_ceilings();
  once.trials = 2;
  once.batch_sizes = {4096};
  Plan plan = plan_of(once);
  plan.ceilings_alone = true;
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  prepare_run(plan, result_, context);
  std::erase_if(result_.ceilings, [](const CeilingResult& each) { return each.ceiling.kind->of_device; });
  listener_.after_ceiling = [&](std::size_t ceilings) {
    if (ceilings == result_.ceilings.size()) fs::resize_file(images, 4096);
  };
  EXPECT_TRUE(run_plan(plan, result_, context));
  for (const CeilingResult& ceiling : result_.ceilings) {
    const bool reads = ceiling.ceiling.dataset.has_value();
    EXPECT_EQ(ceiling.error.has_value(), reads) << ceiling.ceiling.id();
    EXPECT_EQ(ceiling.trials.size(), reads ? 1U : 2U) << ceiling.ceiling.id();
  }
}

TEST_F(RunTest, MarksTheTrialDuringWhichTheProcessWasStopped) {
  mnist();
  const Plan plan = plan_of(options());
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  // The run asks before and after each trial. The process resumes during the second one.
  context.times_resumed = [looks = 0]() mutable -> std::uint64_t { return ++looks < 4 ? 0 : 1; };
  ASSERT_TRUE(prepare_run(plan, result_, context) && run_plan(plan, result_, context));
  for (const CellResult& cell : result_.cells) {
    for (const Trial& trial : cell.trials) EXPECT_EQ(trial.suspended, trial.place == 1) << trial.place;
  }
}

TEST_F(RunTest, MeasuresACeilingAgainIfTheProcessWasStoppedButNotForEver) {
  result_.environment.machine.memory_available_bytes = std::size_t{16} << 20;  // ceilings take an eighth of it
  mnist();
  RunOptions once = with_ceilings();
  once.trials = 1;
  Plan plan = plan_of(once);
  plan.ceilings_alone = true;
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  std::uint64_t looks = 0;
  context.times_resumed = [&looks] { return ++looks; };  // the process is stopped all the time
  ASSERT_TRUE(prepare_run(plan, result_, context) && run_plan(plan, result_, context));
  EXPECT_EQ(looks, 7 * listener_.ceilings.size()) << "once before the first and twice about each of three further ones";
}

TEST_F(RunTest, MeasuresFurtherCellsOnItsDatasets) {
  mnist();
  ASSERT_TRUE(run(plan_of(options())));
  std::vector<CellResult> further(2);
  further[0].cell = result_.cells[0].cell;
  further[0].cell.loader = "thread-pool";
  further[0].cell.workers = 1;
  further[1].cell = further[0].cell;
  further[1].cell.sampler.batch_size = 41;
  RunContext context{.clock = clock_, .stop = stop_.get_token(), .observer = listener_};
  RunOptions two = options();
  two.trials = 2;
  EXPECT_TRUE(run_further(two, result_, further, context));
  ASSERT_EQ(further[0].trials.size(), 2U);
  EXPECT_EQ(further[0].trials[0].place, 18U) << "after the trials of the run";
  EXPECT_EQ(further[0].trials[1].place, 19U);
  EXPECT_GT(further[0].slots, 0U);
  EXPECT_EQ(further[1].error, "--batch-size 41 is larger than the dataset of 40 samples; use --batch-size 40 or less");
  EXPECT_TRUE(further[1].trials.empty());
  stop_.request_stop();
  EXPECT_FALSE(run_further(two, result_, further, context));
}

TEST_F(RunTest, HasColdTrialsBesideWarmOnes) {
  mnist(2000, 56);
  RunOptions both = options();
  both.axes = {{"cache", {"warm", "cold"}}};
  both.trial_batches = 1000;
  both.first_epoch_seconds = 1000;
  ASSERT_TRUE(run(plan_of(both)));
  bool any_cold = false;
  for (const CellResult& cell : result_.cells) {
    SCOPED_TRACE(cell.cell.name());
    EXPECT_EQ(cell.error, std::nullopt);
    ASSERT_EQ(cell.trials.size(), 3U);
    if (!uses_loader(cell.cell.mode)) {
      EXPECT_FALSE(cell.trials[0].page_cache.before.has_value());
      continue;
    }
    const bool cold = cell.cell.cache == CacheState::kCold;
    any_cold = any_cold || cold;
    ASSERT_TRUE(cell.first_epoch.has_value());
    ASSERT_TRUE(cell.first_epoch->page_cache.before.has_value());
    for (const Trial& trial : cell.trials) {
      ASSERT_TRUE(trial.page_cache.before.has_value());
      EXPECT_EQ(trial.page_cache.after.has_value(), cold);
      EXPECT_EQ(trial.batches, cold ? 250U : 1000U) << "a cold one is an epoch at the most";
      if (!cold) {
        EXPECT_EQ(trial.page_cache.before->resident_pages, trial.page_cache.before->pages);
        continue;
      }
      if (trial.page_cache.before->resident_pages == trial.page_cache.before->pages) {
        GTEST_SKIP() << "the file system lives in the page cache";
      }
      EXPECT_EQ(trial.page_cache.before->resident_pages, 0U);
      EXPECT_EQ(trial.page_cache.after->resident_pages, trial.page_cache.after->pages - 1) << "all but the labels";
      EXPECT_GE(trial.usage.device_read_bytes.value_or(2000 * 56 * 56), 2000U * 56 * 56);
    }
  }
  EXPECT_TRUE(any_cold);
}

}  // namespace
}  // namespace loadline
