#include "bench/truth/subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/measure/run.h"
#include "loaders/error.h"

namespace loadline::truth {
namespace {

Times draw_times(Draws& draws, double mean_seconds) {
  const auto law = static_cast<Law>(draws.below(4));
  return {.law = law, .mean_seconds = mean_seconds, .variation = draws.log_between(0.05, 1)};
}

std::size_t whole(double value) {
  return static_cast<std::size_t>(std::lround(value));
}

}  // namespace

RunOptions Subject::options(std::size_t trials) const {
  RunOptions options{.workloads = {"mnist"},
                     .modes = {"io", "synthetic", "full"},
                     .loaders = {loader},
                     .batch_sizes = {kBatchSize},
                     .trials = trials,
                     .trial_seconds = static_cast<double>(trial_batches) * step_seconds,
                     .first_epoch_seconds = 0,
                     .ceilings = "off",
                     .au = au};
  if (workers > 0) {
    options.workers = {workers};
    options.prefetch = system.prefetch;
  }
  options.compute = fmt::format("device:samples_per_second={:.10g},depth={}",
                                static_cast<double>(kBatchSize) / step_seconds, system.device ? system.depth : 0);
  return options;
}

std::string Subject::text() const {
  return fmt::format(
      "{} x {}, prefetch {}, {} service {:.4g} ms (cv {:.2g}), hand-over {:.3g} µs, drain {:.3g} µs, {} step {:.4g} ms "
      "({} depth {}), slowed {:.2g} {:.2g}, slow start {}, noise {} {:.2g}{}, {} batches",
      loader, workers, system.prefetch, name(system.service.law), 1e3 * system.service.mean_seconds,
      system.service.variation, 1e6 * system.hand_over_seconds, 1e6 * system.drain_seconds, name(system.step.law),
      1e3 * step_seconds, system.device ? "device" : "host", system.depth, system.slowed_service, system.slowed_step,
      system.slow_batches, name(noise.kind), noise.size, noise.on_step ? "" : " of loading alone", trial_batches);
}

Subject draw_subject(Draws& draws, const Wishes& wishes) {
  Subject subject;
  System& system = subject.system;
  subject.step_seconds = draws.log_between(0.3e-3, 20e-3);
  subject.trial_batches = whole(draws.log_between(60, 600));
  if (draws.chance(0.15)) {
    subject.loader = "serial";
    subject.workers = 0;
  } else {
    subject.workers = whole(draws.log_between(1, 64));
    system.prefetch = whole(draws.log_between(1, 230));
  }
  const double supply = draws.log_between(wishes.least_supply, wishes.most_supply);
  const auto workers = static_cast<double>(std::max<std::size_t>(1, subject.workers));
  system.service = draw_times(draws, workers * subject.step_seconds / supply);
  // Each worker serves several batches per trial, and each trial has some of the rare stalls, if there are any.
  const double rounds = system.service.law == Law::kConstant ? 4 : system.service.law == Law::kStalls ? 40 : 12;
  const double fewest = rounds * workers / std::min(1.0, supply);
  subject.trial_batches = std::max(subject.trial_batches, static_cast<std::uint64_t>(fewest));
  if (system.service.law == Law::kStalls) subject.trial_batches = std::max<std::uint64_t>(subject.trial_batches, 500);
  if (draws.chance(0.7)) system.drain_seconds = draws.between(0.02, 0.8) * subject.step_seconds;
  if (draws.chance(0.5)) system.hand_over_seconds = draws.between(0, 0.02) * subject.step_seconds;
  system.device = draws.chance(0.6);
  system.depth = draws.below(9);
  if (!system.device) {
    system.step = draw_times(draws, 0);
    system.step.variation = draws.between(0.02, 0.5);
    if (system.step.law == Law::kExponential) system.step.law = Law::kConstant;
  }
  if (wishes.interference && draws.chance(0.3)) {
    system.slowed_service = draws.between(0, 0.6);
    system.slowed_step = draws.chance(0.5) ? draws.between(0, 0.4) : 0;
  }
  if (draws.chance(0.3)) system.slow_batches = 1 + draws.below(subject.workers + 1);
  if (draws.chance(0.5)) subject.au = draws.one_of(std::array{0.8, 0.9, 0.95});
  subject.noise = {.kind = static_cast<NoiseKind>(draws.below(kNoiseKinds)),
                   .size = draws.log_between(0.003, wishes.most_noise),
                   .on_step = !system.device || draws.chance(0.5)};
  return subject;
}

Plan plan_of(const RunOptions& options, bool with_overhead) {
  Plan plan = make_plan(options, plan_context());
  if (!with_overhead) std::erase_if(plan.cells, [](const Cell& cell) { return cell.mode == Mode::kOverhead; });
  return plan;
}

Result prepared(const Plan& plan, Simulation& simulation) {
  Result result;
  result.options = plan.options;
  result.kernels = "avx2";
  Machine& machine = result.environment.machine;
  machine.cpu_model = "simulated";
  machine.logical_cpus = machine.threads_in_force = plan_context().threads_in_force;
  machine.last_level_cache_bytes = 1 << 20;
  machine.load_average_1_minute = 0;
  result.environment.build = {.version = "simulated", .build_type = "Release"};
  DatasetFacts facts{.path = "/data/mnist", .fingerprint = 1};
  facts.info = {.format = "memory", .samples = 60'000'000, .shape = {1, 28, 28}, .classes = 10};
  facts.info.access = Access::kFiles;
  facts.before = {.pages = 10, .resident_pages = 10};
  result.datasets = {facts};
  for (const Cell& cell : plan.cells) result.cells.push_back(simulation.prepare(cell, 0));
  return result;
}

Result run(const Plan& plan, Simulation& simulation) {
  Result result = prepared(plan, simulation);
  RunObserver nobody;
  RunContext context{.clock = simulation.bed().clock, .stop = {}, .observer = nobody, .rigs = &simulation};
  if (!run_plan(plan, result, context)) throw Error("simulation: stopped");
  for (const CellResult& cell : result.cells) {
    if (cell.error) throw Error(fmt::format("simulation: {}: {}", cell.cell.name(), *cell.error));
  }
  result.status = Status::kComplete;
  return result;
}

Result run(const Subject& subject, std::size_t trials, std::uint64_t seed, Bed& bed, bool with_overhead) {
  RunOptions options = subject.options(trials);
  options.seed = seed;
  const Plan plan = plan_of(options, with_overhead);
  Simulation simulation(subject.system, subject.noise, seed, trials * plan.cells.size(), bed);
  return run(plan, simulation);
}

Cell full_cell(const Subject& subject) {
  const Plan plan = plan_of(subject.options(1));
  return *std::ranges::find(plan.cells, Mode::kFull, &Cell::mode);
}

}  // namespace loadline::truth
