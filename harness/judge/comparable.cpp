#include "harness/judge/comparable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "harness/judge/changes.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// Samples of another size are other work: more of them per second need not be faster.
constexpr std::array<std::string_view, 4> kSizesOfSamples{"image_size", "crop_edge", "sequence_length", "sequences"};

void add_sizes_of_samples(const Cell& base, const Cell& changed, std::span<const std::string> across,
                          std::vector<Difference>& unlike) {
  for (const std::string_view size : kSizesOfSamples) {
    if (std::ranges::find(across, size) != across.end()) continue;
    const SettingRow& row = setting_named("size of samples", size);
    const Difference difference{fmt::format("{} of {}", words_of(size), base.workload), text_of(row.read(base)),
                                text_of(row.read(changed))};
    if (difference.base == difference.changed || std::ranges::find(unlike, difference) != unlike.end()) continue;
    unlike.push_back(difference);
  }
}

// Differences that only compared cells can have: in their data, its cache state and the size of samples.
void add_differences_of_cells(const Result& base, const Result& changed, std::span<const Match> pairs,
                              std::span<const std::string> across, std::vector<Difference>& unlike) {
  std::set<std::pair<std::size_t, std::size_t>> known;
  std::set<std::pair<CacheState, CacheState>> states;
  for (const Match& pair : pairs) {
    const CellResult& a = base.cells[pair.base];
    const CellResult& b = changed.cells[pair.changed];
    add_sizes_of_samples(a.cell, b.cell, across, unlike);
    if (a.cell.mode == Mode::kSynthetic) continue;  // what a resident batch holds does not matter
    const DatasetFacts& data = base.datasets[a.dataset];
    const DatasetFacts& other = changed.datasets[b.dataset];
    // Data that must not be read before it is measured has no fingerprint.
    if (samples_differ(data, other) && known.emplace(a.dataset, b.dataset).second) {
      unlike.push_back({fmt::format("data of {}", a.cell.workload),
                        fmt::format("fingerprint {:016x}", *data.fingerprint),
                        fmt::format("fingerprint {:016x}", *other.fingerprint)});
    }
    if (a.cell.cache != b.cell.cache && states.emplace(a.cell.cache, b.cell.cache).second) {
      unlike.push_back({"cache state", std::string(name(a.cell.cache)), std::string(name(b.cell.cache))});
    }
  }
}

void refuse_unlike(const Named& base, const Named& changed, const std::vector<Difference>& unlike,
                   std::string_view anyway) {
  std::vector<std::string> texts;
  for (const Difference& difference : unlike) {
    texts.push_back(fmt::format("{} ({} and {})", difference.what, difference.base, difference.changed));
  }
  throw Error(fmt::format("cannot compare {} with {}: they differ in {}; {} compares them anyway", changed.name,
                          base.name, fmt::join(texts, ", "), anyway));
}

Error refusal(const Named& base, const Named& changed, std::string_view reason) {
  return Error(fmt::format("cannot compare {} with {}: {}", changed.name, base.name, reason));
}

std::vector<const Cell*> compared_cells(const Result& result, const Metric& metric) {
  std::vector<const Cell*> cells;
  for (const CellResult& cell : result.cells) {
    if (is_compared(cell.cell, metric)) cells.push_back(&cell.cell);
  }
  return cells;
}

// Each once, in the order of the result.
std::string list_of_words(const std::vector<const Cell*>& cells, std::string (*word)(const Cell&)) {
  std::vector<std::string> words;
  for (const Cell* cell : cells) {
    if (std::ranges::find(words, word(*cell)) == words.end()) words.push_back(word(*cell));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string workload_of(const Cell& cell) {
  return cell.workload;
}

std::string mode_of(const Cell& cell) {
  return std::string(name(cell.mode));
}

// How the two configurations differ that are closest to being partners; empty if their settings do not tell. Cells of
// IO and SYNTHETIC are compared where their FULL is, even if they themselves differ in less.
std::string nearest_changes(const std::vector<const Cell*>& ours, const std::vector<const Cell*>& theirs,
                            std::span<const std::string> across) {
  for (const Mode mode : {Mode::kFull, Mode::kIo, Mode::kSynthetic}) {
    std::vector<Difference> nearest;
    for (const Cell* a : ours) {
      for (const Cell* b : theirs) {
        if (a->workload != b->workload || a->mode != mode || b->mode != mode) continue;
        std::vector<Difference> changes = changes_between(*a, *b);
        std::erase_if(changes, [&](const Difference& change) {
          return std::ranges::any_of(across,
                                     [&](const std::string& setting) { return words_of(setting) == change.what; });
        });
        if (changes.empty() || (!nearest.empty() && changes.size() >= nearest.size())) continue;
        nearest = std::move(changes);
      }
    }
    if (!nearest.empty()) return changes_text(nearest);
  }
  return "";
}

bool any_in_common(const std::vector<const Cell*>& ours, const std::vector<const Cell*>& theirs, bool by_mode) {
  return std::ranges::any_of(ours, [&](const Cell* a) {
    return std::ranges::any_of(
        theirs, [&](const Cell* b) { return a->workload == b->workload && (!by_mode || a->mode == b->mode); });
  });
}

}  // namespace

std::vector<Difference> accepted_differences(const Named& base, const Named& changed, std::span<const Match> pairs,
                                             std::span<const std::string> across, bool allow_mismatch,
                                             std::string_view anyway) {
  std::vector<Difference> differences = unlike(base.result, changed.result);
  add_differences_of_cells(base.result, changed.result, pairs, across, differences);
  if (!differences.empty() && !allow_mismatch) refuse_unlike(base, changed, differences, anyway);
  return differences;
}

void check_in_common(const Named& base, const Named& changed, const Metric& metric) {
  const auto ours = compared_cells(base.result, metric);
  const auto theirs = compared_cells(changed.result, metric);
  for (const auto& [cells, file] : {std::pair(&ours, &base), std::pair(&theirs, &changed)}) {
    if (!cells->empty()) continue;
    throw refusal(
        base, changed,
        fmt::format("{} has no trials{}", file->name, metric.mode ? fmt::format(" of {}", name(*metric.mode)) : ""));
  }
  if (!any_in_common(ours, theirs, false)) {
    throw refusal(base, changed,
                  fmt::format("they have no workload in common: one has {}, the other {}",
                              list_of_words(theirs, workload_of), list_of_words(ours, workload_of)));
  }
  if (!any_in_common(ours, theirs, true)) {
    throw refusal(base, changed,
                  fmt::format("they have no mode in common: one has {}, the other {}; run both with the same --mode",
                              list_of_words(theirs, mode_of), list_of_words(ours, mode_of)));
  }
}

void refuse_nothing_to_compare(const Named& base, const Named& changed, const Metric& metric,
                               std::span<const std::string> across) {
  check_in_common(base, changed, metric);
  if (!across.empty()) {
    const std::string also =
        nearest_changes(compared_cells(base.result, metric), compared_cells(changed.result, metric), across);
    throw refusal(base, changed,
                  fmt::format("no two configurations differ only in the settings of --across{}{}",
                              also.empty() ? "" : "; the closest two also differ in ", also));
  }
  throw refusal(base, changed, "no two cells with trials can be paired");
}

}  // namespace loadline
