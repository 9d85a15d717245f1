#include "harness/measure/cache.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "loaders/datasets/residency.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/system/memory.h"
#include "synthetic/compute/drain.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Pages that are being read, or are not written yet, stay: after a moment, a second request may succeed where the
// first did not.
constexpr int kMostRequests = 5;
constexpr Time kBetweenRequests = std::chrono::milliseconds(10);

bool any_cold(const std::vector<CellResult>& cells) {
  return std::ranges::any_of(cells, [](const CellResult& cell) { return starts(cell.cell, CacheState::kCold); });
}

// Datasets that are read in different ways may lie in the same files.
bool same_files(const DatasetInfo& a, const DatasetInfo& b) {
  return a.files == b.files;
}

// Of the requested files, those that the page cache still holds a part of, and everything that it holds.
struct StillCached {
  std::vector<fs::path> files;
  Residency residency;
};

template <typename Files>
StillCached request_drop(const Files& files, bool wait_until_stored) {
  StillCached left;
  for (const fs::path& path : files) {
    const File file = File::open(path);
    if (wait_until_stored) file.wait_until_stored();
    file.drop_from_page_cache(file.size_bytes());
    const Residency held = page_cache_residency(path);
    left.residency += held;
    if (held.resident_pages && *held.resident_pages > 0) left.files.push_back(path);
  }
  return left;
}

}  // namespace

void read_files(const DatasetInfo& info, const std::stop_token& stop) {
  HugeMemory block(std::size_t{1} << 20);
  for (const fs::path& path : info.files) {
    const File file = File::open(path);
    const std::size_t size = file.size_bytes();
    for (std::size_t at = 0; at < size && !stop.stop_requested(); at += block.bytes().size()) {
      file.read_exactly(at, block.bytes().first(std::min(block.bytes().size(), size - at)));
    }
  }
}

namespace {

// Pages dropped from a mapping fault again when they are read, even if they are in the page cache.
void map_again(const Dataset& dataset, const std::stop_token& stop) {
  if (dataset.info().access != Access::kMapped) return;
  dataset.visit([&](StoredSample sample) {
    [[maybe_unused]] const volatile unsigned sum = touch_lines(sample);  // otherwise nothing would be read
    return !stop.stop_requested();
  });
}

bool is_whole(const std::optional<Residency>& held) {
  return !held || !held->resident_pages || *held->resident_pages == held->pages;
}

}  // namespace

std::optional<Residency> residency_of(const DatasetInfo& info) {
  try {
    return page_cache_residency(info.files);
  } catch (const Error&) {
    return std::nullopt;
  }
}

PageCache::PageCache(const Result& result, const std::vector<CellResult>& cells, Clock& clock)
    : result_(result),
      clock_(clock),
      any_cold_(any_cold(result.cells) || any_cold(cells)),
      states_(result.datasets.size()) {}

std::optional<Residency> PageCache::before_trial(const CellResult& cell, OpenDatasets open,
                                                 const std::stop_token& stop) {
  if (starts(cell.cell, CacheState::kCold)) return drop(cell.dataset, open, stop);
  if (starts(cell.cell, CacheState::kAsIs)) return residency_of(info(cell.dataset));
  if (!starts(cell.cell, CacheState::kWarm)) return std::nullopt;
  return any_cold_ ? warm(cell.dataset, open, stop) : look_in_passing(cell.dataset);
}

std::optional<Residency> PageCache::after_trial(const CellResult& cell) const {
  if (!uses_loader(cell.cell.mode) || starts(cell.cell, CacheState::kWarm)) return std::nullopt;
  return residency_of(info(cell.dataset));
}

void PageCache::before_ceiling(std::size_t dataset, OpenDatasets open, const std::stop_token& stop) {
  if (any_cold_) warm(dataset, open, stop);
}

Residency PageCache::drop(std::size_t dataset, OpenDatasets open, const std::stop_token& stop) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i] && same_files(info_of(i, open), info(dataset))) open[i]->forget_pages();
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (same_files(info(i), info(dataset))) states_[i].read = false;
  }
  StillCached left = request_drop(info(dataset).files, false);
  Residency all = left.residency;
  for (int request = 1; request < kMostRequests && !left.files.empty() && !stop.stop_requested(); ++request) {
    clock_.sleep_until(clock_.now() + kBetweenRequests, stop);
    StillCached now = request_drop(left.files, true);
    const bool better = now.residency.resident_pages < left.residency.resident_pages;
    left = std::move(now);
    if (!better) break;
  }
  if (all.resident_pages) all.resident_pages = left.residency.resident_pages;
  return all;
}

const DatasetInfo& PageCache::info_of(std::size_t i, OpenDatasets open) const {
  return i < states_.size() ? info(i) : open[i]->info();
}

std::optional<Residency> PageCache::warm(std::size_t dataset, OpenDatasets open, const std::stop_token& stop) {
  State& state = states_[dataset];
  auto held = residency_of(info(dataset));
  if (state.read && is_whole(held)) return held;
  // A resident dataset is never read from its files again.
  if (info(dataset).access == Access::kResident) return held;
  read_files(info(dataset), stop);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const bool is_wanted = i == dataset || i >= states_.size();
    if (is_wanted && open[i] && same_files(info_of(i, open), info(dataset))) map_again(*open[i], stop);
  }
  state.read = true;
  return residency_of(info(dataset));
}

// Checking a million files takes seconds: at most a twentieth of the time goes into it.
std::optional<Residency> PageCache::look_in_passing(std::size_t dataset) {
  constexpr int kShare = 20;
  State& state = states_[dataset];
  const Time begin = clock_.now();
  if (begin < state.next_look) return std::nullopt;
  auto held = residency_of(info(dataset));
  const Time end = clock_.now();
  state.next_look = end + kShare * (end - begin);
  return held;
}

}  // namespace loadline
