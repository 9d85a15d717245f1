#include "harness/judge/tried.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/judge/verdict.h"
#include "harness/plan/settings.h"
#include "loaders/loader.h"

namespace loadline {
namespace {

using P = SettingPart;
using CellListsByKey = std::unordered_map<std::string, std::vector<const CellResult*>>;

struct Groups {
  CellListsByKey but_workers;   // alike in everything else
  CellListsByKey but_prefetch;  // likewise
  CellListsByKey with_workers;  // alike in what is trained, and on what
};

// nullptr without trials.
const CellResult* cell_of(const Result& result, const Configuration& configuration, Mode mode) {
  const auto index = mode == Mode::kFull ? configuration.full : configuration.io;
  return index && !rates_of(result.cells[*index]).empty() ? &result.cells[*index] : nullptr;
}

std::string trained_key(const Cell& cell) {
  return fmt::format("{}{}", key_of(cell, {P::kMode, P::kSubject, P::kOrder, P::kCompute}), name(cell.cache));
}

Groups groups_of(const std::vector<const CellResult*>& cells) {
  Groups groups;
  for (const CellResult* cell : cells) {
    if (cell == nullptr || cell->cell.workers == 0) continue;
    groups.but_workers[key_of(cell->cell, kAllParts, "workers")].push_back(cell);
    groups.but_prefetch[key_of(cell->cell, kAllParts, "prefetch")].push_back(cell);
    groups.with_workers[trained_key(cell->cell)].push_back(cell);
  }
  return groups;
}

std::string workers_name(const CellResult& cell) {
  return fmt::format("{} {}", plural(cell.cell.workers, "worker"), was(cell.cell.workers));
}

std::string loader_name(const CellResult& cell) {
  return fmt::format("{} with {} was", *cell.cell.loader, plural(cell.cell.workers, "worker"));
}

std::string prefetch_name(const CellResult& cell) {
  return fmt::format("--prefetch {} was", cell.prefetch);
}

using Differs = std::function<bool(const CellResult& other)>;

std::optional<Tried> fastest(const CellResult& own, const CellListsByKey& cells, const std::string& key,
                             const Differs& differs, std::string (*name)(const CellResult& cell)) {
  const auto group = cells.find(key);
  if (group == cells.end()) return std::nullopt;
  const CellResult* best = nullptr;
  double highest = 0;
  std::size_t most_workers = 0;
  for (const CellResult* other : group->second) {
    if (!differs(*other)) continue;
    most_workers = std::max(most_workers, other->cell.workers);
    const double mean = summarize(rates_of(*other)).mean;
    if (mean <= highest) continue;
    highest = mean;
    best = other;
  }
  if (best == nullptr) return std::nullopt;
  return Tried{.name = name(*best),
               .workers = best->cell.workers,
               .most_workers = most_workers,
               .gain = log_welch_ratio(rates_of(own), rates_of(*best))};
}

Alternatives alternatives_to(const CellResult& own, const Groups& groups) {
  const std::size_t workers = own.cell.workers;
  if (workers == 0) {
    const auto any = [](const CellResult&) { return true; };
    return {.with_workers = fastest(own, groups.with_workers, trained_key(own.cell), any, loader_name)};
  }
  const std::string but_workers = key_of(own.cell, kAllParts, "workers");
  const auto more = [&](const CellResult& other) { return other.cell.workers > workers; };
  const auto fewer = [&](const CellResult& other) { return other.cell.workers < workers; };
  const auto deeper = [&](const CellResult& other) { return other.prefetch > own.prefetch; };
  return {.more_workers = fastest(own, groups.but_workers, but_workers, more, workers_name),
          .fewer_workers = fastest(own, groups.but_workers, but_workers, fewer, workers_name),
          .more_prefetch =
              fastest(own, groups.but_prefetch, key_of(own.cell, kAllParts, "prefetch"), deeper, prefetch_name)};
}

}  // namespace

bool gained_nothing(const std::optional<Tried>& tried) {
  if (!tried || !tried->gain.ci95) return false;
  return tried->gain.ci95->low <= 1 || tried->gain.value <= 1 + kNoticeable;
}

bool gained_clearly(const std::optional<Tried>& tried) {
  return tried && tried->gain.ci95 && tried->gain.ci95->low > 1 + kNoticeable;
}

bool gained_beyond_cpus(const Alternatives& tried, std::size_t cpus) {
  const auto& fewer = tried.fewer_workers;
  if (!fewer || !fewer->gain.ci95 || fewer->workers == 0) return false;
  const double by_cpus = std::max(1.0, static_cast<double>(cpus) / static_cast<double>(fewer->workers));
  return 1 / fewer->gain.ci95->high > by_cpus * (1 + kNoticeable);
}

std::string gain_text(const Tried& tried) {
  const Interval& gain = *tried.gain.ci95;
  const std::string_view faster = gain.low > 1                   ? "hardly faster"
                                  : gain.high <= 1 + kNoticeable ? "no faster"
                                                                 : "not clearly faster";
  return fmt::format("{} {} in this run", tried.name, faster);
}

std::vector<Alternatives> alternatives_of(const Result& result, const std::vector<Configuration>& configurations,
                                          Mode mode) {
  std::vector<const CellResult*> cells;
  for (const Configuration& configuration : configurations) cells.push_back(cell_of(result, configuration, mode));
  const Groups groups = groups_of(cells);
  std::vector<Alternatives> alternatives;
  for (const CellResult* cell : cells) {
    alternatives.push_back(cell == nullptr ? Alternatives() : alternatives_to(*cell, groups));
  }
  return alternatives;
}

bool takes_workers(const Result& result, const Cell& cell) {
  // Others are not asked for 0.
  const auto& asked = result.options.workers;
  if (!cell.loader || std::ranges::find(asked, 0U) == asked.end()) return false;
  if (const LoaderKind* known = known_loader(*cell.loader)) return known->has_workers;
  const bool only_one = result.options.loaders.size() == 1;
  return only_one || std::ranges::any_of(result.cells, [&](const CellResult& other) {
           return other.cell.loader == cell.loader && other.cell.workers > 0;
         });
}

}  // namespace loadline
