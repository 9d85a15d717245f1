#include "harness/plan/find.h"

#include <gtest/gtest.h>

#include "harness/plan/plan.h"
#include "loaders/loader.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::Thrown;
using test::usage;
using Sizes = std::vector<std::size_t>;

// The options of a valid search.
RunOptions options(const std::string& find) {
  return {.loaders = {"thread-pool"},
          .workers = {2},
          .compute = "device:samples_per_second=1000,depth=1",
          .au = 0.9,
          .find = find};
}

Thrown refused_search(const RunOptions& options) {
  return test::thrown_by([&] { make_plan(options, {.threads_in_force = 4, .data_directory = "/data"}); });
}

TEST(Find, AcceptsOneOfEverything) {
  EXPECT_EQ(refused_search(options("max-rate")), Thrown());
  EXPECT_EQ(refused_search(options("min-workers")), Thrown());
}

TEST(Find, BeginsWithNoWorkersWhereALoaderMayDoWithout) {
  add_loader({.name = "train:loop", .summary = "", .has_workers = true, .may_do_without = true});
  RunOptions own = options("min-workers");
  EXPECT_EQ(least_of(own), 1);
  own.loaders = {"train:loop"};
  EXPECT_EQ(least_of(own), 0);
  RunOptions devices = options("max-devices");
  devices.loaders = {"train:loop"};
  EXPECT_EQ(least_of(devices), 1);
}

TEST(Find, RefusesWhatItCannotSearch) {
  RunOptions no_goal = options("max-rate");
  no_goal.au.reset();
  EXPECT_EQ(refused_search(no_goal), usage("--find max-rate: it needs --au, the utilisation to maintain"));
  RunOptions two_workloads = options("max-rate");
  two_workloads.workloads = {"mnist", "cifar10"};
  EXPECT_EQ(refused_search(two_workloads), usage("--find max-rate: want one --workload, got 2"));
  RunOptions two_loaders = options("min-workers");
  two_loaders.loaders = {"serial", "thread-pool"};
  EXPECT_EQ(refused_search(two_loaders), usage("--find min-workers: want one --loader, got 2"));
  RunOptions two_batches = options("max-rate");
  two_batches.batch_sizes = {64, 128};
  EXPECT_EQ(refused_search(two_batches), usage("--find max-rate: want one --batch-size, got 2"));
  RunOptions any_workers = options("max-rate");
  any_workers.workers.clear();
  EXPECT_EQ(refused_search(any_workers),
            usage("--find max-rate: give one number of --workers, or search for it with --find min-workers"));
  RunOptions no_workers = options("min-workers");
  no_workers.loaders = {"serial"};
  no_workers.workers.clear();
  EXPECT_EQ(refused_search(no_workers), usage("--find min-workers: loader serial has no workers"));
  RunOptions no_rate = options("max-rate");
  no_rate.compute = "drain";
  EXPECT_EQ(refused_search(no_rate), usage("--find max-rate: compute drain has no parameter samples_per_second"));
  RunOptions no_full = options("max-rate");
  no_full.modes = {"io", "synthetic"};
  EXPECT_EQ(refused_search(no_full),
            usage("--au: it needs SYNTHETIC and FULL trials; add synthetic and full to --mode"));
}

TEST(Find, RefusesATimeLimit) {
  RunOptions limited = options("max-rate");
  limited.time_limit = 60;
  EXPECT_EQ(refused_search(limited), usage("--time-limit: --find max-rate cannot be limited in time"));
}

TEST(FindBest, AcceptsListsThatKeepTheTraining) {
  RunOptions lists{.loaders = {"serial", "thread-pool"}, .batch_sizes = {64, 128}, .find = "best"};
  lists.axes = {{"delivery", {"in-order", "completion"}}, {"order", {"shuffled", "sequential"}}};
  EXPECT_EQ(refused_search(lists), Thrown());
  lists.modes = {"full"};
  lists.check_verdict = true;
  EXPECT_EQ(refused_search(lists), Thrown()) << "what it checks is the search";
}

TEST(FindBest, RefusesListsThatChangeTheTraining) {
  RunOptions two_workloads{.workloads = {"mnist", "cifar10"}, .find = "best"};
  EXPECT_EQ(refused_search(two_workloads), usage("--find best: want one --workload, got 2"));
  RunOptions two_types{.axes = {{"dtype", {"u8", "f32"}}}, .find = "best"};
  EXPECT_EQ(refused_search(two_types), usage("--find best: --dtype: want one, not a list"));
  RunOptions no_loader{.modes = {"synthetic"}, .loaders = {"thread-pool"}, .find = "best"};
  EXPECT_EQ(refused_search(no_loader), usage("--find best: it needs FULL or IO trials; add full or io to --mode"));
  RunOptions limited{.time_limit = 60, .find = "best"};
  EXPECT_EQ(refused_search(limited), usage("--time-limit: --find best cannot be limited in time"));
}

TEST(FindBest, SearchesWorkersAndPrefetchUnlessTheyAreGiven) {
  const RunOptions grid = with_best_grid({.loaders = {"serial", "thread-pool"}}, 6);
  EXPECT_EQ(grid.workers, (Sizes{1, 2, 4, 6}));
  EXPECT_EQ(grid.axes, (std::vector<Axis>{{"prefetch", {"2", "4", "8"}}}));
  EXPECT_EQ(with_best_grid({}, 1).workers, Sizes{1});
  EXPECT_EQ(with_best_grid({}, 4).workers, (Sizes{1, 2, 4}));
  const RunOptions given = with_best_grid({.workers = {3}, .axes = {{"prefetch", {"1", "16"}}}}, 6);
  EXPECT_EQ(given.workers, Sizes{3});
  EXPECT_EQ(given.axes, (std::vector<Axis>{{"prefetch", {"1", "16"}}}));
  const RunOptions one = with_best_grid({.prefetch = 5}, 6);
  EXPECT_TRUE(one.axes.empty());
  EXPECT_EQ(one.prefetch, 5U);
  const RunOptions none = with_best_grid({.loaders = {"serial"}}, 6);
  EXPECT_TRUE(none.workers.empty() && none.axes.empty()) << "nothing has workers";
}

TEST(Find, PutsAValueWhereItBelongs) {
  EXPECT_EQ(at_value(options("max-rate"), 2000).compute, "device:samples_per_second=2000,depth=1");
  EXPECT_EQ(at_value(options("max-rate"), 2000).workers, Sizes{2});
  EXPECT_EQ(at_value(options("min-workers"), 3).workers, Sizes{3});
  EXPECT_EQ(at_value(options("min-workers"), 3).compute, "device:samples_per_second=1000,depth=1");
  RunOptions of_workload = options("max-rate");
  of_workload.compute.clear();
  EXPECT_EQ(at_value(of_workload, 2000).compute, "device:samples_per_second=2000");
}

TEST(Find, SearchesWorkersUpToTheLargestNamedOrTheCpus) {
  RunOptions workers = options("min-workers");
  EXPECT_EQ(most_of(workers, 4), 2);
  workers.workers = {8, 1, 16, 2};
  EXPECT_EQ(most_of(workers, 4), 16);
  workers.workers.clear();
  EXPECT_EQ(most_of(workers, 4), 4);
}

TEST(WithParameter, ReplacesOrAddsOneAndKeepsTheOthers) {
  EXPECT_EQ(with_parameter("device:samples_per_second=1000", "samples_per_second", 2000),
            "device:samples_per_second=2000");
  EXPECT_EQ(with_parameter("device:depth=1,samples_per_second=1e3,copy_bytes_per_second=5", "samples_per_second", 7),
            "device:depth=1,samples_per_second=7,copy_bytes_per_second=5");
  EXPECT_EQ(with_parameter("device:samples_per_second=1000", "devices", 4), "device:samples_per_second=1000,devices=4");
  EXPECT_EQ(with_parameter("cnn", "width", 32), "cnn:width=32");
}

TEST(WithParameter, WritesFiveDigits) {
  EXPECT_EQ(with_parameter("c", "x", 412345.678), "c:x=412350");
  EXPECT_EQ(with_parameter("c", "x", 12345.678), "c:x=12346");
  EXPECT_EQ(with_parameter("c", "x", 37.654321), "c:x=37.654");
  EXPECT_EQ(with_parameter("c", "x", 0.01234567), "c:x=0.012346");
}

}  // namespace
}  // namespace loadline
