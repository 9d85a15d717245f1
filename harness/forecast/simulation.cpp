#include "harness/forecast/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/forecast/model.h"
#include "harness/forecast/normal.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kStepsOfEpoch = 32;           // that a longer epoch is simulated by
constexpr std::size_t kStepsOfChangingEpoch = 256;  // the same where its steps are not alike
constexpr double kSlowShare = 0.95;
constexpr double kNormalOf95 = 1.96;

double drawn(const Estimate& rate, NormalDraws& draws) {
  if (!rate.ci95) return rate.value;
  const double deviation = (rate.ci95->high - rate.ci95->low) / (2 * kNormalOf95);
  return std::max(rate.value / 10, rate.value + deviation * draws.one());
}

Basis with_drawn_rates(Basis basis, std::uint64_t seed) {
  if (seed == 0) return basis;
  NormalDraws draws(seed);
  double& load = basis.load_per_second.value;
  double& step = basis.step_per_second.value;
  const double coupling = basis.coupling();
  const bool step_binds = step < load;
  // Where both were measured together, that is how well the one that binds is known: drawing the three apart would make
  // the lowest of them the mean.
  const auto together = basis.together_per_second;
  const double binding = together ? drawn(*together, draws) / together->value : 1;
  load = together && !step_binds ? load * binding : drawn(basis.load_per_second, draws);
  step = together && step_binds ? step * binding : drawn(basis.step_per_second, draws);
  if (together) basis.together_per_second->value = coupling * basis.side_by_side(load, step);
  return basis;
}

std::vector<SimulatedGroup> groups_of(const System& system, std::size_t ranks) {
  const std::size_t nodes = system.nodes_for(ranks);
  std::vector<SimulatedGroup> groups(std::min(nodes, kMostGroups), SimulatedGroup{.nodes = 0, .ranks = 0});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t first = nodes * i / groups.size();
    const std::size_t end = nodes * (i + 1) / groups.size();
    groups[i].nodes = static_cast<double>(end - first);
    groups[i].ranks = static_cast<double>(std::min(ranks, end * system.ranks_of_node) - first * system.ranks_of_node);
  }
  return groups;
}

// Crops that a node draws in an epoch, in units of the dataset, with repeats; 0: each sample comes once.
double drawn_of_epoch(const Basis& basis, double nodes) {
  if (!basis.random_crops || basis.dataset_bytes <= 0 || basis.bytes_per_sample <= 0) return 0;
  return basis.dataset_samples * basis.bytes_per_sample / basis.dataset_bytes / nodes;
}

double samples_of_step(const Basis& basis, std::size_t ranks) {
  return static_cast<double>(ranks) * static_cast<double>(basis.batch_size);
}

SimulatedEpoch epoch_of(const Basis& basis, const System& system, std::size_t ranks, std::size_t epoch) {
  const double worth = drawn_of_epoch(basis, static_cast<double>(system.nodes_for(ranks)));
  const bool changes = system.node_memory > 0 && system.staging == Staging::kNone && worth > 0;
  SimulatedEpoch planned{.steps = changes ? kStepsOfChangingEpoch : kStepsOfEpoch};
  if (basis.dataset_samples > 0) {
    const double steps = std::ceil(basis.dataset_samples / samples_of_step(basis, ranks));
    if (steps < static_cast<double>(planned.steps)) planned.steps = static_cast<std::size_t>(steps);
  }
  if (changes) {
    planned.missed = std::exp(-worth * static_cast<double>(epoch - 1));
    planned.decay = worth / static_cast<double>(planned.steps);
  } else {
    planned.missed = missed_share(basis, system, ranks, epoch);
  }
  return planned;
}

double or_zero(double limit) {
  return std::isfinite(limit) ? limit : 0;
}

void add_loading(SimulatedRun& run, const Basis& basis, const System& system, std::size_t ranks) {
  const double batch = run.batch_size;
  const auto alone = [&](double missed) {
    return basis.coupling() * rank_rates(basis, system, ranks, missed, Scenario::kLikely).alone_per_second;
  };
  run.hit_seconds = batch / alone(0);
  run.miss_seconds = batch / alone(1);
  run.ahead = basis.reading == Reading::kAhead;
  if (system.node_cpus > 0) {
    const auto here = static_cast<double>(std::min(ranks, system.ranks_of_node));
    run.least_seconds = batch * here * basis.cpu_seconds_per_sample / static_cast<double>(system.node_cpus);
  }
  run.queue = basis.overlap < 0.5 ? 0 : std::max<std::size_t>(1, basis.prefetch);  // 0: load and step in turn
  run.storage_per_second = or_zero(storage_per_second(basis, system.storage, 1));
  run.node_per_second = or_zero(client_per_second(basis, system.storage, 1));
  if (!system.storage.limited()) run.node_per_second = cold_reads_per_second(basis).value_or(0);
  const bool some_room = system.node_memory > 0 && basis.dataset_bytes > system.node_memory;
  if (some_room && system.staging == Staging::kNone) run.least_missed = 1 - system.node_memory / basis.dataset_bytes;
}

void add_steps(SimulatedRun& run, const Basis& basis, const System& system, std::size_t ranks) {
  // What loading and steps cost each other is the same share of a step as of loading.
  run.step_seconds = run.batch_size / basis.step_per_second.value / basis.coupling();
  run.variation = basis.step_variation;
  run.pace_steps = std::max(1.0, basis.steps_of_trial);
  run.together = system.together;
  if (!system.together || ranks < 2) return;
  const double reduction = reduction_seconds(system.network, basis.gradient_bytes, system.nodes_for(ranks));
  run.reduction_seconds = (1 - system.network.overlap) * reduction / basis.coupling();
}

void add_copies(SimulatedRun& run, const Basis& basis, const System& system, std::size_t ranks) {
  if (system.staging == Staging::kNone) return;
  const auto nodes = static_cast<double>(system.nodes_for(ranks));
  run.copied_bytes = system.staging == Staging::kCopies ? basis.dataset_bytes : basis.dataset_bytes / nodes;
  run.storage_bytes_per_second = system.storage.bytes_per_second;
  run.node_bytes_per_second = system.storage.client_bytes_per_second;
}

bool is_random(const Basis& basis, const SimulationPlan& plan) {
  const bool mixed = std::ranges::any_of(plan.epochs, [&](const SimulatedEpoch& epoch) {
    const double missed = std::max(epoch.missed, plan.run.least_missed);
    return (missed > 0 && missed < 1) || epoch.decay > 0;
  });
  return mixed || plan.run.variation > 0 || basis.load_per_second.ci95 || basis.step_per_second.ci95 ||
         (basis.together_per_second && basis.together_per_second->ci95);
}

// One seed of a point.
struct Seeded {
  std::vector<double> epochs;
  std::vector<double> steps;  // seconds each, of the last epoch
  double waiting = 0;
  double held = 0;
  double copy_seconds = 0;
};

Seeded simulate(Simulator& simulator, const SimulationPlan& plan) {
  const SimulatedTimes times = simulator.run(plan);
  Seeded seeded{.copy_seconds = times.outcome.copy_seconds};
  const std::vector<double>& ends = times.step_ends;
  std::size_t step = plan.run.warm_up;
  const double began = step > 0 ? ends[step - 1] : 0;
  for (std::size_t epoch = 0; epoch < plan.epochs.size(); ++epoch) {
    const double epoch_began = step > 0 ? ends[step - 1] : 0;
    seeded.steps.clear();
    for (std::size_t i = 0; i < plan.epochs[epoch].steps; ++i, ++step) {
      seeded.steps.push_back(ends[step] - (step > 0 ? ends[step - 1] : 0));
    }
    seeded.epochs.push_back(plan.epoch_samples[epoch] / (ends[step - 1] - epoch_began));
  }
  const double all = ends.back() - began;
  seeded.waiting = times.outcome.wait_seconds / all;
  seeded.held = times.outcome.held_seconds / all;
  return seeded;
}

void add(SimulatedPoint& point, const Seeded& one, double weight) {
  const double rate = one.epochs.back();
  const bool first = point.epochs.empty();
  point.low_per_second = first ? rate : std::min(point.low_per_second, rate);
  point.high_per_second = first ? rate : std::max(point.high_per_second, rate);
  point.samples_per_second += weight * rate;
  point.waiting += weight * one.waiting;
  point.held += weight * one.held;
  point.epochs.resize(one.epochs.size());
  for (std::size_t i = 0; i < one.epochs.size(); ++i) point.epochs[i] += weight * one.epochs[i];
}

double quantile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
  return values[at];
}

}  // namespace

std::size_t SimulationPlan::steps() const {
  return std::accumulate(epochs.begin(), epochs.end(), run.warm_up,
                         [](std::size_t sum, const SimulatedEpoch& epoch) { return sum + epoch.steps; });
}

std::optional<double> cold_reads_per_second(const Basis& basis) {
  if (!basis.cold_seconds_per_sample || *basis.cold_seconds_per_sample <= 0) return std::nullopt;
  const double later = 1 / (basis.coupling() *
                            basis.side_by_side(basis.load_per_second.value, basis.step_per_second.value));  // a sample
  const double worth = drawn_of_epoch(basis, 1);
  // Reads take read_seconds * exp(-worth x) at the share x of an epoch, and bind until that is less than a step.
  const auto epoch_mean = [&](double read_seconds) {
    if (worth <= 0) return read_seconds;
    const double bound = std::min(1.0, std::log(read_seconds / later) / worth);
    return read_seconds * -std::expm1(-worth * bound) / worth + later * (1 - bound);
  };
  const double wanted = later + *basis.cold_seconds_per_sample;
  double low = later;
  double high = later;
  while (epoch_mean(high) < wanted) high *= 2;
  if (!std::isfinite(high)) {
    throw Error(fmt::format("forecast: no rate of reads makes the first epoch {:g} seconds per sample longer",
                            *basis.cold_seconds_per_sample));
  }
  while (high / low > 1 + 1e-9) {
    const double middle = std::sqrt(low) * std::sqrt(high);  // their product may exceed a double
    (epoch_mean(middle) < wanted ? low : high) = middle;
  }
  return 1 / high;
}

SimulationPlan plan_simulation(const Basis& measured, const System& system, std::size_t ranks, std::size_t epochs,
                               std::uint64_t seed) {
  const Basis basis = with_drawn_rates(measured, seed);
  SimulationPlan plan;
  plan.run.batch_size = static_cast<double>(basis.batch_size);
  plan.run.seed = seed;
  add_loading(plan.run, basis, system, ranks);
  add_steps(plan.run, basis, system, ranks);
  add_copies(plan.run, basis, system, ranks);
  plan.run.warm_up = plan.run.queue + 2;
  plan.groups = groups_of(system, ranks);
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    plan.epochs.push_back(epoch_of(basis, system, ranks, epoch));
    plan.epoch_samples.push_back(samples_of_step(basis, ranks) * static_cast<double>(plan.epochs.back().steps));
  }
  return plan;
}

SimulatedPoint simulated_point(Simulator& simulator, const Basis& basis, const System& system, std::size_t ranks,
                               std::size_t epochs, std::size_t seeds) {
  SimulatedPoint point;
  const bool random = is_random(basis, plan_simulation(basis, system, ranks, epochs, 0));
  const std::uint64_t first = random ? 1 : 0;
  const std::uint64_t end = random ? seeds + 1 : 1;
  std::vector<double> steps;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const Seeded one = simulate(simulator, plan_simulation(basis, system, ranks, epochs, seed));
    add(point, one, 1 / static_cast<double>(end - first));
    steps.insert(steps.end(), one.steps.begin(), one.steps.end());
    if (system.staging != Staging::kNone) point.staging_seconds = one.copy_seconds;
  }
  point.median_step = quantile(steps, 0.5);
  point.slow_step = quantile(steps, kSlowShare);
  point.utilisation =
      std::min(1.0, point.samples_per_second / static_cast<double>(ranks) / basis.step_per_second.value);
  if (basis.dataset_samples > 0) {
    point.epochs.front() =
        basis.dataset_samples / (basis.dataset_samples / point.epochs.front() + basis.start_up_seconds);
  }
  return point;
}

}  // namespace loadline
