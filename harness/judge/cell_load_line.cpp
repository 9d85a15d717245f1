#include "harness/judge/cell_load_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/cold.h"
#include "harness/judge/phrase.h"
#include "harness/judge/random_epoch.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

// "2 threads", "many requests at a time".
std::string hands_of(const Ceiling& ceiling) {
  if (is_device(ceiling)) return "many requests at a time";
  return fmt::format("{} thread{}", ceiling.threads, ceiling.threads == 1 ? "" : "s");
}

// Of the ceiling of a device that binds an epoch in random order: which share of what it leaves beside filling its
// samples IO reaches. Nothing where that is about what the ceiling allows.
std::string random_epoch_sentence(const Result& result, const CellResult& cell, const LoadLine& line,
                                  const Ceiling& ceiling) {
  constexpr double kAsGood = 0.95;
  const DatasetInfo& info = result.datasets[cell.dataset].info;
  const bool blocks = ceiling.kind->unit == CeilingUnit::kBytes && ceiling.request_order == RequestOrder::kRandom;
  if (cell.cell.mode != Mode::kIo || !blocks || cell.cell.sampler.order != Order::kShuffled) return "";
  if (!std::ranges::all_of(cell.trials, [&](const Trial& one) { return ends_with_epoch(cell.cell, one, info); })) {
    return "";
  }
  for (const std::size_t i : cell.bounds) {
    const CeilingResult& filling = result.ceilings[i];
    if (filling.ceiling.kind->scope != CeilingScope::kBatch || filling.ceiling.kind->role != CeilingRole::kFilling) {
      continue;
    }
    if (filling.trials.empty()) continue;
    const double limit = samples_per_second_of(
        {.samples = static_cast<double>(info.samples),
         .blocks = static_cast<double>(info.stored_bytes) / static_cast<double>(*ceiling.request_bytes),
         .samples_per_second_read = line.samples_per_second,
         .samples_per_second_filled = summarize(rates_of(filling)).mean});
    if (limit >= kAsGood * line.samples_per_second) return "";
    return fmt::format(
        " In random order the first samples need nearly all of the files: reading, and then filling as {} does, allow "
        "{} "
        "samples/s, of which IO reaches {:.0f} %.",
        filling.ceiling.kind->name, rate(limit), 100 * summarize(rates_of(cell)).mean / limit);
  }
  return "";
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
    bounds.push_back(rates_of(result.ceilings[i], ceiling.samples_per_unit(cell.cell, info)));
  }
  // Without ceilings the compute alone is no load line.
  if (!bounds.empty() && cell.cell.mode == Mode::kFull)
    bounds.push_back(synthetic ? rates_of(*synthetic) : std::vector<double>());
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
                     random_epoch_sentence(result, cell, found->line, ceiling));
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
  for (const std::size_t i : cell.bounds) {
    const CeilingResult& ceiling = result.ceilings[i];
    if (!is_device(ceiling.ceiling) || ceiling.trials.empty()) continue;
    const DatasetInfo& info = result.datasets[cell.dataset].info;
    const double samples = summarize(rates_of(ceiling, ceiling.ceiling.samples_per_unit(cell.cell, info))).mean;
    most = std::max(most.value_or(0), summarize(rates_of(cell)).mean / samples);
    if (ceiling.ceiling.kind->unit != CeilingUnit::kBytes) continue;
    most = std::max(*most, read / seconds / summarize(rates_of(ceiling)).mean);
  }
  return most;
}

}  // namespace loadline
