#include "harness/judge/scaling_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "harness/judge/scaling_words.h"
#include "loaders/error.h"
#include "synthetic/compute/gradient_sum.h"
#include "tests/harness/support/ranks.h"

namespace loadline {
namespace {

using test::RanksRequest;

struct Judged {
  Result result;
  Judgement judgement;
};

class Studies {
 public:
  explicit Studies(const std::vector<RanksRequest>& requests) {
    for (const RanksRequest& request : requests) add(test::ranks_result(request));
  }

  void add(Result result) {
    judged_.push_back(std::make_unique<Judged>());
    judged_.back()->result = std::move(result);
    judged_.back()->judgement = judge_run(judged_.back()->result);
  }
  Result& result(std::size_t i) { return judged_[i]->result; }
  Judgement& judgement(std::size_t i) { return judged_[i]->judgement; }

  ScalingStudy study(std::optional<ScalingKind> kind = std::nullopt, double efficiency = 0.9) const {
    std::vector<ScalingPart> parts;
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      parts.push_back(
          {std::string(1, static_cast<char>('a' + i)) + ".json", judged_[i]->result, judged_[i]->judgement});
    }
    return scaling_study(parts, kind, efficiency);
  }

  std::string refusal(std::optional<ScalingKind> kind = std::nullopt) const {
    try {
      study(kind);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  std::vector<std::unique_ptr<Judged>> judged_;
};

// min(ranks x 100, 250), exactly: two ranks fit, four and eight share what 2.5 could take.
Studies capped() {
  return Studies({{.ranks = 1, .full = {100, 100, 100}},
                  {.ranks = 2, .full = {200, 200, 200}},
                  {.ranks = 4, .full = {250, 250, 250}, .wait_share = 0.375},
                  {.ranks = 8, .full = {250, 250, 250}, .wait_share = 0.6875}});
}

TEST(ScalingStudy, HasAPointForEachNumberOfRanksWhateverTheirOrder) {
  Studies studies({{.ranks = 4, .full = {360, 360}}, {.ranks = 1, .full = {100, 100}}});
  const ScalingStudy study = studies.study();
  EXPECT_EQ(study.kind, ScalingKind::kWeak);
  ASSERT_EQ(study.curves.size(), 1U);
  const RankCurve& curve = study.curves[0];
  EXPECT_EQ(curve.configuration, "thread-pool x 2");
  EXPECT_EQ(curve.mode, Mode::kFull);
  ASSERT_EQ(curve.points.size(), 2U);
  EXPECT_EQ(curve.points[0].ranks, 1U);
  EXPECT_EQ(curve.points[1].ranks, 4U);
  EXPECT_EQ(curve.points[1].global_batch, 400U);
  EXPECT_DOUBLE_EQ(curve.points[1].samples_per_second.value, 360);
  EXPECT_NEAR(curve.points[1].efficiency.value, 0.9, 1e-12);
  EXPECT_EQ(study.sources[0].file, "b.json");
}

TEST(ScalingStudy, SplitsTheLostEfficiencyByCause) {
  Studies studies({{.ranks = 1, .full = {100, 100}, .wait_share = 0.1},
                   {.ranks = 2, .full = {100, 100}, .wait_share = 0.3, .early_share = 0.4}});
  const LostTime lost = studies.study().curves[0].points[1].lost;
  // Per sample, a rank alone spends 0.01 s, of which it waits for the loader for 0.001 s. One of two spends 0.02 s and
  // waits for 0.006 s.
  EXPECT_NEAR(lost.loading, 0.25, 1e-12);
  // One of the two ends after 0.6 of the time, so the mean rank loses 0.2.
  EXPECT_NEAR(lost.stragglers, 0.2, 1e-12);
  EXPECT_NEAR(lost.step, 0.05, 1e-12);
  EXPECT_EQ(lost.gradients, 0);
  EXPECT_NEAR(lost.all(), 0.5, 1e-12);
}

TEST(ScalingStudy, AttributesWhatFullTakesBeyondSyntheticToLoading) {
  // The host waits for data half of the time while the device computes.
  Studies studies({{.ranks = 1, .synthetic = {100, 100}, .full = {100, 100}},
                   {.ranks = 2, .synthetic = {200, 200}, .full = {160, 160}, .wait_share = 0.5}});
  const LostTime lost = studies.study().curves[0].points[1].lost;
  EXPECT_NEAR(lost.loading, 0.2, 1e-12);
  EXPECT_NEAR(lost.step, 0, 1e-12);
}

TEST(ScalingStudy, CountsGradientsAsAStageOfTheirOwn) {
  Studies studies({{.ranks = 1, .full = {100, 100}}, {.ranks = 2, .full = {100, 100}}});
  for (const std::size_t i : {0U, 1U}) {
    for (Trial& trial : studies.result(i).cells[0].trials) {
      trial.stages = {{std::string(kGradientStage), 1, i == 0 ? 0 : 0.5 * trial.wall_seconds}};
    }
  }
  const RankPoint point = studies.study().curves[0].points[1];
  EXPECT_NEAR(point.gradients.value().value, 0.5, 1e-12);
  EXPECT_NEAR(point.lost.gradients, 0.5, 1e-12);
  EXPECT_NEAR(point.lost.step, 0, 1e-12);
}

TEST(ScalingStudy, FindsACapThatWasBuiltIn) {
  const RankCurve curve = capped().study().curves[0];
  const auto law = curve.capped();
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->per_worker, 100, 1e-9);
  EXPECT_NEAR(law->cap.value(), 250, 1e-9);
  EXPECT_NEAR(law->residual, 0, 1e-12);
  EXPECT_EQ(law_sentences(curve).back(),
            "Shared cap, min(ranks x 100, cap): at most 250 samples/s, 0.187 MiB/s, which 2.5 ranks reach; off by "
            "0.0 %.");
}

TEST(ScalingStudy, HasLargeRatesWithoutAnExponent) {
  RankCurve curve = capped().study().curves[0];
  curve.points.back().read_bytes_per_second = 128'000.0 * 1024 * 1024;
  EXPECT_EQ(law_sentences(curve).back(),
            "Shared cap, min(ranks x 100, cap): at most 250 samples/s, 128000 MiB/s, which 2.5 ranks reach; off by "
            "0.0 %.");
  EXPECT_EQ(mebibytes_text(999.7 * 1024 * 1024), "1000");
  EXPECT_EQ(mebibytes_text(1688.0 * 1024 * 1024), "1688");
  EXPECT_EQ(mebibytes_text(1.77 * 1024 * 1024), "1.77");
}

TEST(ScalingStudy, SaysHowManyTimesAsLongAReadTakesWithoutAnExponent) {
  ScalingStudy study = capped().study();
  study.curves[0].points[0].read_seconds = 1e-3;
  study.curves[0].points[2].read_seconds = 0.16;
  EXPECT_TRUE(scaling_sentence(study.curves[0], study)
                  .ends_with("38 points to waiting for data; reading a sample takes a worker 160 times as long as with "
                             "1 rank."))
      << scaling_sentence(study.curves[0], study);
}

TEST(ScalingStudy, FindsTheScalabilityLawThatWasBuiltIn) {
  // lambda 100, sigma 0.1, kappa 0.01.
  const auto rate = [](double n) { return 100 * n / (1 + 0.1 * (n - 1) + 0.01 * n * (n - 1)); };
  std::vector<RanksRequest> requests;
  for (const std::size_t ranks : {1U, 2U, 4U, 8U, 16U}) {
    const double x = rate(static_cast<double>(ranks));
    requests.push_back({.ranks = ranks, .full = {x, x}});
  }
  const auto law = Studies(requests).study().curves[0].scalability();
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->lambda, 100, 1e-6);
  EXPECT_NEAR(law->sigma, 0.1, 1e-9);
  EXPECT_NEAR(law->kappa, 0.01, 1e-9);
}

TEST(ScalingStudy, SaysWhereScalingStopsAndWhatTimeIsLostTo) {
  const ScalingStudy study = capped().study();
  EXPECT_EQ(
      scaling_sentence(study.curves[0], study),
      "Scales to 2 ranks: efficiency 100.0 ± 0.0 % of what one rank does alone. 4 ranks have 62.5 ± 0.0 %, below the "
      "90 % that counts as scaling. With 4 ranks, a rank loses 38 % of its time: 38 points to waiting for data.");
}

TEST(ScalingStudy, SaysWhatWasGainedWhereThePartsThatAreLostExceedTheWhole) {
  ScalingStudy study = capped().study();
  LostTime& lost = study.curves[0].points[2].lost;
  lost.loading = 0.31;
  lost.stragglers = 0.01;
  lost.step = -0.03;
  EXPECT_THAT(scaling_sentence(study.curves[0], study),
              testing::HasSubstr("a rank loses 29 % of its time: 31 points to waiting for data and 1 point to waiting "
                                 "for the slowest rank, less 3 points from faster steps."));
}

TEST(ScalingStudy, LeavesOpenWhetherRanksKeepAnEfficiencyThatIsTooNoisyToSay) {
  ScalingStudy study = capped().study();
  RankCurve& curve = study.curves[0];
  curve.points[1].efficiency = {.value = 1.4, .ci95 = Interval{0.917, 1.9}};
  curve.points[2].efficiency = {.value = 0.5, .ci95 = Interval{0.1, 0.843}};
  EXPECT_THAT(scaling_sentence(curve, study),
              testing::StartsWith("Whether 2 ranks keep an efficiency of 90 % is unclear: too noisy to say; use more "
                                  "--trials. 4 ranks have at most 84.3 %, below the 90 % that counts as scaling."));
}

TEST(ScalingStudy, DoubtsAnEfficiencyOfMoreThanAll) {
  ScalingStudy study = capped().study();
  RankCurve& curve = study.curves[0];
  curve.points.resize(2);
  curve.points[1].efficiency = {.value = 1.01, .ci95 = Interval{1.009, 1.011}};
  EXPECT_EQ(
      scaling_sentence(curve, study),
      "Scales to 2 ranks, the most that were measured: efficiency 101.0 ± 0.1 % of what one rank does alone; 90 % "
      "counts as scaling.");
  curve.points[1].efficiency = {.value = 1.5, .ci95 = Interval{1.4, 1.6}};
  EXPECT_EQ(scaling_sentence(curve, study),
            "Scales to 2 ranks, the most that were measured: efficiency 150 ± 10 % of what one rank does alone; 90 % "
            "counts as scaling. The efficiency of 2 ranks is more than 100 %: the run of 1 rank was disturbed, or more "
            "ranks share what one rank alone has to load; measure again.");
  curve.points[1].efficiency = {.value = 2, .ci95 = Interval{1.452, 2.6}};
  EXPECT_EQ(
      scaling_sentence(curve, study),
      "Whether 2 ranks keep an efficiency of 90 % is unclear: too noisy to say; use more --trials. The efficiency "
      "of 2 ranks is more than 100 %: the run of 1 rank was disturbed, or more ranks share what one rank alone has "
      "to load; measure again.");
}

TEST(ScalingStudy, SaysWhatDisksDelivered) {
  ScalingStudy study = capped().study();
  RankCurve& curve = study.curves[0];
  for (RankPoint& point : curve.points) {
    point.read_bytes_per_second = 1e6;
    point.from_storage = false;
    point.device_bytes_per_second = 0;
  }
  EXPECT_EQ(reads_sentence(curve),
            "MiB/s: stored bytes of the samples, which came from the page cache; nothing was read from disks.");
  curve.points[1].device_bytes_per_second = 1.02 * 1024 * 1024;
  curve.points[2].device_bytes_per_second = 1;
  EXPECT_EQ(reads_sentence(curve),
            "MiB/s: stored bytes of the samples, which came from the page cache; disks delivered at most 1.1 MiB/s.");
  for (RankPoint& point : curve.points) point.device_bytes_per_second.reset();
  EXPECT_EQ(reads_sentence(curve), "MiB/s: stored bytes of the samples, which came from the page cache.");
}

TEST(ScalingStudy, NamesTheWarningsOfAllRunsWithTheirRanks) {
  Studies studies(
      {{.ranks = 1, .full = {100, 100}}, {.ranks = 2, .full = {200, 200}}, {.ranks = 4, .full = {400, 400}}});
  for (const std::size_t i : {0U, 1U, 2U}) studies.judgement(i).warnings.clear();
  EXPECT_TRUE(studies.study().notes.empty());
  studies.judgement(0).warnings = {{.id = "machine-busy"}};
  studies.judgement(1).warnings = {{.id = "wide-spread"}, {.id = "few-trials"}, {.id = "wide-spread"}};
  studies.judgement(2).warnings = {{.id = "few-trials"}};
  EXPECT_THAT(
      studies.study().notes,
      testing::ElementsAre("warnings: few-trials (2 and 4 ranks), machine-busy (1 rank), wide-spread (2 ranks)"));
}

TEST(ScalingStudy, SaysThatRanksShareCpus) {
  Studies studies({{.ranks = 1, .full = {100, 101, 102}, .cpus_of_rank = 2},
                   {.ranks = 2, .full = {120, 121, 122}, .cpus_of_rank = 1, .dealt = true}});
  for (Trial& trial : studies.result(1).cells[0].trials) trial.usage.user_cpu_seconds = 1.9 * trial.wall_seconds;
  const ScalingStudy study = studies.study();
  EXPECT_NE(
      scaling_sentence(study.curves[0], study)
          .find("points to slower steps; ranks share the CPUs, 1 for each instead of 2, which are busy for 95 % of "
                "the time."),
      std::string::npos)
      << scaling_sentence(study.curves[0], study);
}

TEST(ScalingStudy, SaysWhenTheTrialsCannotTell) {
  Studies studies({{.ranks = 1, .full = {80, 100, 120}}, {.ranks = 2, .full = {150, 180, 210}}});
  const ScalingStudy study = studies.study();
  EXPECT_TRUE(
      scaling_sentence(study.curves[0], study).starts_with("Whether 2 ranks keep an efficiency of 90 % is unclear: "))
      << scaling_sentence(study.curves[0], study);
}

TEST(ScalingStudy, KeepsTheBatchOfAllRanksInStrongScaling) {
  Studies studies({{.ranks = 1, .synthetic = {100, 100, 100}, .full = {100, 100, 100}, .batch_size = 64},
                   {.ranks = 4, .synthetic = {390, 390, 390}, .full = {390, 390, 390}, .batch_size = 16},
                   {.ranks = 8, .synthetic = {400, 400, 400}, .full = {400, 400, 400}, .batch_size = 8}});
  const ScalingStudy study = studies.study();
  EXPECT_EQ(study.kind, ScalingKind::kStrong);
  EXPECT_EQ(study.curves[0].points[2].global_batch, 64U);
  EXPECT_EQ(share_sentence(study.curves[0], study),
            "From 8 ranks on, a rank's share of the batch is too small for the step: alone, with 8 samples, it takes "
            "50.0 ± 0.0 % of the samples per second that it takes with 64.");
}

TEST(ScalingStudy, CountsHostsAndDevices) {
  Studies studies({{.ranks = 1, .full = {100, 100}}, {.ranks = 4, .full = {400, 400}, .hosts = {"n1", "n2"}}});
  for (const std::size_t i : {0U, 1U}) {
    studies.result(i).cells[0].cell.compute = "device:samples_per_second=50,devices=2";
  }
  const RankPoint point = studies.study().curves[0].points[1];
  EXPECT_EQ(point.hosts, 2U);
  EXPECT_EQ(point.devices, 8U);
  EXPECT_EQ(point.global_batch, 800U);
}

TEST(ScalingStudy, UsesIoWhereNotAllHaveFull) {
  Studies studies({{.ranks = 1, .io = {100, 100}, .full = {50, 50}}, {.ranks = 2, .io = {150, 150}}});
  const RankCurve curve = studies.study().curves.at(0);
  EXPECT_EQ(curve.mode, Mode::kIo);
  EXPECT_NEAR(curve.points[1].efficiency.value, 0.75, 1e-12);
}

TEST(ScalingStudy, RefusesResultsThatDoNotBelongTogether) {
  const RanksRequest one{.ranks = 1, .full = {100, 100}};
  EXPECT_EQ(Studies({one}).refusal(), "scale: want results with at least two numbers of ranks");
  EXPECT_EQ(Studies({one, one}).refusal(), "scale: a.json and b.json both have 1 rank");
  EXPECT_EQ(Studies({one, {.ranks = 2, .full = {100}, .batch_size = 30}}).refusal(),
            "scale: a.json and b.json have neither the same batch per rank (weak scaling) nor the same batch of all "
            "ranks together (strong scaling)");
  EXPECT_EQ(Studies({one, {.ranks = 2, .full = {100}, .batch_size = 50}}).refusal(ScalingKind::kWeak),
            "scale: a.json and b.json have no configuration in common that was measured with each number of ranks");
  Studies changed({one, {.ranks = 2, .full = {100, 100}}});
  changed.result(1).datasets[0].fingerprint = 1;
  EXPECT_EQ(changed.refusal(), "scale: a.json and b.json were measured on other data: /data/mnist has changed");
  Studies merged({one, {.ranks = 2, .full = {100, 100}}});
  merged.result(1).merged_from = {"x", "y"};
  EXPECT_EQ(merged.refusal(),
            "scale: b.json was merged from 2 results, which were not measured together: give results of ranks that one "
            "launcher started as one run");
  Studies alone({one, {.ranks = 2, .full = {100, 100}}});
  alone.result(1).ranks.reset();
  alone.result(1).options.world_size = 2;
  EXPECT_EQ(alone.refusal(),
            "scale: b.json is the result of one rank of 2, measured by itself: give results of ranks that one launcher "
            "started as "
            "one run");
}

}  // namespace
}  // namespace loadline
