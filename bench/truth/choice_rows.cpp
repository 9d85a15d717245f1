#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/truth/checks.h"
#include "bench/truth/rows.h"
#include "bench/truth/subjects.h"
#include "harness/judge/judgement.h"
#include "harness/measure/find.h"
#include "loaders/error.h"
#include "loaders/random.h"

namespace loadline::truth {
namespace {

constexpr std::size_t kDrawsOfASweep = 10;

// A subject for a sweep over workers and loaders.
Subject draw_sweep(Draws& draws) {
  Subject subject = draw_subject(draws, {.least_supply = 0.15, .most_supply = 1.2, .most_noise = 0.2});
  subject.loader = "thread-pool";
  subject.workers = 1;
  subject.system.prefetch = 2 + draws.below(10);
  System& system = subject.system;
  system.slow_batches = 0;
  // The supply is that of one worker; more are faster up to some number.
  system.service.mean_seconds = subject.step_seconds / draws.log_between(0.1, 1.2);
  system.contention = draws.chance(0.5) ? draws.log_between(0.005, 0.3) : 0;
  system.loader_factor = draws.chance(0.3) ? 1 : draws.between(0.8, 1.3);
  subject.noise.size = draws.log_between(0.005, 0.2);
  return subject;
}

RunOptions sweep_options(const Subject& subject, std::size_t trials, bool loaders) {
  RunOptions options = subject.options(trials);
  options.workers = {1, 2, 4, 8, 16};
  if (loaders) options.loaders = {"thread-pool", "flow-graph"};
  return options;
}

std::string noise_part(const Subject& subject) {
  return subject.noise.size <= 0.02 ? "cv up to 2 %" : subject.noise.size <= 0.06 ? "cv 2 to 6 %" : "cv 6 to 20 %";
}

}  // namespace

void recommend(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws of_subject(loadline::key_of(seed, 20, draw / kDrawsOfASweep));
  const Subject subject = draw_sweep(of_subject);
  const bool loaders = of_subject.chance(0.5);
  Draws draws(loadline::key_of(seed, 21, draw));
  const std::size_t trials = draws.one_of(std::array<std::size_t, 4>{2, 3, 5, 10});
  const std::uint64_t run_seed = loadline::key_of(seed, 22, draw);
  RunOptions options = sweep_options(subject, trials, loaders);
  options.seed = run_seed;
  const Plan plan = plan_of(options);
  Simulation simulation(subject.system, subject.noise, run_seed, trials * plan.cells.size(), session.bed);
  const Result result = run(plan, simulation);
  const Judgement judgement = judge_run(result);
  check_statements(session.tally, result, judgement, subject.text());
  const auto rate_of = [&](const Cell& cell) {
    return session.truths.of(subject.system, subject.noise, cell, subject.trial_batches, session.bed).full.typical();
  };
  double best = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode == Mode::kFull) best = std::max(best, rate_of(cell.cell));
  }
  const Headline& headline = judgement.headlines.front();
  if (!headline.recommended) return;
  const Configuration& recommended = judgement.configurations[*headline.recommended];
  const double rate = rate_of(result.cells[*recommended.full].cell);
  const bool slower = best > (1 + kNoticeable) * rate;
  session.tally.count(
      "recommended", slower,
      {fmt::format("trials {}", trials), noise_part(subject), fmt::format("noise {}", name(subject.noise.kind))});
  if (slower) {
    session.tally.example("recommended",
                          fmt::format("{} x {} has {:.4g} of the best, {} trials: {}", recommended.loader,
                                      recommended.workers, rate / best, trials, subject.text()));
  }
}

void find_value(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws draws(loadline::key_of(seed, 24, draw));
  Subject subject = draw_sweep(draws);
  subject.noise.size = draws.log_between(0.003, 0.05);
  subject.system.device = true;
  subject.system.step = {};
  subject.noise.on_step = draws.chance(0.5);
  subject.system.slowed_step = 0;
  const bool workers = draws.chance(0.5);
  RunOptions options = subject.options(draws.one_of(std::array<std::size_t, 3>{3, 5, 10}));
  options.find = workers ? "min-workers" : "max-rate";
  options.workers = workers ? std::vector<std::size_t>{} : std::vector<std::size_t>{4};
  options.au = draws.one_of(std::array{0.8, 0.9, 0.95});
  options.seed = loadline::key_of(seed, 25, draw);
  const PlanContext context{.threads_in_force = 32, .cpus = {}, .data_directory = "/data"};
  const Plan plan = make_plan(options, context);
  Simulation simulation(subject.system, subject.noise, options.seed, 100, session.bed);
  Result result = prepared(plan, simulation);
  RunObserver nobody;
  RunContext run_context{.clock = session.bed.clock, .stop = {}, .observer = nobody, .rigs = &simulation};
  find_and_run(options, context, result, run_context);
  if (!result.search->confirmed) return;
  const auto full = std::ranges::find(result.cells, Mode::kFull, [](const CellResult& cell) { return cell.cell.mode; });
  const double au =
      session.truths.of(subject.system, subject.noise, full->cell, subject.trial_batches, session.bed).utilisation();
  const bool misses = au < *options.au;
  session.tally.count("find", misses, {options.find, fmt::format("trials {}", options.trials), noise_part(subject)});
  if (misses) {
    session.tally.example("find", fmt::format("{} {:.5g} confirmed for AU {}, true AU {:.4g}: {}", options.find,
                                              *result.search->confirmed, *options.au, au, subject.text()));
  }
}

}  // namespace loadline::truth
