#include "harness/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "loaders/names.h"
#include "loaders/storage/staged_copy.h"
#include "synthetic/compute/compute.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::thrown_by;
using test::usage;
using Names = std::vector<std::string>;
using Places = std::vector<std::size_t>;

Plan plan_of(const RunOptions& options, std::size_t threads = 2) {
  return make_plan(options, {.threads_in_force = threads, .cpus = {0, 1, 2, 3, 4, 5, 6, 7}, .data_directory = "/data"});
}

Names names(const RunOptions& options, std::size_t threads = 2) {
  Names all;
  for (const Cell& cell : plan_of(options, threads).cells) all.push_back(cell.name());
  return all;
}

test::Thrown refusal(const RunOptions& options) {
  return thrown_by([&] { plan_of(options); });
}

TEST(Plan, ReadsTheStagedCopy) {
  RunOptions options;
  options.loaders = {"serial"};
  for (const Cell& cell : plan_of(options).cells) EXPECT_EQ(cell.staged_from, std::filesystem::path());
  const std::filesystem::path original = plan_of(options).cells[0].data;
  options.stage = "/scratch";
  for (const Cell& cell : plan_of(options).cells) {
    EXPECT_EQ(cell.staged_from, original);
    EXPECT_EQ(cell.data, staged_path(original, "/scratch"));
  }
}

TEST(Plan, MeasuresBothLoadersOnOneAndOnAllCpusByDefault) {
  EXPECT_EQ(names({}, 8),
            (Names{"fashion-mnist/IO/serial/batch:512", "fashion-mnist/IO/thread-pool/workers:1/batch:512",
                   "fashion-mnist/IO/thread-pool/workers:8/batch:512", "fashion-mnist/SYNTHETIC/batch:512",
                   "fashion-mnist/FULL/serial/batch:512", "fashion-mnist/FULL/thread-pool/workers:1/batch:512",
                   "fashion-mnist/FULL/thread-pool/workers:8/batch:512", "OVERHEAD"}));
}

TEST(Plan, OnOneCpuHasOneWorkerCount) {
  EXPECT_EQ(names({.modes = {"io"}, .loaders = {"thread-pool"}}, 1),
            (Names{"fashion-mnist/IO/thread-pool/workers:1/batch:512", "OVERHEAD"}));
}

TEST(Plan, IsTheProductOfAllListsInTheirOrder) {
  EXPECT_EQ(
      names({.workloads = {"mnist", "cifar10"},
             .modes = {"full", "io"},
             .loaders = {"thread-pool"},
             .workers = {4, 2},
             .batch_sizes = {64, 32}}),
      (Names{"mnist/FULL/thread-pool/workers:4/batch:64", "mnist/FULL/thread-pool/workers:2/batch:64",
             "mnist/IO/thread-pool/workers:4/batch:64", "mnist/IO/thread-pool/workers:2/batch:64",
             "mnist/FULL/thread-pool/workers:4/batch:32", "mnist/FULL/thread-pool/workers:2/batch:32",
             "mnist/IO/thread-pool/workers:4/batch:32", "mnist/IO/thread-pool/workers:2/batch:32",
             "cifar10/FULL/thread-pool/workers:4/batch:64", "cifar10/FULL/thread-pool/workers:2/batch:64",
             "cifar10/IO/thread-pool/workers:4/batch:64", "cifar10/IO/thread-pool/workers:2/batch:64",
             "cifar10/FULL/thread-pool/workers:4/batch:32", "cifar10/FULL/thread-pool/workers:2/batch:32",
             "cifar10/IO/thread-pool/workers:4/batch:32", "cifar10/IO/thread-pool/workers:2/batch:32", "OVERHEAD"}));
}

TEST(Plan, HasOneCellForALoaderWithoutWorkers) {
  EXPECT_EQ(names({.modes = {"io"}, .loaders = {"serial", "thread-pool"}, .workers = {1, 2}}),
            (Names{"fashion-mnist/IO/serial/batch:512", "fashion-mnist/IO/thread-pool/workers:1/batch:512",
                   "fashion-mnist/IO/thread-pool/workers:2/batch:512", "OVERHEAD"}));
}

TEST(Plan, HasZeroWorkersOnlyForLoadersThatMayDoWithout) {
  add_loader({.name = "train:zero", .summary = "", .has_workers = true, .may_do_without = true});
  EXPECT_EQ(names({.modes = {"io"}, .loaders = {"thread-pool", "train:zero"}, .workers = {0, 2}}),
            (Names{"fashion-mnist/IO/thread-pool/workers:2/batch:512", "fashion-mnist/IO/train:zero/batch:512",
                   "fashion-mnist/IO/train:zero/workers:2/batch:512", "OVERHEAD"}));
  EXPECT_EQ(refusal({.modes = {"io"}, .loaders = {"thread-pool", "train:zero"}, .workers = {0}}),
            usage("--workers 0: loader thread-pool wants at least 1"));
  for (const std::vector<std::size_t>& workers : {std::vector<std::size_t>{0}, {1, 0}}) {
    EXPECT_EQ(refusal({.modes = {"io"}, .loaders = {"serial", "thread-pool"}, .workers = workers}),
              usage("--workers 0: loader thread-pool wants at least 1"));
  }
}

TEST(Plan, HasOneCellForALoaderWithBatchesOfItsOwn) {
  add_loader({.name = "train:own", .summary = "", .uses_batch_size = false});
  EXPECT_EQ(names({.modes = {"io", "synthetic"}, .loaders = {"train:own"}, .batch_sizes = {8, 16}}),
            (Names{"fashion-mnist/IO/train:own/batch:8", "fashion-mnist/SYNTHETIC/batch:8", "OVERHEAD"}));
  EXPECT_EQ(
      names({.modes = {"io", "synthetic"}, .loaders = {"train:own", "serial"}, .batch_sizes = {8, 16}}),
      (Names{"fashion-mnist/IO/train:own/batch:8", "fashion-mnist/IO/serial/batch:8", "fashion-mnist/SYNTHETIC/batch:8",
             "fashion-mnist/IO/serial/batch:16", "fashion-mnist/SYNTHETIC/batch:16", "OVERHEAD"}));
}

TEST(Plan, RefusesOptionsThatNoChosenLoaderUses) {
  add_loader({.name = "train:alone", .summary = "", .has_workers = true});
  EXPECT_EQ(
      refusal({.modes = {"io"}, .loaders = {"train:alone"}, .delivery = "completion"}),
      usage(
          "--delivery: it applies only to the loaders that `loadline list` shows, and --loader chooses none of them"));
  EXPECT_EQ(refusal({.modes = {"io"}, .loaders = {"thread-pool", "train:alone"}, .delivery = "completion"}),
            test::Thrown());
}

TEST(Plan, RunsEveryValueOfAnAxis) {
  EXPECT_EQ(names({.modes = {"io"}, .loaders = {"thread-pool"}, .workers = {1}, .axes = {{"prefetch", {"2", "4"}}}}),
            (Names{"fashion-mnist/IO/thread-pool/workers:1/batch:512/prefetch:2",
                   "fashion-mnist/IO/thread-pool/workers:1/batch:512/prefetch:4", "OVERHEAD"}));
}

TEST(Plan, HasOneCellWhereAnAxisDoesNotApply) {
  EXPECT_EQ(names({.loaders = {"serial"},
                   .axes = {{"compute", {"device:samples_per_second=5", "device:samples_per_second=7"}}},
                   .compute = "device:samples_per_second=5"}),
            (Names{"fashion-mnist/IO/serial/batch:512",
                   "fashion-mnist/SYNTHETIC/batch:512/compute:device:samples_per_second=5",
                   "fashion-mnist/FULL/serial/batch:512/compute:device:samples_per_second=5",
                   "fashion-mnist/SYNTHETIC/batch:512/compute:device:samples_per_second=7",
                   "fashion-mnist/FULL/serial/batch:512/compute:device:samples_per_second=7", "OVERHEAD"}));
}

TEST(Plan, AppliesAnOptionOnlyToValuesOfAnAxisThatUseIt) {
  const Plan plan = plan_of(
      {.modes = {"io"}, .loaders = {"serial"}, .axes = {{"order", {"shuffled", "page-shuffled"}}}, .page_samples = 4});
  EXPECT_EQ(plan.cells[0].sampler.page_samples, 64U);
  EXPECT_EQ(plan.cells[1].sampler.page_samples, 4U);
}

TEST(Plan, HasOneSyntheticCellWhereverTheSamplesLie) {
  EXPECT_EQ(names({.modes = {"synthetic", "full"}, .loaders = {"serial"}, .axes = {{"in-memory", {"off", "on"}}}}),
            (Names{"fashion-mnist/SYNTHETIC/batch:512", "fashion-mnist/FULL/serial/batch:512/in_memory:off",
                   "fashion-mnist/FULL/serial/batch:512/in_memory:on", "OVERHEAD"}));
}

TEST(Plan, LeavesOutExcludedCellsAndKeepsFilteredOnes) {
  const RunOptions all{.modes = {"io", "synthetic"}, .loaders = {"serial", "thread-pool"}, .workers = {1, 2, 4}};
  RunOptions excluded = all;
  excluded.exclude = {"loader=thread-pool workers=2", "workers>3"};
  EXPECT_EQ(names(excluded),
            (Names{"fashion-mnist/IO/serial/batch:512", "fashion-mnist/IO/thread-pool/workers:1/batch:512",
                   "fashion-mnist/SYNTHETIC/batch:512", "OVERHEAD"}));
  RunOptions wanted = all;
  wanted.filter = {"loader=thread-pool workers>=2"};
  EXPECT_EQ(names(wanted), (Names{"fashion-mnist/IO/thread-pool/workers:2/batch:512",
                                  "fashion-mnist/IO/thread-pool/workers:4/batch:512",
                                  "fashion-mnist/SYNTHETIC/batch:512", "OVERHEAD"}))
      << "a condition on what SYNTHETIC does not have is none for it";
  wanted.filter = {"loader=serail"};
  EXPECT_EQ(refusal(wanted), usage("--filter: no cell meets loader=serail; loader is serial or thread-pool"))
      << "it used to leave SYNTHETIC only";
  wanted.filter = {"batch_size=512"};
  wanted.exclude = {"batch_size=512"};
  EXPECT_EQ(refusal(wanted), usage("--exclude and --filter: they leave no cell to run"));
}

TEST(Plan, NamesExclusionsThatNoCellMeets) {
  RunOptions options{.modes = {"io"}, .loaders = {"serial", "thread-pool"}, .workers = {1, 2}};
  options.exclude = {"loader=serail", "loader=thread-pool workers=2", "workers>3", "loader=serial"};
  options.filter = {"loader=thread-pool"};
  EXPECT_EQ(plan_of(options).idle_exclusions, (Names{"loader=serail", "workers>3"}))
      << "what --filter leaves out anyway can be left out";
  options.part = "1/1";
  options.exclude = {"workers=2"};
  EXPECT_EQ(plan_of(options).idle_exclusions, Names());
}

TEST(Plan, DealsConfigurationsIntoParts) {
  RunOptions options{.loaders = {"thread-pool"}, .workers = {1, 2, 4}};
  options.part = "2/2";
  EXPECT_EQ(names(options),
            (Names{"fashion-mnist/IO/thread-pool/workers:2/batch:512", "fashion-mnist/SYNTHETIC/batch:512",
                   "fashion-mnist/FULL/thread-pool/workers:2/batch:512", "OVERHEAD"}));
  std::multiset<std::string> together;
  for (const char* part : {"1/3", "2/3", "3/3"}) {
    options.part = part;
    for (const std::string& name : names(options)) together.insert(name);
  }
  EXPECT_EQ(together.size(), 3U * 4);
  EXPECT_EQ(together.count("fashion-mnist/SYNTHETIC/batch:512"), 3U) << "each part compares with its own";
}

TEST(Plan, RefusesPartsThatDoNotExist) {
  RunOptions options{.loaders = {"thread-pool"}, .workers = {1, 2}};
  for (const char* part : {"0/2", "3/2", "1", "1/", "/2", "a/b", "1/2/3"}) {
    options.part = part;
    EXPECT_EQ(refusal(options),
              usage("--part: want I/N with I from 1 to N, such as 1/4, got '" + std::string(part) + "'"));
  }
  options.part = "3/5";
  EXPECT_EQ(refusal(options), usage("--part 3/5: it is empty because there are only 2 configurations to divide"));
}

TEST(Plan, RefusesMoreCellsThanAllowed) {
  EXPECT_EQ(refusal({.loaders = {"thread-pool"}, .workers = {1, 2, 4, 8}, .max_cells = 8}),
            usage("--max-cells 8: these combinations make 9 cells or more; request fewer, leave some out with "
                  "--exclude, or raise the limit"));
}

TEST(Plan, MeasuresTheComputeOncePerBatchSizeAndTheHarnessOnce) {
  EXPECT_EQ(names({.modes = {"synthetic"}, .batch_sizes = {16, 8}}),
            (Names{"fashion-mnist/SYNTHETIC/batch:16", "fashion-mnist/SYNTHETIC/batch:8", "OVERHEAD"}));
}

TEST(Plan, GivesAComputeToSyntheticAndFullCells) {
  for (const Cell& cell : plan_of({.compute = "device:samples_per_second=5"}).cells) {
    const bool computes = cell.mode == Mode::kFull || cell.mode == Mode::kSynthetic;
    EXPECT_EQ(cell.compute, computes ? "device:samples_per_second=5" : "drain") << cell.name();
    EXPECT_EQ(cell.loader.has_value(), uses_loader(cell.mode)) << cell.name();
  }
}

TEST(Plan, RefusesOptionsThatNoChosenCellUses) {
  EXPECT_EQ(refusal({.modes = {"synthetic"}, .workers = {2}}),
            usage("--workers: no cell that --loader and --mode choose has workers"));
  EXPECT_EQ(refusal({.loaders = {"serial"}, .stores = "cached"}),
            usage("--stores: no cell that --loader and --mode choose has workers"));
  EXPECT_EQ(refusal({.modes = {"io"}, .compute = "drain"}),
            usage("--compute: the chosen modes have no compute; synthetic and full do"));
}

TEST(Plan, TakesTheWorkloadsOwnSettings) {
  const Cell cell = plan_of({.workloads = {"cifar10"}}).cells.front();
  EXPECT_EQ(cell.data, "/data/cifar10");
  EXPECT_EQ(cell.how_to_get_it, "loadline data make cifar10 /data/cifar10");
  EXPECT_EQ(cell.classes, 10U);
  EXPECT_EQ(cell.sampler.batch_size, 512U);
  EXPECT_EQ(cell.transform.mean, (std::vector<double>{0.4914, 0.4822, 0.4465}));
  EXPECT_EQ(cell.transform.stddev, (std::vector<double>{0.2470, 0.2435, 0.2616}));
  EXPECT_EQ(cell.transform.crop_padding, 4U);
  EXPECT_TRUE(cell.transform.flip);
}

TEST(Plan, PutsTheUsersSettingsAboveTheWorkloads) {
  const Cell cell = plan_of({.workloads = {"cifar10"},
                             .data = "/mine",
                             .format = "cifar100",
                             .split = "test",
                             .labels = "coarse",
                             .in_memory = true,
                             .dtype = "bf16",
                             .layout = "nhwc",
                             .mean = {0.5, 0.5, 0.5},
                             .crop_padding = 0,
                             .flip = "off",
                             .kernels = "scalar",
                             .order = "page-shuffled",
                             .page_samples = 4,
                             .window_samples = 40,
                             .seed = 7,
                             .rank = 1,
                             .world_size = 2,
                             .drop_last = true,
                             .prefetch = 3,
                             .delivery = "completion"})
                        .cells.front();
  EXPECT_EQ(cell.data, "/mine");
  EXPECT_EQ(cell.how_to_get_it, "") << "nobody but the user knows how to get what he names";
  EXPECT_EQ(cell.dataset.format, "cifar100");
  EXPECT_EQ(cell.dataset.split, Split::kTest);
  EXPECT_EQ(cell.dataset.labels, LabelKind::kCoarse);
  EXPECT_TRUE(cell.dataset.in_memory);
  EXPECT_EQ(cell.transform.dtype, DType::kBF16);
  EXPECT_EQ(cell.transform.layout, Layout::kNHWC);
  EXPECT_EQ(cell.transform.mean, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(cell.transform.stddev, (std::vector<double>{0.2470, 0.2435, 0.2616}));
  EXPECT_EQ(cell.transform.crop_padding, 0U);
  EXPECT_FALSE(cell.transform.flip);
  EXPECT_EQ(cell.transform.seed, 7U);
  EXPECT_EQ(cell.kernels, "scalar");
  EXPECT_EQ(cell.sampler.order, Order::kPageShuffled);
  EXPECT_EQ(cell.sampler.page_samples, 4U);
  EXPECT_EQ(cell.sampler.window_samples, 40U);
  EXPECT_EQ(cell.sampler.seed, 7U);
  EXPECT_EQ(cell.sampler.rank, 1U);
  EXPECT_EQ(cell.sampler.world_size, 2U);
  EXPECT_TRUE(cell.sampler.drop_last);
  EXPECT_EQ(cell.prefetch, 3U);
  EXPECT_FALSE(cell.in_order);
}

TEST(Plan, NormalisesFloatTypesAndLeavesBytesAlone) {
  EXPECT_EQ(plan_of({.workloads = {"mnist"}}).cells.front().transform.mean, std::vector<double>{0.1307});
  EXPECT_TRUE(plan_of({.workloads = {"mnist"}, .dtype = "u8"}).cells.front().transform.mean.empty());
  EXPECT_TRUE(plan_of({.workloads = {"mnist"}, .normalise = "off"}).cells.front().transform.mean.empty());
}

TEST(Plan, RefusesOptionsThatContradictEachOther) {
  EXPECT_EQ(refusal({.dtype = "u8", .normalise = "on"}),
            usage("--normalise on: dtype u8 cannot be normalised; f32 and bf16 can"));
  EXPECT_EQ(refusal({.dtype = "u8", .mean = {0.5}}),
            usage("--mean and --std: dtype u8 cannot be normalised; f32 and bf16 can"));
  EXPECT_EQ(refusal({.normalise = "off", .stddev = {0.5}}), usage("--mean and --std: they contradict --normalise off"));
  EXPECT_EQ(refusal({.rank = 2, .world_size = 2}), usage("--rank 2: want a rank below --world-size 2"));
  EXPECT_EQ(refusal({.workloads = {"mnist", "cifar10"}, .data = "/mine"}),
            usage("--data /mine: one path cannot be the data of 2 workloads; name one with --workload"));
  EXPECT_EQ(refusal({.page_samples = 32}),
            test::usage("--page-samples: it applies to --order page-shuffled, not to shuffled"));
  EXPECT_EQ(refusal({.order = "sequential", .window_samples = 32}),
            test::usage("--window-samples: it applies to --order page-shuffled, not to sequential"));
  EXPECT_EQ(refusal({.trial_seconds = 2, .trial_batches = 10}),
            test::usage("--trial-seconds: it contradicts --trial-batches; give only one of the two"));
  EXPECT_EQ(refusal({.max_trials = 9}),
            test::usage("--max-trials: it applies to --until-ci; otherwise --trials sets the number"));
  EXPECT_EQ(refusal({.given = {"trials"}, .trials = 30, .until_ci = 0.01, .max_trials = 12}),
            usage("--max-trials 12: want at least --trials, which is 30"));
  EXPECT_EQ(refusal({.order = "page-shuffled", .page_samples = 64, .window_samples = 63}),
            usage("--window-samples 63: want at least one page of --page-samples, which is 64"));
  EXPECT_EQ(refusal({.loaders = {"serial"}, .prefetch = 2}),
            usage("--prefetch: no cell that --loader and --mode choose has workers"));
}

TEST(Plan, GivesLoadersOfHdf5ACopyOfTheirWorkloadsData) {
  const Plan plan = plan_of(
      {.workloads = {"cifar10"}, .modes = {"io"}, .loaders = {"serial", "hdf5-mmap", "hdf5-chunk"}, .workers = {1}});
  EXPECT_EQ(plan.cells[0].data, "/data/cifar10");
  EXPECT_EQ(plan.cells[0].dataset.access, std::nullopt);
  EXPECT_EQ(plan.cells[1].data, "/data/cifar10.h5");
  EXPECT_EQ(plan.cells[1].dataset.access, Access::kMapped);
  EXPECT_EQ(plan.cells[1].how_to_get_it, "loadline data convert /data/cifar10 /data/cifar10.h5");
  EXPECT_EQ(plan.cells[2].data, "/data/cifar10-chunks.h5");
  EXPECT_EQ(plan.cells[2].how_to_get_it, "loadline data convert /data/cifar10 /data/cifar10-chunks.h5 --chunk 64");
}

TEST(Plan, LooksForTheCopyBesideTheNamedData) {
  const auto cell = [](const std::string& data, const std::string& split) {
    return plan_of({.workloads = {"cifar100"},
                    .modes = {"io"},
                    .loaders = {"hdf5"},
                    .data = data,
                    .split = split,
                    .labels = "coarse"})
        .cells.front();
  };
  EXPECT_EQ(cell("/mine/hundred/", "train").data, "/mine/hundred-coarse.h5");
  EXPECT_EQ(cell("/mine/hundred", "test").data, "/mine/hundred-test-coarse.h5");
  EXPECT_EQ(cell("/mine/hundred", "test").how_to_get_it,
            "loadline data convert /mine/hundred /mine/hundred-test-coarse.h5 --split test --labels coarse");
  EXPECT_EQ(cell("/mine/a b", "train").how_to_get_it,
            "loadline data convert '/mine/a b' '/mine/a b-coarse.h5' --labels coarse");
  EXPECT_EQ(cell("/mine/hundred", "test").dataset.split, Split::kTrain) << "the copy holds one split";
  EXPECT_EQ(cell("/mine/own.h5", "train").data, "/mine/own.h5");
}

TEST(Plan, ReadsNamedDataInHdf5WhateverTheNameOfTheFile) {
  const test::TemporaryDirectory home;
  const auto data = test::write(home / "scans", "\x89HDF\r\n\x1a\n and more");
  const Plan plan = plan_of({.workloads = {"cifar10"}, .modes = {"io"}, .loaders = {"hdf5"}, .data = data.native()});
  EXPECT_EQ(plan.cells.front().data, data);
}

TEST(Plan, RefusesToKeepInMemoryWhatALoaderReadsFromItsFile) {
  EXPECT_EQ(refusal({.loaders = {"serial", "hdf5"}, .in_memory = true}),
            usage("--in-memory: loader hdf5 always reads from the file"));
  EXPECT_EQ(refusal({.cache = "cold", .in_memory = true}),
            usage("--cache cold: --in-memory reads all samples before a trial begins; give only one of the two"));
}

TEST(Plan, RefusesAnUnknownOrIncompleteCompute) {
  EXPECT_EQ(refusal({.compute = "gpu"}),
            usage("compute 'gpu': want one of " + list_of(names_of(computes())) + " (did you mean gpt?)"));
  EXPECT_EQ(refusal({.compute = "device"}),
            usage("compute device: it needs samples_per_second, such as device:samples_per_second=1000, or profile"));
}

TEST(Plan, RefusesOptionsThatTheComputeIgnoresAndNamesThoseThatHeedThem) {
  const auto known = names_of(computes());
  if (std::ranges::count(known, "cnn") == 0) GTEST_SKIP() << "built without such a compute";
  const std::string heeding = std::ranges::count(known, "cuda") > 0 ? "cnn, gpt and cuda use it" : "cnn and gpt use it";
  EXPECT_EQ(refusal({.compute = "train.py:make_step", .precision = "bf16"}),
            usage("--precision: compute train.py:make_step ignores it; " + heeding));
  EXPECT_EQ(refusal({.compute = "drain", .fusion = "off"}), usage("--fusion: compute drain ignores it; " + heeding));
  EXPECT_EQ(refusal({.compute_threads = 2}), usage("--compute-threads: compute device ignores it; cnn and gpt use it"));
  EXPECT_EQ(plan_of({.compute = "cnn", .precision = "bf16", .fusion = "off", .compute_threads = 2}).cells.size(), 8U);
}

// An option that another value of an axis heeds is left out; the others used to be left out too.
TEST(Plan, RefusesOptionsThatNoValueOfAnAxisHeeds) {
  EXPECT_EQ(refusal({.axes = {{"order", {"shuffled", "sequential"}}}, .page_samples = 4}),
            usage("--page-samples: it applies to --order page-shuffled, not to shuffled"));
  EXPECT_EQ(refusal({.axes = {{"read", {"pread", "mmap"}}}, .reads_in_flight = 4}),
            usage("--reads-in-flight: it applies to --read uring, not to pread"));
  const auto known = names_of(computes());
  if (std::ranges::count(known, "cnn") == 0) GTEST_SKIP() << "built without a compute that heeds threads";
  EXPECT_EQ(refusal({.axes = {{"compute", {"device:samples_per_second=5", "drain"}}}, .compute_threads = 2}),
            usage("--compute-threads: compute device ignores it; cnn and gpt use it"));
}

TEST(Plan, GivesASingleThreadedComputeOneThreadAndRefusesMore) {
  const auto known = names_of(computes());
  if (std::ranges::count(known, "cuda") * std::ranges::count(known, "cnn") == 0) {
    GTEST_SKIP() << "built without such computes";
  }
  RunOptions options{.compute = "cuda"};
  for (const Cell& cell : plan_of(options, 8).cells) EXPECT_EQ(cell.compute_threads, 1U) << cell.name();
  options.compute_threads = 2;
  EXPECT_EQ(refusal(options), usage("--compute-threads: compute cuda ignores it; cnn and gpt use it"));
}

TEST(SuitablePrefetch, FillsAFifthOfTheCacheTogetherWithTheBatchesInHand) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  EXPECT_EQ(suitable_prefetch(80 * kMiB, 2 * kMiB, 1), 6U);
  EXPECT_EQ(suitable_prefetch(80 * kMiB, 2 * kMiB, 2), 5U);
  EXPECT_EQ(suitable_prefetch(32 * kMiB, 6 * kMiB, 2), 2U) << "never fewer than two";
  EXPECT_EQ(suitable_prefetch(32 * kMiB, 2 * kMiB, 100), 2U);
  EXPECT_EQ(suitable_prefetch(32 * kMiB, 4096, 2), 16U) << "never more than sixteen";
  EXPECT_EQ(suitable_prefetch(32 * kMiB, 0, 2), 16U);
  EXPECT_EQ(suitable_prefetch(0, 4096, 2), 2U);
}

TEST(SuitablePrefetch, OfAnUnknownCacheIsEight) {
  EXPECT_EQ(suitable_prefetch(std::nullopt, 4096, 2), 8U);
}

Cell on_two_nodes(RunOptions options) {
  options.modes = {"io"};
  options.loaders = {"thread-pool"};
  options.workers = {3};
  return make_plan(options, {.threads_in_force = 4,
                             .cpus = {0, 1, 2, 3},
                             .nodes = {{.number = 0, .cores = {{0}, {1}}}, {.number = 1, .cores = {{2}, {3}}}},
                             .data_directory = "/data"})
      .cells.front();
}

TEST(Plan, ByNodeBindsWorkersAndSlots) {
  const Cell cell = on_two_nodes({.placement = "numa"});
  EXPECT_EQ(cell.placement.compute_cpus, Places{1});
  EXPECT_EQ(cell.placement.cpus_of_workers(3), (std::vector<Places>{{0}, {2, 3}, {2, 3}}));
  EXPECT_EQ(cell.placement.slot_nodes(), Places{0});
  EXPECT_EQ(cell.dataset.memory, MemoryPlace()) << "samples stay in their files";
}

TEST(Plan, ByNodeSpreadsOrCopiesSamplesInMemory) {
  EXPECT_EQ(on_two_nodes({.in_memory = true, .placement = "numa"}).dataset.memory,
            (MemoryPlace{.nodes = {0, 1}, .replicated = false}));
  EXPECT_EQ(on_two_nodes({.in_memory = true, .placement = "numa:replicate"}).dataset.memory,
            (MemoryPlace{.nodes = {0, 1}, .replicated = true}));
  EXPECT_EQ(thrown_by([] { on_two_nodes({.placement = "numa:replicate"}); }),
            usage("--placement numa:replicate: only samples in memory can be copied to each node; add --in-memory, or "
                  "use --placement numa"));
}

}  // namespace
}  // namespace loadline
