#include "harness/judge/rank_points.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/judge/stored_reads.h"
#include "harness/result/counted.h"
#include "synthetic/compute/compute.h"
#include "synthetic/compute/gradient_sum.h"

namespace loadline {
namespace {

const CellResult& curve_cell(const RankMeasurement& one) {
  return one.result.cells[one.mode == Mode::kFull ? *one.configuration.full : *one.configuration.io];
}

double ranks_in(const RankMeasurement& one) {
  return static_cast<double>(ranks_of(one.result));
}

std::optional<Estimate> rate_of_cell(const Result& result, std::optional<std::size_t> cell) {
  if (!has_trials_of(result, cell)) return std::nullopt;
  return estimate_of_mean(rates_of(result.cells[*cell]));
}

// The ratio of the rates with `more` ranks to those with `fewer`, per rank.
Estimate efficiency_over(const std::vector<double>& fewer, const std::vector<double>& more, double times) {
  const Ratio ratio = log_welch_ratio(fewer, more);
  Estimate efficiency{ratio.value / times, ratio.ci95};
  if (efficiency.ci95) efficiency.ci95 = {efficiency.ci95->low / times, efficiency.ci95->high / times};
  return efficiency;
}

}  // namespace

ComputeDevices devices_of(const std::string& compute) {
  ComputeDevices found;
  if (may_name_external_compute(compute)) return found;
  const ComputeSpec spec = parse_compute(compute);
  for (std::size_t i = 0; i < spec.kind->parameters.size(); ++i) {
    const ComputeParameter& parameter = spec.kind->parameters[i];
    if (parameter.name == "devices") found.devices = static_cast<std::size_t>(spec.values[i]);
    if (parameter.name != "mode") continue;
    const auto word = static_cast<std::size_t>(spec.values[i]);
    found.share_a_batch = word < parameter.words.size() && parameter.words[word] == "dp";
  }
  return found;
}

namespace {

double stage_seconds(const Trial& trial, std::string_view stage) {
  const auto found = std::ranges::find(trial.stages, stage, &StageSummary::name);
  return found == trial.stages.end() ? 0 : found->total_seconds;
}

bool tells_gradients(const CellResult& cell) {
  return std::ranges::all_of(counted(cell.trials), [](const Trial& trial) {
    return std::ranges::find(trial.stages, kGradientStage, &StageSummary::name) != trial.stages.end();
  });
}

// Parts of a rank's time per sample: means over the trials.
struct RankSeconds {
  double all = 0;
  LostTime parts;
};

// Parts of one cell's time by what its host does: a step that runs while the host waits is not a part of its own.
RankSeconds seconds_of_cell(const CellResult& cell, double ranks) {
  RankSeconds mean;
  const auto count = static_cast<double>(std::ranges::distance(counted(cell.trials)));
  for (const Trial& trial : counted(cell.trials)) {
    const double share = ranks / static_cast<double>(trial.samples) / count;
    double waiting = 0;  // of the mean rank for the slowest
    if (trial.ranks && !trial.ranks->each.empty()) {
      for (const RankShare& rank : trial.ranks->each) waiting += trial.wall_seconds - rank.wall_seconds;
      waiting /= static_cast<double>(trial.ranks->each.size());
    }
    const double gradients = stage_seconds(trial, kGradientStage);
    mean.all += trial.wall_seconds * share;
    mean.parts.loading += trial.wait.total_seconds * share;
    mean.parts.gradients += gradients * share;
    mean.parts.stragglers += waiting * share;
    mean.parts.step += (trial.wall_seconds - trial.wait.total_seconds - gradients - waiting) * share;
  }
  return mean;
}

// If SYNTHETIC shows what the step takes alone, waiting for data is what FULL takes beyond that.
RankSeconds seconds_per_sample(const RankMeasurement& one) {
  RankSeconds seconds = seconds_of_cell(curve_cell(one), ranks_in(one));
  const auto synthetic = one.configuration.synthetic;
  if (one.mode != Mode::kFull || !has_trials_of(one.result, synthetic)) return seconds;
  const RankSeconds alone = seconds_of_cell(one.result.cells[*synthetic], ranks_in(one));
  seconds.parts.step = alone.all - alone.parts.gradients - alone.parts.stragglers;
  seconds.parts.loading = seconds.all - seconds.parts.step - seconds.parts.gradients - seconds.parts.stragglers;
  return seconds;
}

LostTime lost_time(const RankMeasurement& fewest, const RankMeasurement& more) {
  const RankSeconds before = seconds_per_sample(fewest);
  const RankSeconds now = seconds_per_sample(more);
  return {.loading = (now.parts.loading - before.parts.loading) / now.all,
          .gradients = (now.parts.gradients - before.parts.gradients) / now.all,
          .stragglers = (now.parts.stragglers - before.parts.stragglers) / now.all,
          .step = (now.parts.step - before.parts.step) / now.all};
}

std::optional<Estimate> held_share(const CellResult& cell) {
  std::vector<double> shares;
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.ranks || trial.ranks->each.size() < 2) return std::nullopt;
    shares.push_back(trial.ranks->held_share());
  }
  return estimate_of_mean(shares);
}

std::optional<Estimate> gradients_share(const CellResult& cell) {
  if (!tells_gradients(cell)) return std::nullopt;
  std::vector<double> shares;
  for (const Trial& trial : counted(cell.trials))
    shares.push_back(stage_seconds(trial, kGradientStage) / trial.wall_seconds);
  return estimate_of_mean(shares);
}

void add_places(RankPoint& point, const Result& result) {
  point.cpus = result.environment.machine.threads_in_force;
  if (!result.ranks || result.ranks->places.empty()) return;
  std::set<std::string> hosts;
  point.cpus = result.ranks->places.front().cpus.size();
  for (const RankPlace& place : result.ranks->places) {
    hosts.insert(place.host);
    point.cpus = std::min(point.cpus, place.cpus.size());
    point.shared = point.shared || place.dealt;
  }
  point.hosts = hosts.size();
}

}  // namespace

std::size_t cpus_in_all(const Result& result) {
  if (!result.ranks || result.ranks->places.empty()) return result.environment.machine.threads_in_force;
  std::map<std::string, std::set<std::size_t>> of_hosts;
  for (const RankPlace& place : result.ranks->places) of_hosts[place.host].insert(place.cpus.begin(), place.cpus.end());
  std::size_t all = 0;
  for (const auto& [host, cpus] : of_hosts) all += cpus.size();
  return all;
}

std::size_t ranks_per_cpu(const Result& result) {
  std::size_t most = 1;
  if (!result.ranks) return most;
  std::map<std::pair<std::string, std::size_t>, std::size_t> ranks;  // by host and CPU
  for (const RankPlace& place : result.ranks->places) {
    for (const std::size_t cpu : place.cpus) most = std::max(most, ++ranks[{place.host, cpu}]);
  }
  return most;
}

namespace {

std::optional<double> busy_share(const RankMeasurement& one) {
  const auto cpus = static_cast<double>(cpus_in_all(one.result));
  double busy = 0;
  double wall = 0;
  for (const Trial& trial : counted(curve_cell(one).trials)) {
    busy += trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds;
    wall += trial.wall_seconds;
  }
  return cpus > 0 && wall > 0 ? std::optional(busy / (wall * cpus)) : std::nullopt;
}

std::optional<double> device_rate(const CellResult& cell) {
  double bytes = 0;
  double wall = 0;
  for (const Trial& trial : counted(cell.trials)) {
    if (!trial.usage.device_read_bytes) return std::nullopt;
    bytes += static_cast<double>(*trial.usage.device_read_bytes);
    wall += trial.wall_seconds;
  }
  return bytes / wall;
}

void add_reads(RankPoint& point, const RankMeasurement& one) {
  const CellResult& cell = curve_cell(one);
  point.read_seconds = seconds_per_sample_in(cell, {WorkerStage::kOpen, WorkerStage::kRead});
  point.device_bytes_per_second = device_rate(cell);
  if (cell.dataset >= one.result.datasets.size()) return;
  const DatasetFacts& facts = one.result.datasets[cell.dataset];
  point.from_storage = reads_from_storage(cell, facts);
  const double bytes = stored_bytes_per_sample(cell, facts);
  if (bytes > 0) point.read_bytes_per_second = bytes * point.samples_per_second.value;
}

RankPoint point_of(const RankMeasurement& one, const RankMeasurement& fewest) {
  const CellResult& cell = curve_cell(one);
  const Configuration& configuration = one.configuration;
  RankPoint point{.ranks = ranks_of(one.result),
                  .batch_size = configuration.batch_size,
                  .samples_per_second = estimate_of_mean(rates_of(cell))};
  point.trials = rates_of(cell).size();
  const ComputeDevices devices = devices_of(cell.cell.compute);
  point.devices = devices.devices * point.ranks;
  point.global_batch = point.batch_size * (devices.share_a_batch ? point.ranks : point.devices);
  add_places(point, one.result);
  add_reads(point, one);
  const double times = ranks_in(one) / ranks_in(fewest);
  point.efficiency = efficiency_over(rates_of(curve_cell(fewest)), rates_of(cell), times);
  if (&one == &fewest) point.efficiency = Estimate{1, Interval{1, 1}};
  point.io = rate_of_cell(one.result, configuration.io);
  point.synthetic = rate_of_cell(one.result, configuration.synthetic);
  const auto steps_before = fewest.configuration.synthetic;
  if (point.synthetic && has_trials_of(fewest.result, steps_before)) {
    point.step_efficiency = efficiency_over(rates_of(fewest.result.cells[*steps_before]),
                                            rates_of(one.result.cells[*configuration.synthetic]), times);
  }
  if (one.mode == Mode::kFull) point.stall = configuration.verdict.stall;
  point.gradients = gradients_share(cell);
  point.held = held_share(cell);
  point.cpu_share = busy_share(one);
  point.lost = lost_time(fewest, one);
  return point;
}

}  // namespace

bool has_trials_of(const Result& result, std::optional<std::size_t> cell) {
  return cell && *cell < result.cells.size() && !rates_of(result.cells[*cell]).empty();
}

std::vector<RankPoint> rank_points(std::span<const RankMeasurement> measured) {
  std::vector<RankPoint> points;
  for (const RankMeasurement& one : measured) points.push_back(point_of(one, measured.front()));
  return points;
}

}  // namespace loadline
