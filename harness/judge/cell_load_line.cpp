#include "harness/judge/cell_load_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/judge/cold.h"
#include "harness/judge/phrase.h"
#include "harness/judge/random_epoch.h"
#include "harness/machine/machine.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

// "2 threads", "many requests at a time".
std::string hands_of(const Ceiling& ceiling) {
  if (is_device(ceiling)) return "many requests at a time";
  if (ceiling.kind->role == CeilingRole::kTaking && ceiling.threads > 1) {
    const std::size_t writers = ceiling.threads - 1;
    return writers == 1 ? "one thread that reads what another wrote"
                        : fmt::format("one thread that reads what {} others wrote", writers);
  }
  return fmt::format("{} thread{}", ceiling.threads, ceiling.threads == 1 ? "" : "s");
}

// What a cold epoch in random order can reach: the limits of these two ceilings, one after the other.
struct EpochLimit {
  const CeilingKind* read;
  const CeilingKind* filled;
  double samples_per_second;
};

std::optional<EpochLimit> random_epoch_limit(const Result& result, const CellResult& cell) {
  const DatasetInfo& info = result.datasets[cell.dataset].info;
  const auto whole = [&](const Trial& trial) { return ends_with_epoch(cell.cell, trial, info); };
  if (cell.cell.mode != Mode::kIo || cell.cell.sampler.order != Order::kShuffled) return std::nullopt;
  if (!std::ranges::all_of(cell.trials, whole)) return std::nullopt;
  const auto lowest = [&](const auto& counts) {
    std::pair<const Ceiling*, double> found{nullptr, 0};
    for (const std::size_t i : cell.bounds) {
      const CeilingResult& one = result.ceilings[i];
      if (one.trials.empty() || !counts(one.ceiling)) continue;
      const double rate = summarize(rates_of(one, one.ceiling.samples_per_unit(
                                                      cell.cell, info, memory_in_force(result.environment.machine))))
                              .mean;
      if (found.first == nullptr || rate < found.second) found = {&one.ceiling, rate};
    }
    return found;
  };
  const auto [read, read_rate] = lowest([](const Ceiling& one) {
    return one.kind->unit == CeilingUnit::kBytes && one.request_order == RequestOrder::kRandom;
  });
  // Filling slots and taking them overlap, so the slower of them follows the reading.
  const auto [filled, filled_rate] = lowest([](const Ceiling& one) { return one.kind->scope == CeilingScope::kBatch; });
  if (read == nullptr || filled == nullptr) return std::nullopt;
  const double blocks = static_cast<double>(info.stored_bytes) / static_cast<double>(*read->request_bytes);
  return EpochLimit{.read = read->kind,
                    .filled = filled->kind,
                    .samples_per_second = samples_per_second_of(
                        {.samples = static_cast<double>(info.samples),
                         .blocks = blocks,
                         .blocks_per_sample = blocks_per_sample(cell.cell, info, *read->request_bytes),
                         .samples_per_second_read = read_rate,
                         .samples_per_second_filled = filled_rate})};
}

// The sentence has a leading space; it is empty where the limit is about what the binding ceiling alone allows.
std::string random_epoch_sentence(const Result& result, const CellResult& cell, const LoadLine& line) {
  constexpr double kAsGood = 0.95;
  const auto limit = random_epoch_limit(result, cell);
  if (!limit || limit->samples_per_second >= kAsGood * line.samples_per_second) return "";
  return fmt::format(
      " In random order the first samples need nearly all of the files: reading ({}) and then {} ({}) allow {} "
      "samples/s, of which IO reaches {:.0f} %.",
      limit->read->name, limit->filled->role == CeilingRole::kTaking ? "taking" : "filling", limit->filled->name,
      rate(limit->samples_per_second), 100 * summarize(rates_of(cell)).mean / limit->samples_per_second);
}

}  // namespace

std::vector<double> rates_of(const CeilingResult& ceiling, double samples_per_unit) {
  std::vector<double> rates;
  for (const CeilingTrial& trial : ceiling.trials) rates.push_back(samples_per_unit * trial.per_second());
  return rates;
}

std::optional<CellLoadLine> load_line_of(const Result& result, const CellResult& cell, const CellResult* synthetic) {
  std::vector<std::vector<double>> bounds;
  for (const std::size_t i : cell.bounds) {
    const Ceiling& ceiling = result.ceilings[i].ceiling;
    const DatasetInfo& info = result.datasets[cell.dataset].info;
    bounds.push_back(rates_of(result.ceilings[i],
                              ceiling.samples_per_unit(cell.cell, info, memory_in_force(result.environment.machine))));
  }
  // The compute alone, without ceilings, is not a load line.
  if (!bounds.empty() && cell.cell.mode == Mode::kFull) {
    bounds.push_back(synthetic ? rates_of(*synthetic) : std::vector<double>());
  }
  const auto line = load_line(rates_of(cell), bounds);
  if (!line) return std::nullopt;
  if (line->binding == cell.bounds.size()) {
    return CellLoadLine{.line = *line, .ceiling = std::nullopt, .name = synthetic->cell.name()};
  }
  const std::size_t ceiling = cell.bounds[line->binding];
  return CellLoadLine{.line = *line, .ceiling = ceiling, .name = result.ceilings[ceiling].ceiling.id()};
}

bool is_drain(const Ceiling& ceiling) {
  return ceiling.kind->name == "drain";
}

bool is_device(const Ceiling& ceiling) {
  return ceiling.kind->of_device;
}

std::string load_line_sentence(const Result& result, const CellResult& cell, const std::optional<CellLoadLine>& found,
                               bool beside_full) {
  if (!found || !found->ceiling) return "";
  const Ceiling& ceiling = result.ceilings[*found->ceiling].ceiling;
  if (!telling_share(found->line.efficiency)) return "";
  const Estimate limit{found->line.samples_per_second, found->line.ci95};
  const auto& reached = found->line.efficiency.ci95;
  const bool at_limit = reached && reached->low >= kNearCeiling;
  const bool drained = beside_full && is_drain(ceiling) && at_limit;
  return fmt::format(" {} reaches {} of the {} ceiling ({}{}){}.{}", name(cell.cell.mode),
                     percent(found->line.efficiency), ceiling.kind->name,
                     telling_factor(limit) ? rate(limit) + " samples/s with " : "", hands_of(ceiling),
                     drained                          ? ": its single consumer is the limit, which FULL does not have"
                     : is_device(ceiling) && at_limit ? ": storage is the limit"
                                                      : "",
                     random_epoch_sentence(result, cell, found->line));
}

std::optional<double> device_share_of(const Result& result, const CellResult& cell) {
  std::optional<double> most;
  double read = 0;
  double seconds = 0;
  for (const Trial& trial : counted(cell.trials)) {
    read += static_cast<double>(trial.usage.device_read_bytes.value_or(0));
    seconds += trial.wall_seconds;
  }
  if (seconds == 0) return most;
  const double achieved = summarize(rates_of(cell)).mean;
  for (const std::size_t i : cell.bounds) {
    const CeilingResult& ceiling = result.ceilings[i];
    if (!is_device(ceiling.ceiling) || ceiling.trials.empty()) continue;
    const DatasetInfo& info = result.datasets[cell.dataset].info;
    const double samples =
        summarize(rates_of(ceiling, ceiling.ceiling.samples_per_unit(cell.cell, info,
                                                                     memory_in_force(result.environment.machine))))
            .mean;
    most = std::max(most.value_or(0), achieved / samples);
    if (ceiling.ceiling.kind->unit != CeilingUnit::kBytes) continue;
    most = std::max(*most, read / seconds / summarize(rates_of(ceiling)).mean);
  }
  if (most) {
    if (const auto limit = random_epoch_limit(result, cell)) {
      most = std::max(*most, achieved / limit->samples_per_second);
    }
  }
  return most;
}

}  // namespace loadline
