#include "harness/judge/start_up.h"

#include <fmt/format.h>

#include <cstddef>

#include "harness/judge/phrase.h"
#include "harness/judge/statistics.h"
#include "harness/plan/command.h"

namespace loadline {
namespace {

// Seconds of an epoch; without an interval where that of the rate reaches 0.
Estimate epoch_of(double samples, const Summary& per_second) {
  Estimate epoch{samples / per_second.mean, std::nullopt};
  const auto& ci95 = per_second.ci95;
  if (ci95 && ci95->low > 0) epoch.ci95 = Interval{samples / ci95->high, samples / ci95->low};
  return epoch;
}

}  // namespace

std::optional<StartUp> start_up_of(const Result& result, const Configuration& configuration) {
  const bool io_first = configuration.io && names_python(configuration.loader);
  const auto index = configuration.full && !io_first ? configuration.full : configuration.io;
  const CellResult& cell = result.cells[*index];
  const auto rates = rates_of(cell);
  // The epochs of other states are not warm.
  if (!cell.first_epoch || rates.empty() || cell.cell.cache != CacheState::kWarm) return std::nullopt;
  const FirstEpoch& first = *cell.first_epoch;
  const std::size_t share =
      result.datasets[cell.dataset].info.samples / cell.cell.sampler.world_size * cell.trials.front().rank_count();
  const auto samples = static_cast<double>(first.complete ? first.samples : share);
  StartUp start_up{.seconds = first.open_seconds + first.first_batch_seconds,
                   .warm_epoch = epoch_of(samples, summarize(rates)),
                   .dominates = false};
  const auto& longest = start_up.warm_epoch.ci95;
  start_up.dominates = longest && start_up.seconds > longest->high;
  return start_up;
}

std::string start_up_sentence(const Configuration& configuration) {
  const auto& start_up = configuration.start_up;
  if (!start_up || !start_up->dominates) return "";
  return fmt::format(
      " Start-up dominates a short training: opening the data and waiting for the first batch took {} (measured once), "
      "longer than a warm epoch of {}; keep data and loader open from one epoch to the next.",
      duration(start_up->seconds), measured_duration(start_up->warm_epoch));
}

std::string slow_first_epoch_sentence(const Result& result, const Configuration& configuration) {
  constexpr double kMuchSlower = 1.5;
  constexpr double kLong = 1;  // second
  if (!configuration.io) return "";
  const CellResult& cell = result.cells[*configuration.io];
  const auto rates = rates_of(cell);
  if (!cell.first_epoch || rates.empty() || cell.cell.cache != CacheState::kWarm) return "";
  const FirstEpoch& first = *cell.first_epoch;
  const double took = first.wall_seconds - first.first_batch_seconds;  // start-up is a figure of its own
  const double warm = summarize(rates).mean;
  const auto samples = static_cast<double>(first.samples);
  if (took - samples / warm < kLong || took < kMuchSlower * samples / warm) return "";
  return fmt::format(
      " Loading alone took {:.1f} times as long per sample in the first epoch ({} samples/s, measured once) as in the "
      "trials.",
      took * warm / samples, rate(samples / took));
}

}  // namespace loadline
