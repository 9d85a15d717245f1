// What verdicts advise.
#include "harness/judge/verdict_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/judge/verdict_fixture.h"

namespace loadline {
namespace {

using test::kCompute;
using test::Measured;
using test::Rates;

TEST(Verdict, DoesNotAskARecordedLoaderForWorkers) {
  const Verdict verdict =
      Measured{{5000, 5010, 4990}, kCompute, {5000, 5010, 4990}, 0, "replay:file=job.json"}.verdict();
  EXPECT_EQ(verdict.bound, Bound::kLoader);
  EXPECT_TRUE(verdict.sentence.ends_with(": fix the recorded loader, or choose another --loader.")) << verdict.sentence;
}

TEST(Verdict, BoundByLoadingAdvisesMoreWorkersOnlyWhereThereAreCpusForThem) {
  const std::vector<double> io{91e3, 90e3, 92e3};
  const std::vector<double> synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](std::size_t workers, std::size_t threads_in_force) {
    return judge({.loader = "thread-pool",
                  .workers = workers,
                  .compute = "device",
                  .io = io,
                  .synthetic = synthetic,
                  .full = io,
                  .fill = io,
                  .threads_in_force = threads_in_force})
        .sentence;
  };
  EXPECT_THAT(advice(2, 4), testing::HasSubstr("throughput: raise --workers or use a faster --loader."));
  EXPECT_THAT(advice(2, 0), testing::HasSubstr("throughput: raise --workers or use a faster --loader."));
  EXPECT_THAT(advice(4, 4),
              testing::HasSubstr("each of the 4 CPUs in force has a worker already, so use a faster --loader"));
}

TEST(Verdict, BoundByLoadingNearTheCeilingAdvisesNoFasterLoader) {
  const std::vector<double> io{91e3, 90e3, 92e3};
  const std::vector<double> synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](std::size_t workers, double ceiling_efficiency) {
    return judge({.loader = "thread-pool",
                  .workers = workers,
                  .compute = "device",
                  .io = io,
                  .synthetic = synthetic,
                  .full = io,
                  .fill = io,
                  .threads_in_force = 4,
                  .ceiling_efficiency = Estimate{ceiling_efficiency + 0.02, Interval{ceiling_efficiency, 1}}})
        .sentence;
  };
  EXPECT_THAT(advice(2, 0.89), testing::HasSubstr("raise --workers or use a faster --loader."));
  EXPECT_THAT(advice(2, 0.91), testing::HasSubstr("raise --workers: no --loader can be much faster with so few."));
  EXPECT_THAT(advice(4, 0.91),
              testing::HasSubstr("each of the 4 CPUs in force has a worker already and no --loader can be much faster "
                                 "on these CPUs, so give each sample less work or get "
                                 "more CPUs"));
}

// "raise --workers" used to stand beside "more reads in flight can hardly help".
TEST(Verdict, BoundByLoadingFromStorageAdvisesNoMoreReadsInFlight) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  struct Case {
    std::size_t workers = 2;
    double reached = 0.5;
    bool device_binds = false;
    bool waits_for_device = false;
    bool few_reads = false;
    StorageRemedy remedy = StorageRemedy::kFewerBytes;
  };
  const auto advice = [&](const Case& one) {
    const Verdict verdict = judge({.loader = one.workers == 0 ? "serial" : "thread-pool",
                                   .workers = one.workers,
                                   .takes_workers = true,
                                   .compute = "device",
                                   .io = io,
                                   .synthetic = synthetic,
                                   .full = io,
                                   .fill = io,
                                   .threads_in_force = 4,
                                   .ceiling_efficiency = Estimate{one.reached + 0.02, Interval{one.reached, 1}},
                                   .device_binds = one.device_binds,
                                   .waits_for_device = one.waits_for_device,
                                   .few_reads = one.few_reads,
                                   .storage_remedy = one.remedy});
    EXPECT_TRUE(verdict.storage_binds);
    std::string said = verdict.briefest.substr(verdict.briefest.rfind(": use ") + 2);
    EXPECT_THAT(verdict.sentence, testing::HasSubstr(said));
    return said;
  };
  const std::string faster =
      "use faster storage or a format with fewer bytes per sample, as loading is bound by storage";
  EXPECT_EQ(advice({.waits_for_device = true}), faster + ".");
  EXPECT_EQ(advice({.workers = 0, .waits_for_device = true}), faster + ".");
  EXPECT_EQ(advice({.workers = 4, .waits_for_device = true}), faster + ".") << "each CPU has a worker";
  EXPECT_EQ(advice({.reached = 0.91, .device_binds = true}),
            faster + ": no --loader can read much faster from this one.");
  EXPECT_EQ(advice({.reached = 0.91, .device_binds = true, .few_reads = true}),
            faster + ": no --loader can read much faster with so few reads in flight.");
  EXPECT_EQ(advice({.waits_for_device = true, .remedy = StorageRemedy::kPackedFiles}),
            "use faster storage or packed files with fewer reads per sample, as loading is bound by storage.");
}

// The sentence on interference between one worker, or this many, and a compute without a core of its own.
std::string interference_sentence(double full, bool lacks_core, std::size_t workers = 1,
                                  const Alternatives& tried = {}) {
  const Rates io{14000, 14100, 13900};
  const Rates fulls{full, full + 50, full - 50};
  return judge({.loader = workers == 0 ? "serial" : "thread-pool",
                .workers = workers,
                .compute = "cnn",
                .io = io,
                .synthetic = kCompute,
                .full = fulls,
                .fill = io,
                .lacks_core = lacks_core,
                .tried = tried})
      .sentence;
}

TEST(Verdict, BoundByInterferenceAdvisesACoreOfItsOwnOnlyToAComputeThatLacksOne) {
  EXPECT_THAT(interference_sentence(9000, true),
              testing::EndsWith("not fully: deepen --prefetch or give the compute its own core."));
  EXPECT_THAT(interference_sentence(9000, false), testing::EndsWith("not fully: deepen --prefetch."));
  EXPECT_THAT(interference_sentence(4000, true), testing::EndsWith("memory bandwidth: give the compute its own core."));
}

TEST(Verdict, BoundByInterferenceAdvisesNothingToPrefetchWithoutWorkers) {
  for (const double full : {9000.0, 6650.0, 4000.0}) {
    EXPECT_THAT(interference_sentence(full, true, 0), testing::EndsWith(": use a --loader that reads ahead.")) << full;
  }
}

Tried tried(std::string name, double low, double value, double high) {
  return {.name = std::move(name), .gain = {.value = value, .ci95 = Interval{low, high}, .p = std::nullopt}};
}

TEST(Verdict, BoundByInterferenceAdvisesNothingThatTheRunTriedWithoutAGain) {
  const Alternatives alternatives{.fewer_workers = tried("1 worker was", 0.98, 1.0, 1.02),
                                  .with_workers = tried("thread-pool with 2 workers was", 0.9, 0.95, 1.0),
                                  .more_prefetch = tried("--prefetch 8 was", 0.97, 1.0, 1.03)};
  EXPECT_THAT(
      interference_sentence(9000, false, 2, alternatives),
      testing::EndsWith("not fully: a deeper --prefetch is no remedy, as --prefetch 8 was no faster in this run."));
  EXPECT_THAT(interference_sentence(9000, true, 2, alternatives),
              testing::EndsWith("not fully: give the compute its own core."));
  EXPECT_THAT(interference_sentence(6650, false, 2, alternatives),
              testing::EndsWith("they mostly take turns: use a --loader that reads ahead."));
  EXPECT_THAT(
      interference_sentence(4000, false, 2, alternatives),
      testing::EndsWith("memory bandwidth: fewer --workers are no remedy, as 1 worker was no faster in this run."));
  EXPECT_THAT(
      interference_sentence(6650, false, 0, alternatives),
      testing::EndsWith("they mostly take turns: give each sample less work, as thread-pool with 2 workers was no "
                        "faster in this run."));
}

// The advice to a configuration that is bound by loading.
std::string loading_advice(std::size_t workers, const Alternatives& alternatives, std::size_t threads_in_force = 4,
                           std::optional<double> ceiling_efficiency = {}) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const std::string sentence =
      judge({.loader = workers == 0 ? "serial" : "thread-pool",
             .workers = workers,
             .compute = "device",
             .io = io,
             .synthetic = synthetic,
             .full = io,
             .fill = io,
             .threads_in_force = threads_in_force,
             .ceiling_efficiency = ceiling_efficiency
                                       ? std::optional(Estimate{*ceiling_efficiency, Interval{*ceiling_efficiency, 1}})
                                       : std::nullopt,
             .tried = alternatives})
          .sentence;
  return sentence.substr(sentence.find("times the throughput: ") + 22);
}

TEST(Verdict, BoundByLoadingAdvisesNothingThatTheRunTriedWithoutAGain) {
  const Alternatives slower{.more_workers = tried("4 workers were", 0.9, 0.95, 1.0),
                            .with_workers = tried("thread-pool with 2 workers was", 0.9, 0.95, 1.0)};
  EXPECT_EQ(loading_advice(0, slower),
            "give each sample less work, as thread-pool with 2 workers was no faster in this run.");
  EXPECT_EQ(loading_advice(2, slower),
            "use a faster --loader or give each sample less work, as 4 workers were no faster in this run.");
  EXPECT_EQ(loading_advice(2, slower, 4, 0.95),
            "give each sample less work, as no --loader can be much faster with so few workers, and 4 workers were no "
            "faster in this run.");
  EXPECT_EQ(loading_advice(2, slower, 2),
            "each of the 2 CPUs in force has a worker already, so use a faster --loader, give each sample less work or "
            "get more CPUs (4 workers were no faster in this run).");
  EXPECT_EQ(loading_advice(1, {}, 1),
            "the one CPU in force has a worker already, so use a faster --loader, give each sample less work or get "
            "more CPUs (more --workers only if they wait for storage).");
}

TEST(Verdict, BoundByLoadingTakesOneWorkerForNoEvidenceAboutMore) {
  Alternatives one{.with_workers = tried("thread-pool with 1 worker was", 0.9, 0.95, 1.0)};
  one.with_workers->most_workers = 1;
  EXPECT_EQ(loading_advice(0, one),
            "use 2 or more workers, as only one was tried (thread-pool with 1 worker was no faster in this run).");
  EXPECT_EQ(loading_advice(0, one, 1),
            "give each sample less work, as thread-pool with 1 worker was no faster in this run.");
}

// The advice used to be "give each sample less work" beside "the thread spends 93 % of its time reading".
TEST(Verdict, BoundByLoadingAdvisesCheaperReadingWhereThatTakesTheTime) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](std::size_t workers, std::size_t most_workers) {
    Alternatives slower{.more_workers = tried("4 workers were", 0.9, 0.95, 1.0),
                        .with_workers = tried("thread-pool with 1 worker was", 0.9, 0.95, 1.0)};
    slower.with_workers->most_workers = most_workers;
    const std::string sentence = judge({.loader = workers == 0 ? "serial" : "thread-pool",
                                        .workers = workers,
                                        .compute = "device",
                                        .io = io,
                                        .synthetic = synthetic,
                                        .full = io,
                                        .fill = io,
                                        .threads_in_force = 4,
                                        .tried = slower,
                                        .work = LoaderWork::kReading})
                                     .sentence;
    return sentence.substr(sentence.find("times the throughput: ") + 22);
  };
  EXPECT_EQ(advice(0, 1),
            "use 2 or more workers, as only one was tried (thread-pool with 1 worker was no faster in this run).");
  EXPECT_EQ(
      advice(0, 4),
      "make reading cheaper (faster storage or a format with fewer reads or bytes per sample), as thread-pool with 1 "
      "worker was no faster in this run.");
  EXPECT_EQ(advice(2, 4),
            "use a faster --loader or make reading cheaper (faster storage or a format with fewer reads or bytes per "
            "sample), as 4 workers were no faster in this run.");
}

// The advice used to be "use a faster --loader", although every loader decodes by the same code.
TEST(Verdict, BoundByLoadingAdvisesCheaperDecodingWhereThatTakesTheTime) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](LoaderWork work, std::size_t threads_in_force) {
    const std::string sentence = judge({.loader = "thread-pool",
                                        .workers = 2,
                                        .compute = "device",
                                        .io = io,
                                        .synthetic = synthetic,
                                        .full = io,
                                        .fill = io,
                                        .threads_in_force = threads_in_force,
                                        .work = work})
                                     .sentence;
    return sentence.substr(sentence.find("times the throughput: ") + 22);
  };
  EXPECT_EQ(
      advice(LoaderWork::kDecodingFully, 4),
      "raise --workers or make decoding cheaper (smaller photographs, --scaled-dct if they are JPEGs of twice the "
      "output's size, or stored pixels if all have one size).");
  EXPECT_EQ(advice(LoaderWork::kDecoding, 4),
            "raise --workers or make decoding cheaper (smaller photographs, or stored pixels if all have one size).");
  EXPECT_EQ(
      advice(LoaderWork::kDecoding, 2),
      "each of the 2 CPUs in force has a worker already, so make decoding cheaper (smaller photographs, or stored "
      "pixels if all have one size) or get more CPUs (more --workers only if they wait for storage).");
}

TEST(Verdict, BoundByDecodingAdvisesNoOtherLoaderThoughMoreWorkersOrPrefetchAreNoFaster) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](const Alternatives& alternatives, bool waits_for_slots) {
    const std::string sentence = judge({.loader = "thread-pool",
                                        .workers = 2,
                                        .compute = "device",
                                        .io = io,
                                        .synthetic = synthetic,
                                        .full = io,
                                        .fill = io,
                                        .threads_in_force = 4,
                                        .tried = alternatives,
                                        .work = LoaderWork::kDecoding,
                                        .waits_for_slots = waits_for_slots})
                                     .sentence;
    return sentence.substr(sentence.find("times the throughput: ") + 22);
  };
  EXPECT_EQ(advice({.more_workers = tried("4 workers were", 0.9, 0.95, 1.0)}, false),
            "make decoding cheaper (smaller photographs, or stored pixels if all have one size), as 4 workers were no "
            "faster in this run.");
  EXPECT_EQ(
      advice({.more_prefetch = tried("--prefetch 8 was", 0.9, 0.95, 1.0)}, true),
      "make decoding cheaper (smaller photographs, or stored pixels if all have one size), as --prefetch 8 was no "
      "faster in this run.");
}

TEST(Verdict, BoundByLoadingAdvisesWhatTheRunTriedWithAGain) {
  const Alternatives faster{.more_workers = tried("4 workers were", 1.4, 1.5, 1.6),
                            .with_workers = tried("thread-pool with 2 workers was", 1.4, 1.5, 1.6)};
  EXPECT_EQ(loading_advice(0, faster), "use a --loader with workers.");
  EXPECT_EQ(loading_advice(2, faster), "raise --workers or use a faster --loader.");
}

TEST(Verdict, BoundByLoadingAdvisesWorkersForALoaderThatTakesThem) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const Verdict verdict = judge({.loader = "loader.py:make_loader",
                                 .workers = 0,
                                 .takes_workers = true,
                                 .compute = "device",
                                 .io = io,
                                 .synthetic = synthetic,
                                 .full = io,
                                 .fill = io});
  EXPECT_THAT(verdict.sentence, testing::EndsWith("times the throughput: raise --workers."));
}

// More workers used to be advised.
TEST(Verdict, BoundByLoadingAdvisesMoreSlotsWhereWorkersWaitForThem) {
  const Rates io{91e3, 90e3, 92e3};
  const Rates synthetic{150e3, 150e3, 150e3};
  const auto advice = [&](std::size_t workers, const Alternatives& alternatives) {
    const std::string sentence = judge({.loader = "thread-pool",
                                        .workers = workers,
                                        .compute = "device",
                                        .io = io,
                                        .synthetic = synthetic,
                                        .full = io,
                                        .fill = io,
                                        .threads_in_force = 4,
                                        .tried = alternatives,
                                        .waits_for_slots = true})
                                     .briefest;
    return sentence.substr(sentence.rfind(": ") + 2);
  };
  EXPECT_EQ(advice(2, {}), "deepen --prefetch, as the workers wait for free slots.");
  EXPECT_EQ(advice(1, {}), "deepen --prefetch, as the worker waits for free slots.");
  EXPECT_EQ(advice(2, {.more_prefetch = tried("--prefetch 8 was", 0.97, 1.0, 1.03)}),
            "use a faster --loader or give each sample less work, as --prefetch 8 was no faster in this run.");
  EXPECT_EQ(advice(2, {.more_workers = tried("4 workers were", 1.4, 1.5, 1.6)}),
            "raise --workers or use a faster --loader.")
      << "as the run has shown";
}

TEST(Verdict, BoundByLoadingAdvisesMoreWorkersThanCpusWhereTheRunShowsThatTheyGain) {
  const Alternatives more{.more_workers = tried("8 workers were", 1.9, 2.0, 2.1)};
  EXPECT_EQ(loading_advice(4, more), "raise --workers: 8 workers were 2.00 ± 0.10 times as fast in this run.");
  Alternatives fewer{.fewer_workers = tried("4 workers were", 0.48, 0.5, 0.52)};
  fewer.fewer_workers->workers = 4;
  EXPECT_EQ(loading_advice(8, fewer), "raise --workers or use a faster --loader.");
  fewer.fewer_workers->workers = 2;
  EXPECT_THAT(loading_advice(8, fewer), testing::StartsWith("each of the 4 CPUs in force has a worker already"))
      << "as many more CPUs explain it";
}

// The sentence on interference between these workers and compute threads; the rate of FULL decides how far they
// overlap.
std::string crowd_sentence(std::size_t workers, std::size_t compute_threads, std::size_t cpus, double full) {
  const Rates io{18000, 18100, 17900};
  const Rates fulls{full, full + 50, full - 50};
  return judge({.loader = "thread-pool",
                .workers = workers,
                .compute = "cnn",
                .io = io,
                .synthetic = kCompute,
                .full = fulls,
                .fill = io,
                .threads_in_force = cpus,
                .compute_threads = compute_threads})
      .sentence;
}

TEST(Verdict, BoundByInterferenceAdvisesToSplitCpusThatWorkersAndComputeShare) {
  for (const double full : {9000.0, 6650.0, 5000.0}) {
    EXPECT_THAT(crowd_sentence(2, 2, 2, full),
                testing::EndsWith("where 1 is perfect); 2 workers and 2 compute threads share 2 CPUs: use --placement "
                                  "split or fewer --compute-threads."));
  }
  EXPECT_THAT(crowd_sentence(4, 1, 4, 5000),
              testing::EndsWith("4 workers and 1 compute thread share 4 CPUs: use --placement split."));
  EXPECT_THAT(crowd_sentence(1, 1, 1, 5000),
              testing::EndsWith("1 worker and 1 compute thread share 1 CPU: get more CPUs."));
  EXPECT_THAT(crowd_sentence(2, 2, 4, 5000), testing::EndsWith("memory bandwidth: use fewer --workers."))
      << "a CPU for each";
  EXPECT_THAT(crowd_sentence(4, 0, 2, 5000), testing::EndsWith("memory bandwidth: use fewer --workers."))
      << "no thread of the compute is on their CPUs";
}

// The sentence on interference with a step that has the only CPU.
std::string one_cpu_sentence(const Alternatives& alternatives, std::size_t workers, bool takes_workers = false) {
  const Rates io{18000, 18100, 17900};
  const Rates full{5000, 5050, 4950};
  return judge({.loader = workers > 0 ? "thread-pool" : "serial",
                .workers = workers,
                .takes_workers = takes_workers,
                .compute = "train.py:make_step",
                .io = io,
                .synthetic = kCompute,
                .full = full,
                .fill = io,
                .threads_in_force = 1,
                .lacks_core = true,
                .tried = alternatives})
      .sentence;
}

TEST(Verdict, BoundByInterferenceOnTheOnlyCpuAdvisesMoreOfThem) {
  EXPECT_THAT(one_cpu_sentence({}, 1), testing::EndsWith("1 worker and 1 compute thread share 1 CPU: get more CPUs."));
  EXPECT_THAT(one_cpu_sentence({}, 0),
              testing::EndsWith("loading and computing share 1 CPU: get more CPUs and use a --loader that reads ahead; "
                                "on this one alone that helps only if loading waits for storage."));
  EXPECT_THAT(one_cpu_sentence({}, 0, true),
              testing::EndsWith("get more CPUs and raise --workers; on this one alone that helps only if loading waits "
                                "for storage."));
  const Alternatives alternatives{.with_workers = tried("thread-pool with 2 workers was", 0.9, 0.95, 1.0)};
  EXPECT_THAT(
      one_cpu_sentence(alternatives, 0),
      testing::EndsWith("loading and computing share 1 CPU: get more CPUs and use a --loader that reads ahead."));
}

TEST(Verdict, BoundByLoadingAdvisesToSplitSharedCpusToo) {
  const Rates io{5000, 5050, 4950};
  const Rates full{3400, 3350, 3380};
  EXPECT_THAT(judge({.loader = "thread-pool",
                     .workers = 2,
                     .compute = "cnn",
                     .io = io,
                     .synthetic = kCompute,
                     .full = full,
                     .fill = io,
                     .threads_in_force = 2,
                     .compute_threads = 2})
                  .sentence,
              testing::EndsWith("The two also mostly take turns (overlap efficiency 0.04 ± 0.05, where 1 is perfect): "
                                "2 workers and 2 compute threads share 2 CPUs: use --placement split or fewer "
                                "--compute-threads."));
}

}  // namespace
}  // namespace loadline
