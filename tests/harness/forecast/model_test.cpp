#include "harness/forecast/model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loadline {
namespace {

// Two workers load 200 samples/s and the step takes 1000; a sample is 1 MB.
Basis loader_bound() {
  return {.batch_size = 10,
          .workers = 2,
          .in_flight = 2,
          .load_per_second = {200, Interval{190, 210}},
          .step_per_second = {1000, Interval{990, 1010}},
          .bytes_per_sample = 1e6,
          .requests_per_sample = 1,
          .dataset_bytes = 1e9,
          .dataset_samples = 1000};
}

// The workers are never the limit: the step takes 100 samples/s in batches of 10.
Basis step_bound() {
  Basis basis = loader_bound();
  basis.load_per_second = {1e6, std::nullopt};
  basis.step_per_second = {100, std::nullopt};
  return basis;
}

double rate_at(const Basis& basis, const System& system, std::size_t ranks) {
  return forecast_point(basis, system, ranks, 1).samples_per_second;
}

TEST(Model, MultipliesOneRankByTheRanksOnAnUnlimitedSystem) {
  const ForecastPoint point = forecast_point(loader_bound(), {}, 8, 1);
  EXPECT_DOUBLE_EQ(point.samples_per_second, 1600);
  EXPECT_DOUBLE_EQ(point.low_per_second, 1520);
  EXPECT_DOUBLE_EQ(point.high_per_second, 1680);
  EXPECT_DOUBLE_EQ(point.efficiency, 1);
  EXPECT_DOUBLE_EQ(point.utilisation, 0.2);
  EXPECT_EQ(point.rank.limit, Limit::kWorkers);
}

TEST(Model, SharesTheBandwidthOfTheStorageOnceItIsSaturated) {
  System system;
  system.storage.bytes_per_second = 1e9;  // 1000 samples/s; 1 ms a sample
  // A worker computes for 10 ms and reads for 1 ms: 2 / 11 ms.
  EXPECT_DOUBLE_EQ(rate_at(loader_bound(), system, 1), 2 / 0.011);
  EXPECT_DOUBLE_EQ(rate_at(loader_bound(), system, 5), 5 * 2 / 0.011);
  EXPECT_DOUBLE_EQ(rate_at(loader_bound(), system, 6), 1000);
  EXPECT_EQ(forecast_point(loader_bound(), system, 6, 1).rank.limit, Limit::kBandwidth);
  EXPECT_EQ(saturating_ranks(loader_bound(), system), 6U) << "5 get 909";
}

TEST(Model, SharesTheOperationsOfTheStorage) {
  System system;
  system.storage.iops = 500;
  Basis basis = loader_bound();
  basis.requests_per_sample = 2;
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 100), 250);
  EXPECT_EQ(forecast_point(basis, system, 100, 1).rank.limit, Limit::kOperations);
}

TEST(Model, BoundsANodeByItsLink) {
  System system;
  system.storage.client_bytes_per_second = 1e8;  // 100 samples/s a node
  system.ranks_of_node = 4;
  EXPECT_DOUBLE_EQ(rate_at(loader_bound(), system, 8), 200);
  EXPECT_EQ(forecast_point(loader_bound(), system, 8, 1).rank.limit, Limit::kClient);
}

TEST(Model, BoundsANodeByItsCpus) {
  System system{.ranks_of_node = 16, .node_cpus = 2};
  Basis basis = loader_bound();
  basis.cpu_seconds_per_sample = 1e-3;  // 2000 samples/s on two
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 16), 2000);
  EXPECT_EQ(forecast_point(basis, system, 16, 1).rank.limit, Limit::kNodeCpus);
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 32), 4000);
}

TEST(Model, AddsLatencyToWorkersThatReadOneByOne) {
  System system;
  system.storage.latency = 0.010;
  EXPECT_DOUBLE_EQ(rate_at(loader_bound(), system, 1), 100);  // 2 / (10 ms + 10 ms)
  system.storage.latency = 0.030;
  EXPECT_EQ(forecast_point(loader_bound(), system, 1, 1).rank.limit, Limit::kLatency);
}

TEST(Model, ReplacesReadsMeasuredOnStorageByTheLatency) {
  Basis basis = loader_bound();
  basis.read_seconds_per_sample = 0.006;
  System system;
  system.storage.latency = 0.010;
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 1), 100) << "the page cache's share is the processor's";
  basis.from_storage = true;
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 1), 2 / 0.014);
}

TEST(Model, HidesLatencyBehindRequestsInFlight) {
  Basis basis = loader_bound();
  System system;
  system.storage.latency = 0.1;
  basis.in_flight = 16;
  basis.reading = Reading::kAhead;
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 1), 160);
  basis.in_flight = 64;
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 1), 200);
  basis.reading = Reading::kBatchwise;  // 10 of a batch at a time: 10 ms a sample
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 1), 100);
}

TEST(Model, NamesThePathToStorageWhereTransfersTakeMostOfAWorkersTime) {
  // One worker computes for 1.7 ms and reads for 90 ms, so alone it demands a little less than the link can give.
  Basis basis = basis_of_figures("--figures", "io=582,synthetic=1000,sample_bytes=9M");
  const auto limit_of = [&](const SharedStorage& storage) {
    System system;
    system.storage = storage;
    return forecast_point(basis, system, 1, 1).rank.limit;
  };
  const SharedStorage link{.client_bytes_per_second = 1e8};
  const SharedStorage bandwidth{.bytes_per_second = 1e8};
  for (const Reading reading : {Reading::kOneByOne, Reading::kBatchwise, Reading::kAhead}) {
    basis.reading = reading;
    EXPECT_EQ(limit_of(link), Limit::kClient);
    EXPECT_EQ(limit_of(bandwidth), Limit::kBandwidth);
    EXPECT_EQ(limit_of({.iops = 10}), Limit::kOperations);
    EXPECT_EQ(limit_of({.bytes_per_second = 2e8, .client_bytes_per_second = 1e8}), Limit::kClient);
    EXPECT_EQ(limit_of({.bytes_per_second = 1e8, .client_bytes_per_second = 2e8}), Limit::kBandwidth);
    EXPECT_EQ(limit_of({.client_bytes_per_second = 1e8, .latency = 0.001}), Limit::kClient);
    EXPECT_EQ(limit_of({.client_bytes_per_second = 1e8, .latency = 0.1}), Limit::kLatency);
    EXPECT_EQ(limit_of({.client_bytes_per_second = 1e11}), Limit::kWorkers);
  }
}

TEST(Model, AlternatesLoadingAndStepsWithoutWorkers) {
  Basis basis = loader_bound();
  basis.workers = 0;
  basis.overlap = 0;
  basis.step_per_second = {200, std::nullopt};
  EXPECT_DOUBLE_EQ(rate_at(basis, {}, 1), 100);
}

TEST(Model, NamesASecondPartThatTakesAQuarterOfTheTimeOrMore) {
  // Without overlap a sample takes 2 ms of loading, 6 ms of latency and 10 ms of the step.
  Basis basis = loader_bound();
  basis.workers = 0;
  basis.overlap = 0;
  basis.load_per_second = {500, std::nullopt};
  basis.step_per_second = {100, std::nullopt};
  System system;
  system.storage.latency = 0.006;
  const RankRates rank = forecast_point(basis, system, 1, 1).rank;
  EXPECT_EQ(rank.limit, Limit::kCompute);
  EXPECT_EQ(rank.second, Limit::kLatency);
  EXPECT_NEAR(rank.second_share, 6.0 / 18, 1e-12);
  basis.overlap = 1;  // the step hides them
  EXPECT_EQ(forecast_point(basis, system, 1, 1).rank.second, std::nullopt);
  basis.overlap = 0;
  system.storage.latency = 0.003;  // 3 of 15 ms
  EXPECT_EQ(forecast_point(basis, system, 1, 1).rank.second, std::nullopt);
}

TEST(Model, NamesNoSecondPartWhereRanksShareTheLimit) {
  System system;
  system.storage.bytes_per_second = 1e9;
  system.storage.latency = 0.009;  // 9 of a worker's 20 ms
  EXPECT_EQ(forecast_point(loader_bound(), system, 1, 1).rank.second, Limit::kLatency);
  EXPECT_EQ(forecast_point(loader_bound(), system, 100, 1).rank.limit, Limit::kBandwidth);
  EXPECT_EQ(forecast_point(loader_bound(), system, 100, 1).rank.second, std::nullopt);
}

TEST(Model, IsAsUncertainAsTheMeasurementOfBothTogether) {
  Basis basis = loader_bound();
  basis.together_per_second = Estimate{150, Interval{100, 200}};
  const ForecastPoint point = forecast_point(basis, {}, 2, 1);
  EXPECT_DOUBLE_EQ(point.samples_per_second, 300);
  EXPECT_DOUBLE_EQ(point.low_per_second, 200);
  EXPECT_DOUBLE_EQ(point.high_per_second, 400);
}

TEST(Model, IsNoMoreUncertainThanThatWhereLoadingAloneIs) {
  Basis basis = loader_bound();
  basis.load_per_second.ci95 = Interval{100, 300};
  basis.together_per_second = Estimate{200, Interval{198, 202}};
  const ForecastPoint point = forecast_point(basis, {}, 1, 1);
  EXPECT_DOUBLE_EQ(point.samples_per_second, 200);
  EXPECT_DOUBLE_EQ(point.low_per_second, 198);
  EXPECT_DOUBLE_EQ(point.high_per_second, 202);
}

TEST(Model, KeepsTheCouplingOfLoaderAndStepWhereStorageIsNotTheLimit) {
  Basis basis = loader_bound();
  basis.together_per_second = Estimate{180, std::nullopt};
  System system;
  system.storage.client_bytes_per_second = 1e12;
  EXPECT_NEAR(rate_at(basis, system, 4), 720, 0.1);
  system.storage.bytes_per_second = 4e8;
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 4), 400);
}

TEST(Model, WaitsForTheSlowestRankInEachStep) {
  Basis basis = step_bound();
  basis.step_variation = 0.01;
  basis.steps_of_trial = 100;
  const ForecastPoint point = forecast_point(basis, {}, 10, 1);
  EXPECT_NEAR(point.samples_per_second, 1000 / 1.01539, 0.01);
  EXPECT_NEAR(point.low_per_second, 1000 / 1.1539, 0.1);
  EXPECT_DOUBLE_EQ(point.high_per_second, 1000);
  EXPECT_EQ(rate_at(basis, {.together = false}, 10), 1000);
}

TEST(Model, KnowsTheExpectedLargestOfNormalDraws) {  // Teichroew, Annals of Mathematical Statistics 27, 1956
  EXPECT_EQ(expected_largest(1), 0);
  EXPECT_NEAR(expected_largest(2), 0.56419, 1e-5);
  EXPECT_NEAR(expected_largest(10), 1.53875, 1e-5);
  EXPECT_NEAR(expected_largest(100), 2.50759, 1e-5);
  EXPECT_NEAR(expected_largest(10000), 3.85162, 1e-5);
}

TEST(Model, SumsUpGradientsInARingOrATree) {
  const Network network{.bytes_per_second = 1e9, .latency = 1e-3};
  const auto by = [&](Reduction reduction, std::size_t members) {
    Network chosen = network;
    chosen.reduction = reduction;
    return reduction_seconds(chosen, 1e8, members);
  };
  EXPECT_NEAR(by(Reduction::kRing, 4), 6 * (1e-3 + 0.025), 1e-12);
  EXPECT_NEAR(by(Reduction::kTree, 4), 4e-3 + 0.2, 1e-12);
  EXPECT_NEAR(by(Reduction::kBest, 1000), 20e-3 + 0.2, 1e-12) << "of a ring the latency alone is 2 s";
  EXPECT_EQ(by(Reduction::kRing, 1), 0);
}

TEST(Model, AddsTheGradientTimeThatIsNotHiddenToEachStep) {
  Basis basis = step_bound();  // 0.1 s a step
  basis.gradient_bytes = 1e8;
  System system{.network = {.bytes_per_second = 1e9, .reduction = Reduction::kRing, .overlap = 0.5}};
  EXPECT_NEAR(rate_at(basis, system, 2), 20 / 0.15, 1e-9);
  EXPECT_EQ(forecast_point(basis, system, 2, 1).rank.limit, Limit::kGradients);
  system.ranks_of_node = 2;
  EXPECT_DOUBLE_EQ(rate_at(basis, system, 2), 200) << "one node";
}

TEST(Model, SolvesTheClosedQueue) {
  EXPECT_DOUBLE_EQ(closed_queue_per_second(1, 3, 1), 0.25);
  // Of two customers that do not think, one is always served. With a think time of 1, R = 1.5: 2 / 2.5.
  EXPECT_DOUBLE_EQ(closed_queue_per_second(2, 0, 1), 1);
  EXPECT_DOUBLE_EQ(closed_queue_per_second(2, 1, 1), 0.8);
  EXPECT_DOUBLE_EQ(closed_queue_per_second(1e9, 1, 1), 1);
}

TEST(Model, SolvesALargeQueueCloseToTheExactRecursion) {
  // The two differ most at the knee, where the customers demand exactly what the server can give.
  for (const double think : {3e5, 1.1e5, 1e5, 0.9945e5, 0.92e5, 0.9e5, 3e4}) {
    const double walked = closed_queue_per_second(100'000, think, 1);
    EXPECT_NEAR(closed_queue_per_second(100'001, think, 1), walked, 1.2e-3 * walked) << think;
  }
  EXPECT_NEAR(closed_queue_per_second(1e12, 1e12, 1), 1, 1e-5) << "which nobody could walk to";
  EXPECT_NEAR(closed_queue_per_second(1e12, 1e15, 1e-3), 1e-3, 1e-9);
  EXPECT_EQ(closed_queue_per_second(1e12, 1e11, 1), 1) << "far beyond the knee";
}

TEST(Model, LowersItsBandWhereStorageIsNearlySaturated) {
  System system;
  system.storage.bytes_per_second = 1e9;
  const ForecastPoint point = forecast_point(loader_bound(), system, 5, 1);
  EXPECT_LT(point.low_per_second, 0.9 * point.samples_per_second);
  EXPECT_GT(point.low_per_second, 0.5 * point.samples_per_second);
}

TEST(Model, KeepsWhatANodeHasReadInItsMemory) {
  const Basis basis = loader_bound();
  System system{.ranks_of_node = 2};
  EXPECT_EQ(missed_share(basis, system, 8, 3), 1) << "no memory";
  system.node_memory = 2e9;
  EXPECT_EQ(missed_share(basis, system, 2, 2), 0) << "one node has read it all";
  EXPECT_EQ(missed_share(basis, system, 8, 1), 1);
  EXPECT_DOUBLE_EQ(missed_share(basis, system, 8, 3), 0.75 * 0.75);
  system.node_memory = 0.25e9;
  EXPECT_EQ(missed_share(basis, system, 2, 2), 0.75);
}

TEST(Model, DrawsRandomCropsWithRepeats) {
  Basis basis = loader_bound();
  basis.random_crops = true;
  const System system{.ranks_of_node = 1, .node_memory = 2e9};
  // Two nodes draw half a dataset's worth each.
  EXPECT_NEAR(missed_share(basis, system, 2, 1), (1 - std::exp(-0.5)) / 0.5, 1e-12);
  EXPECT_NEAR(missed_share(basis, system, 2, 2), (std::exp(-0.5) - std::exp(-1.0)) / 0.5, 1e-12);
}

TEST(Model, MissesEachCropWhereAnEpochDrawsNextToNothing) {
  Basis basis = loader_bound();
  basis.random_crops = true;
  const System system{.ranks_of_node = 1, .node_memory = 2e9};
  basis.dataset_samples = 0;
  EXPECT_EQ(missed_share(basis, system, 2, 2), 1);
  basis.dataset_samples = 1e-12;
  EXPECT_NEAR(missed_share(basis, system, 2, 2), 1, 1e-12);
}

TEST(Model, ReadsAsSlowlyAsTheFirstEpochOfOneRankWhereNothingElseIsKnown) {
  Basis basis = step_bound();
  basis.cold_seconds_per_sample = 0.01;  // as long again as the step
  const System system{.ranks_of_node = 2, .node_memory = 2e9};
  const ForecastPoint one = forecast_point(basis, system, 1, 2);
  EXPECT_DOUBLE_EQ(one.epochs[0], 50);
  EXPECT_DOUBLE_EQ(one.epochs[1], 100);
  // Two ranks of a node read one after the other.
  EXPECT_DOUBLE_EQ(forecast_point(basis, system, 2, 1).epochs[0], 2 / 0.03);
  EXPECT_EQ(forecast_point(basis, system, 2, 1).rank.limit, Limit::kFirstReads);
}

TEST(Model, PaysForTheStartInTheFirstEpoch) {
  Basis basis = step_bound();
  basis.start_up_seconds = 10;
  EXPECT_DOUBLE_EQ(forecast_point(basis, {}, 1, 1).epochs[0], 50);
}

TEST(Model, StagesDataBeforeReadingItFromNodes) {
  System system{.ranks_of_node = 2, .staging = Staging::kCopies};
  system.storage = {.bytes_per_second = 1e9, .client_bytes_per_second = 5e8};
  const ForecastPoint copies = forecast_point(loader_bound(), system, 8, 1);
  EXPECT_EQ(copies.staging_seconds, 4);
  EXPECT_DOUBLE_EQ(copies.samples_per_second, 1600);
  EXPECT_EQ(copies.storage_bytes_per_second, 0);
  system.staging = Staging::kShards;
  EXPECT_EQ(forecast_point(loader_bound(), system, 8, 1).staging_seconds, 1);
  EXPECT_FALSE(forecast_point(loader_bound(), {}, 8, 1).staging_seconds.has_value());
  EXPECT_FALSE(saturating_ranks(loader_bound(), system).has_value());
}

}  // namespace
}  // namespace loadline
