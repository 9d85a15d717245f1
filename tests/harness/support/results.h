// Results made by hand: cells whose trials have the rates that a test names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/result/result.h"

namespace loadline::test {

inline constexpr Mode kIo = Mode::kIo;
inline constexpr Mode kFull = Mode::kFull;
inline constexpr Mode kSynthetic = Mode::kSynthetic;

inline Trial trial_of(double samples_per_second, std::size_t batch_size, std::uint64_t batches = 100) {
  Trial trial;
  trial.batches = batches;
  trial.samples = batches * batch_size;
  trial.wall_seconds = static_cast<double>(trial.samples) / samples_per_second;
  return trial;
}

struct CellRequest {
  Mode mode;
  std::vector<double> rates;  // samples per second, one per trial
  std::string loader = "serial";
  std::size_t workers = 0;
  std::size_t batch_size = 100;
  std::string workload = "mnist";
};

inline CellResult cell_result(const CellRequest& request) {
  Cell cell{.workload = request.workload, .mode = request.mode, .data = "/data/mnist"};
  cell.sampler.batch_size = request.batch_size;
  cell.compute =
      request.mode == Mode::kFull || request.mode == Mode::kSynthetic ? "device:samples_per_second=1000" : "drain";
  if (uses_loader(request.mode)) cell.loader = request.loader;
  cell.workers = request.workers;
  CellResult result{.cell = std::move(cell), .slots = 1, .slot_bytes = 1600};
  for (const double rate : request.rates) result.trials.push_back(trial_of(rate, request.batch_size));
  return result;
}

// A result of a quiet machine and a Release build. The dataset exceeds every cache and lies in memory.
inline Result result_of(const std::vector<CellRequest>& requests) {
  Result result;
  result.kernels = "avx2";
  result.environment.build = {.version = "1.2.3", .build_type = "Release"};
  result.environment.machine.cpu_model = "Example CPU";
  result.environment.machine.logical_cpus = 8;
  result.environment.machine.threads_in_force = 4;
  result.environment.machine.last_level_cache_bytes = 1 << 20;
  result.environment.machine.load_average_1_minute = 0.1;
  DatasetFacts facts{.path = "/data/mnist", .fingerprint = 0x123456789abcdef0};
  facts.info = {.format = "idx", .samples = 60000, .shape = {1, 28, 28}, .classes = 10};
  facts.before = {.pages = 10, .resident_pages = 10};
  result.datasets = {facts};
  for (const CellRequest& request : requests) result.cells.push_back(cell_result(request));
  return result;
}

// Adds a ceiling that bounds the cells with these indices. Its trials have these rates, in its own unit.
inline void add_ceiling(Result& result, const Ceiling& ceiling, const std::vector<double>& rates,
                        const std::vector<std::size_t>& bounded) {
  for (const std::size_t cell : bounded) result.cells[cell].bounds.push_back(result.ceilings.size());
  CeilingResult added{.ceiling = ceiling, .cell = bounded.empty() ? 0 : bounded.front()};
  for (const double rate : rates) added.trials.push_back({.wall_seconds = 0.5, .amount = rate / 2});
  result.ceilings.push_back(std::move(added));
}

// A ceiling of the machine, or of mnist; batches, if the kind has any, have 100 samples.
inline Ceiling ceiling(std::string_view kind, std::size_t threads) {
  Ceiling made{.kind = &ceiling_kind_named(kind), .threads = threads};
  if (made.kind->scope == CeilingScope::kMachine) return made;
  made.workload = "mnist";
  made.dataset = 0;
  if (made.kind->scope == CeilingScope::kBatch) made.batch_size = 100;
  return made;
}

// OVERHEAD of 1 µs per batch.
inline CellRequest overhead() {
  return {.mode = Mode::kOverhead, .rates = {1e6, 1e6, 1e6}, .batch_size = 1};
}

}  // namespace loadline::test
