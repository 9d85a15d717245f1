#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bench/truth/checks.h"
#include "bench/truth/rows.h"
#include "bench/truth/subjects.h"
#include "harness/judge/diff.h"
#include "loaders/random.h"

namespace loadline::truth {
namespace {

constexpr std::array<std::string_view, 3> kWorkloads{"mnist", "cifar10", "fashion-mnist"};
constexpr std::size_t kGateTrials = 5;

// Runs over one to three workloads, each with its own system, with two loaders and two worker counts.
struct Gate {
  std::vector<std::pair<std::string, System>> workloads;
  Noise noise;
  double step_seconds = 1e-3;
  std::uint64_t trial_batches = 200;
  std::size_t trials = kGateTrials;
};

struct GateWishes {
  double least_supply = 0.4;
  double most_supply = 2.5;
  double most_noise = 0.03;
  bool any_law = true;
  bool any_trials = true;
};

Gate draw_gate(Draws& draws, const GateWishes& wishes) {
  Gate gate;
  gate.step_seconds = draws.log_between(0.3e-3, 10e-3);
  gate.trial_batches = static_cast<std::uint64_t>(draws.log_between(100, 400));
  const std::size_t count = 1 + draws.below(kWorkloads.size());
  const bool device = draws.chance(0.5);
  for (std::size_t i = 0; i < count; ++i) {
    System system;
    // Of two workers, about.
    const double supply = draws.log_between(wishes.least_supply, wishes.most_supply);
    system.service = {.law = wishes.any_law ? static_cast<Law>(draws.below(4)) : Law::kConstant,
                      .mean_seconds = 2 * gate.step_seconds / supply,
                      .variation = draws.between(0.05, 0.5)};
    if (draws.chance(0.5) && wishes.any_law) system.drain_seconds = draws.between(0.02, 0.5) * gate.step_seconds;
    system.loader_factor = draws.between(1.02, 1.6);
    system.prefetch = 2 + draws.below(8);
    system.device = device;
    gate.workloads.emplace_back(kWorkloads[i], system);
  }
  gate.noise = {.kind = static_cast<NoiseKind>(draws.below(kNoiseKinds)),
                .size = draws.log_between(0.003, wishes.most_noise),
                .on_step = !device};
  if (wishes.any_trials) gate.trials = draws.one_of(std::array<std::size_t, 4>{3, 5, 5, 10});
  return gate;
}

Plan gate_plan(const Gate& gate, std::uint64_t seed) {
  RunOptions options{.workloads = {},
                     .loaders = {"flow-graph", "thread-pool"},
                     .workers = {1, 2},
                     .batch_sizes = {kBatchSize},
                     .seed = seed,
                     .compute = fmt::format("device:samples_per_second={:.10g},depth={}",
                                            static_cast<double>(kBatchSize) / gate.step_seconds,
                                            gate.workloads.front().second.device ? 2 : 0),
                     .trials = gate.trials,
                     .trial_seconds = static_cast<double>(gate.trial_batches) * gate.step_seconds,
                     .first_epoch_seconds = 0,
                     .ceilings = "off"};
  for (const auto& [workload, system] : gate.workloads) options.workloads.push_back(workload);
  return plan_of(options);
}

// The loss affects the service of the first workload.
Result run_gate(const Gate& gate, double loss, std::uint64_t seed, Bed& bed) {
  const Plan plan = gate_plan(gate, seed);
  Simulation simulation(gate.workloads.front().second, gate.noise, seed, gate.trials * plan.cells.size(), bed);
  for (const auto& [workload, system] : gate.workloads) {
    System its = system;
    if (workload == gate.workloads.front().first) its.service.mean_seconds /= 1 - loss;
    simulation.set_system(workload, its);
  }
  return run(plan, simulation);
}

ResultDiff diff_of(const Result& base, const Result& changed) {
  return diff_results({"base", base}, {"new", changed}, {});
}

std::string text_of(const Gate& gate, const ResultDiff& diff) {
  std::string text = fmt::format("noise {} {:.3g}, {} trials of {} batches:", name(gate.noise.kind), gate.noise.size,
                                 gate.trials, gate.trial_batches);
  for (const CellDiff& cell : diff.cells) {
    if (!cell.gate || !cell.comparison) continue;
    text += fmt::format(" {} {} {:.4g} p {:.3g};", cell.name, name(cell.change), cell.comparison->ratio.value,
                        cell.adjusted_p.value_or(1));
  }
  return text;
}

std::vector<std::string> parts_of(const Gate& gate) {
  return {fmt::format("noise {}", name(gate.noise.kind)), fmt::format("trials {}", gate.trials),
          fmt::format("workloads {}", gate.workloads.size())};
}

// Two equal runs: every ratio is 1.
void cover_ratios(const ResultDiff& diff, const Gate& gate, Tally& tally) {
  // The batches matter little here: the noise causes the skew.
  constexpr double kSkewnessOfKind[kNoiseKinds] = {0, 1, 2, 0, 0};
  const double skewness = kSkewnessOfKind[static_cast<std::size_t>(gate.noise.kind)];
  const std::string id = fmt::format("ratio/{}", kind_of(gate.noise, skewness));
  for (const CellDiff& cell : diff.cells) {
    if (!cell.comparison || !cell.comparison->ratio.ci95) continue;
    const Interval& interval = *cell.comparison->ratio.ci95;
    // All steps of a device are equal: there is nothing to cover.
    if (interval.high - interval.low < 1e-9) continue;
    tally.count(id, interval.low <= 1 && 1 <= interval.high, {fmt::format("trials {}", gate.trials)});
  }
}

}  // namespace

void gate_equal(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws draws(loadline::key_of(seed, 10, draw));
  const Gate gate = draw_gate(draws, {});
  const Result base = run_gate(gate, 0, loadline::key_of(seed, 11, draw), session.bed);
  const Result changed = run_gate(gate, 0, loadline::key_of(seed, 12, draw), session.bed);
  const ResultDiff diff = diff_of(base, changed);
  const bool alarm = diff.verdict == Change::kRegression;
  session.tally.count("false-alarm", alarm, parts_of(gate));
  if (alarm) session.tally.example("false-alarm", text_of(gate, diff));
  cover_ratios(diff, gate, session.tally);
}

void gate_loss(std::uint64_t seed, std::size_t draw, Session& session) {
  constexpr double kLoss = 0.10;
  Draws draws(loadline::key_of(seed, 13, draw));
  const bool compute_bound = draws.chance(0.5);
  GateWishes wishes{.any_law = false, .any_trials = false};
  // With both loaders and any number of workers on one side of the boundary.
  if (compute_bound) {
    wishes.least_supply = 1.4;
  } else {
    wishes.most_supply = 0.8;
  }
  Gate gate = draw_gate(draws, wishes);
  while (gate.noise.kind == NoiseKind::kOneInTen) gate.noise.kind = static_cast<NoiseKind>(draws.below(kNoiseKinds));
  const Result base = run_gate(gate, 0, loadline::key_of(seed, 14, draw), session.bed);
  const Result changed = run_gate(gate, kLoss, loadline::key_of(seed, 15, draw), session.bed);
  const ResultDiff diff = diff_of(base, changed);
  const std::string id = compute_bound ? "loss/compute-bound" : "loss/loader-bound";
  const bool found = diff.verdict == Change::kRegression;
  auto parts = parts_of(gate);
  parts.push_back(fmt::format("cv {}", gate.noise.size <= 0.01   ? "up to 1 %"
                                       : gate.noise.size <= 0.02 ? "1 to 2 %"
                                                                 : "2 to 3 %"));
  session.tally.count(id, found, parts);
  if (!found) session.tally.example(id, text_of(gate, diff));
}

void gate_equivalent(std::uint64_t seed, std::size_t draw, Session& session) {
  Draws draws(loadline::key_of(seed, 16, draw));
  Gate gate = draw_gate(draws, {.most_supply = 0.8, .most_noise = 0.05, .any_law = false});
  const Result base = run_gate(gate, 0, loadline::key_of(seed, 17, draw), session.bed);
  // A rate lower by this changes the ratio by twice the margin.
  const double loss = 1 - 1 / (1 + 2 * kStandardMargin);
  const Result changed = run_gate(gate, loss, loadline::key_of(seed, 18, draw), session.bed);
  const ResultDiff diff = diff_of(base, changed);
  const bool equivalent = diff.verdict == Change::kEquivalent;
  session.tally.count("equivalent", equivalent, parts_of(gate));
  if (equivalent) session.tally.example("equivalent", text_of(gate, diff));
}

}  // namespace loadline::truth
