#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bench/truth/checks.h"
#include "bench/truth/rows.h"
#include "bench/truth/subjects.h"
#include "harness/ceilings/ceilings.h"
#include "harness/judge/judgement.h"
#include "harness/judge/load_line.h"
#include "loaders/random.h"

namespace loadline::truth {
namespace {

Obstacle obstacle_of(Cause cause) {
  switch (cause) {
    case Cause::kReaders:
    case Cause::kReclaim:  // both take a monitor to be seen, which is not there
    case Cause::kStorage:
    case Cause::kLatency: return Obstacle::kStorage;
    case Cause::kContention: return Obstacle::kProcesses;
    case Cause::kThrottling: return Obstacle::kQuota;
    case Cause::kSteal: return Obstacle::kHypervisor;
  }
  return Obstacle::kNone;
}

}  // namespace

void judge_harness(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws draws(loadline::key_of(seed, 40, draw));
  Subject subject = draw_subject(draws, {.least_supply = 0.5, .interference = false});
  System& system = subject.system;
  system.slow_batches = 0;
  subject.noise.on_step = true;
  system.harness_seconds = subject.step_seconds / draws.log_between(5, 80);
  const std::size_t trials = draws.one_of(std::array<std::size_t, 3>{3, 5, 10});
  const Truth truth =
      session.truths.of(subject.system, subject.noise, full_cell(subject), subject.trial_batches, session.bed);
  const Result result = run(subject, trials, loadline::key_of(seed, 41, draw), session.bed, true);
  const Judgement judgement = judge_run(result);
  const Verdict& verdict = judgement.configurations.front().verdict;
  check_statements(session.tally, result, judgement, subject.text());
  const double times = static_cast<double>(kBatchSize) * truth.full.time_mean / system.harness_seconds;
  const bool hidden = verdict.bound == Bound::kHarness;
  if (!hidden && (verdict.bound == Bound::kUnclear || verdict.bound == Bound::kIncomplete)) return;
  // Between the two, either answer is correct.
  const bool wrong = hidden ? times >= kOverheadMargin : times <= 0.9 * kOverheadMargin;
  session.tally.count("wrong", wrong,
                      {fmt::format("trials {}", trials), fmt::format("noise {}", name(subject.noise.kind)),
                       hidden ? "said harness" : "said not harness"});
  if (wrong) {
    session.tally.example("wrong", fmt::format("a step of {:.3g} times the harness's: {} -- {}", times,
                                               verdict.sentence, subject.text()));
  }
}

void judge_drain(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws draws(loadline::key_of(seed, 44, draw));
  Subject subject = draw_subject(draws, {.interference = false});
  System& system = subject.system;
  subject.loader = "thread-pool";
  subject.workers = std::max<std::size_t>(1, subject.workers);
  system.slow_batches = 0;
  subject.noise.kind = NoiseKind::kNormal;
  subject.noise.on_step = true;
  // From half to four times what is filled in the same time.
  const double filled_in = system.service.mean_seconds / static_cast<double>(subject.workers);
  system.drain_seconds = filled_in * draws.log_between(0.5, 4);
  const std::size_t trials = draws.one_of(std::array<std::size_t, 3>{3, 5, 10});
  const Truth truth = session.truths.of(system, subject.noise, full_cell(subject), subject.trial_batches, session.bed);
  RunOptions options = subject.options(trials);
  options.modes = {"io"};
  options.compute.clear();
  options.au.reset();
  options.seed = loadline::key_of(seed, 45, draw);
  Simulation simulation(system, subject.noise, options.seed, trials, session.bed);
  Result result = run(plan_of(options), simulation);
  CeilingResult drain{.ceiling = {.kind = &ceiling_kind_named("drain"), .threads = 1}, .cell = 0};
  for (std::size_t i = 0; i < trials; ++i) {
    drain.trials.push_back({.wall_seconds = system.drain_seconds * subject.noise.draw(draws, 0.5),
                            .amount = static_cast<double>(kBatchSize)});
  }
  result.ceilings.push_back(std::move(drain));
  result.cells.front().bounds = {0};
  const Judgement judgement = judge_run(result);
  const Verdict& verdict = judgement.configurations.front().verdict;
  check_statements(session.tally, result, judgement, subject.text());
  const double reached = truth.io.typical() * system.drain_seconds / static_cast<double>(kBatchSize);
  const bool said = verdict.bound == Bound::kHarness;
  const std::vector<std::string> parts{fmt::format("trials {}", trials), said ? "said drain" : "said not drain"};
  if (said) session.tally.count("wrong", reached < kNearCeiling, parts);
  const bool quiet = subject.noise.size <= 0.03 && truth.io.variation <= 0.03;
  if (quiet && trials == 5 && reached >= 1.1 * kNearCeiling) session.tally.count("unclear", !said, parts);
  if (said && reached < kNearCeiling) {
    session.tally.example("wrong", fmt::format("IO at {:.3g} of what one thread reads: {} -- {}", reached,
                                               verdict.sentence, subject.text()));
  }
}

void judge_causes(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws draws(loadline::key_of(seed, 42, draw));
  Subject subject = draw_subject(draws, {.least_supply = 0.2, .most_supply = 1.5});
  System& system = subject.system;
  system.obstacle = static_cast<Obstacle>(draws.below(5));
  system.on_cpu = system.obstacle == Obstacle::kNone ? 1 : draws.between(0.02, 0.98);
  system.counts_blocking = draws.chance(0.5);
  const std::size_t trials = draws.one_of(std::array<std::size_t, 3>{3, 5, 10});
  const Result result = run(subject, trials, loadline::key_of(seed, 43, draw), session.bed);
  const Judgement judgement = judge_run(result);
  const Configuration& configuration = judgement.configurations.front();
  check_statements(session.tally, result, judgement, subject.text());
  if (!configuration.causes) return;
  for (const Cause cause : configuration.causes->named) {
    const bool wrong = obstacle_of(cause) != system.obstacle;
    session.tally.count("wrong", wrong, {fmt::format("said {}", name(cause)), fmt::format("trials {}", trials)});
    if (wrong) {
      session.tally.example("wrong", fmt::format("{} where {:.2g} of a service is on a CPU: {} -- {}", name(cause),
                                                 system.on_cpu, configuration.verdict.sentence, subject.text()));
    }
  }
}

}  // namespace loadline::truth
