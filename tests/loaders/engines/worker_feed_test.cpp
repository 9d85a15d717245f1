// Tests the threads of the loaders that have workers; conformance_test.cpp tests what they deliver.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "loaders/system/affinity.h"
#include "loaders/system/numa.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/watchdog.h"

namespace loadline {
namespace {

class WorkerThreads : public testing::TestWithParam<std::string> {
 protected:
  const test::Watchdog watchdog_{test::kWhyALoaderBlocks};

  // Makes a feed with 16 batches per epoch.
  std::unique_ptr<Feed> feed(const Assembler& assembler, const LoaderOptions& options) const {
    return loader_named(GetParam()).make(assembler, sampler_, options);
  }
  std::unique_ptr<Feed> feed(const Assembler& assembler, std::size_t workers) const {
    return feed(assembler, LoaderOptions{.workers = workers});
  }

  const std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(64);
  const ImageTransform transform_{{1, 4, 4}, {.dtype = DType::kU8}, kernels_named("auto")};

 private:
  const Sampler sampler_{{.samples = 64, .batch_size = 4}};
};

std::vector<std::string> loaders_with_workers() {
  std::vector<std::string> names;
  for (const LoaderKind& kind : loaders()) {
    if (kind.has_workers) names.push_back(kind.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, WorkerThreads, testing::ValuesIn(loaders_with_workers()), [](const auto& row) {
  std::string name = row.param;
  std::erase(name, '-');
  return name;
});

TEST_P(WorkerThreads, AreAsManyAsRequestedInEveryFeedHoweverFewCpusThereAre) {
  const auto workers = std::size_t{2} * std::thread::hardware_concurrency() + 1;
  const test::MeetingDataset meeting(*dataset_, 2 * workers);
  const ImageAssembler assembler(meeting, transform_);
  const auto one = feed(assembler, workers);
  const auto other = feed(assembler, workers);
  EXPECT_TRUE(one->next());
  EXPECT_TRUE(other->next());
}

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_P(WorkerThreads, EndWithTheFeed) {
  const std::size_t before = threads_of_this_process();
  const ImageAssembler assembler(*dataset_, transform_);
  feed(assembler, 3)->next();
  // A joined thread may stay listed for a moment; one that was never joined would stay listed forever.
  while (threads_of_this_process() > before) std::this_thread::yield();
}

// Pins the calling thread to one CPU. The destructor restores its affinity.
class OnOneCpu {
 public:
  OnOneCpu() {
    sched_getaffinity(0, sizeof(before_), &before_);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one_) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &one_);
    }
    sched_setaffinity(0, sizeof(one_), &one_);
  }
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;
  ~OnOneCpu() { sched_setaffinity(0, sizeof(before_), &before_); }

  bool holds_the_caller() const {
    cpu_set_t now;
    sched_getaffinity(0, sizeof(now), &now);
    return CPU_EQUAL(&now, &one_);
  }

 private:
  cpu_set_t before_{};
  cpu_set_t one_{};
};

class AffinityDataset final : public test::DecoratedDataset {
 public:
  AffinityDataset(const Dataset& inner, const OnOneCpu& expected) : DecoratedDataset(inner), expected_(expected) {}

  bool was_read_elsewhere() const { return elsewhere_; }

 private:
  void before_reading(std::span<const SampleIndex> /*indices*/) const override {
    if (!expected_.holds_the_caller()) elsewhere_ = true;
  }

  const OnOneCpu& expected_;
  mutable std::atomic<bool> elsewhere_{false};
};

TEST_P(WorkerThreads, RunOnTheCpusOfTheirCreator) {
  // An earlier feed may have changed the threads that a library keeps for the process.
  const ImageAssembler anywhere(*dataset_, transform_);
  feed(anywhere, 2)->next();

  const OnOneCpu one_cpu;
  const AffinityDataset affinity(*dataset_, one_cpu);
  const ImageAssembler assembler(affinity, transform_);
  const auto one = feed(assembler, 3);
  for (int i = 0; i < 20; ++i) one->next();
  EXPECT_FALSE(affinity.was_read_elsewhere());
}

TEST_P(WorkerThreads, ReportAnImpossibleCpuToTheConsumer) {
  const ImageAssembler assembler(*dataset_, transform_);
  const auto one = feed(assembler, {.workers = 3, .cpus = {60000}});
  EXPECT_EQ(test::thrown_by([&] { one->next(); }), test::failed("cannot pin a thread to CPUs 60000: Invalid argument"));
  EXPECT_FALSE(one->next()) << "the feed is closed";
}

TEST_P(WorkerThreads, ReportABatchWhoseOrderCannotBeComputed) {
  constexpr std::size_t kSamples = 1004;
  const std::vector<std::uint32_t> lengths(kSamples, 1);
  // Each batch is cut from a bucket that holds the whole epoch.
  const Sampler sampler(
      {.samples = kSamples, .batch_size = 4, .order = Order::kSequential, .bucket_batches = kSamples / 4}, lengths);
  const std::unique_ptr<Dataset> dataset = test::patterned_dataset(kSamples);
  const ImageAssembler assembler(*dataset, transform_);
  const test::RefusedAllocation refused(kSamples * sizeof(SampleIndex));
  const auto one = loader_named(GetParam()).make(assembler, sampler, {.workers = 2});
  const auto all_batches = [&] {
    while (one->next()) continue;
  };
  EXPECT_THROW(all_batches(), std::bad_alloc);
  EXPECT_TRUE(refused.has_happened());
  EXPECT_FALSE(one->next()) << "the feed is closed";
}

// Records the CPUs on which each reading thread may run.
class WhereReadersRun final : public test::DecoratedDataset {
 public:
  using DecoratedDataset::DecoratedDataset;

  std::multiset<std::vector<std::size_t>> seen() const { return seen_; }

 private:
  void before_reading(std::span<const SampleIndex> /*indices*/) const override {
    thread_local const void* known = nullptr;
    const std::lock_guard lock(mutex_);
    if (std::exchange(known, this) != this) seen_.insert(affinity_cpus());
  }

  mutable std::mutex mutex_;
  mutable std::multiset<std::vector<std::size_t>> seen_;
};

TEST_P(WorkerThreads, RunEachOnItsOwnCpus) {
  const std::vector<std::size_t> cpus = affinity_cpus();
  const std::vector<std::size_t> first{cpus.front()};
  const std::vector<std::size_t> last{cpus.back()};
  const WhereReadersRun where(*dataset_);
  const test::MeetingDataset meeting(where, 3);
  const ImageAssembler assembler(meeting, transform_);
  const auto one = feed(assembler, {.workers = 3, .cpus = cpus, .cpus_of_worker = {first, last, first}});
  for (int i = 0; i < 12; ++i) one->next();
  EXPECT_EQ(where.seen(), (std::multiset<std::vector<std::size_t>>{first, first, last}));
}

TEST_P(WorkerThreads, ReportOneWorkersImpossibleCpuToTheConsumer) {
  const std::vector<std::size_t> cpus = affinity_cpus();
  const ImageAssembler assembler(*dataset_, transform_);
  const auto one = feed(assembler, {.workers = 2, .cpus = cpus, .cpus_of_worker = {cpus, {60000}}});
  EXPECT_EQ(test::thrown_by([&] {
              // The other worker may fill many batches before this one begins.
              for (int i = 0; i < 1'000'000; ++i) one->next();
            }),
            test::failed("cannot pin a thread to CPUs 60000: Invalid argument"));
}

TEST_P(WorkerThreads, ReportWhereTheirSlotsLie) {
  const ImageAssembler assembler(*dataset_, transform_);
  const auto one = feed(assembler, {.workers = 2, .prefetch = 3, .slot_nodes = {0}});
  one->next();
  const auto memory = one->slot_memory();
  EXPECT_EQ(memory.size(), slots_of(loader_named(GetParam()), {.workers = 2, .prefetch = 3}));
  const auto nodes = pieces_by_node(memory);
  if (nodes.empty()) GTEST_SKIP() << "the system does not tell on which node memory lies";
  EXPECT_EQ(nodes.front().node, 0U);
}

TEST_P(WorkerThreads, AreRefusedInTheNameOfTheRequestedLoader) {
  const ImageAssembler assembler(*dataset_, transform_);
  const std::string name = GetParam();
  EXPECT_EQ(test::thrown_by([&] { feed(assembler, {.workers = 0}); }),
            test::usage("workers 0: " + name + " wants 1 to 4096"));
  EXPECT_EQ(test::thrown_by([&] { feed(assembler, {.workers = 4097}); }),
            test::usage("workers 4097: " + name + " wants 1 to 4096"));
  EXPECT_EQ(test::thrown_by([&] { feed(assembler, {.prefetch = 0}); }),
            test::usage("prefetch 0: " + name + " wants at least 1 batch"));
}

}  // namespace
}  // namespace loadline
