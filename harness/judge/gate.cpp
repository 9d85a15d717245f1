#include "harness/judge/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "harness/judge/judgement.h"

namespace loadline {
namespace {

constexpr double kNoRate = -std::numeric_limits<double>::infinity();

// The mean in logarithms, over those of the two that have trials. None if the base has none: it guards nothing.
double mean_log_rate(const CellResult& base, const CellResult* changed) {
  if (rates_of(base).empty()) return kNoRate;
  Moments logs;
  for (const CellResult* cell : {&base, changed}) {
    const auto rates = cell == nullptr ? std::vector<double>() : rates_of(*cell);
    if (!rates.empty()) logs.add(std::log(summarize(rates).mean));
  }
  return logs.count() > 0 ? logs.mean() : kNoRate;
}

bool has_loading(const Result& result, const std::string& workload) {
  return std::ranges::any_of(result.cells, [&](const CellResult& cell) {
    return cell.cell.workload == workload && uses_loader(cell.cell.mode);
  });
}

class Deciding {
 public:
  Deciding(const Named& base, const Named& changed, const Matching& matching, double margin)
      : base_(base), changed_(changed), matching_(matching), margin_(margin) {}

  // Returns whether the base has such cells.
  bool consider(const std::string& workload, Mode mode) {
    const auto is_meant = [&](std::size_t cell) {
      const Cell& one = base_.result.cells[cell].cell;
      return one.workload == workload && one.mode == mode;
    };
    std::optional<std::size_t> deciding;
    double best = kNoRate;
    std::optional<std::size_t> fastest_of_base;
    double best_of_base = kNoRate;
    for (const Match& pair : matching_.pairs) {
      if (!is_meant(pair.base)) continue;
      const CellResult& ours = base_.result.cells[pair.base];
      const double rate = mean_log_rate(ours, &changed_.result.cells[pair.changed]);
      if (!deciding || rate > best) {
        deciding = pair.base;
        best = rate;
      }
      const double rate_of_base = mean_log_rate(ours, nullptr);
      if (rate_of_base > best_of_base) {
        fastest_of_base = pair.base;
        best_of_base = rate_of_base;
      }
    }
    std::optional<std::size_t> missing;
    double best_missing = kNoRate;
    for (const std::size_t cell : matching_.gone) {
      if (!is_meant(cell)) continue;
      const double rate = mean_log_rate(base_.result.cells[cell], nullptr);
      if (!missing || rate > best_missing) {
        missing = cell;
        best_missing = rate;
      }
    }
    if (deciding) gate_.cells.insert(*deciding);
    if (fastest_of_base && best_of_base > best_of_changed(workload, mode) + std::log1p(margin_)) {
      gate_.cells.insert(*fastest_of_base);
    }
    const bool guarded = best_missing > best_of_base + std::log1p(margin_) && !is_chosen(workload);
    if (missing && (!deciding || guarded)) lose(*missing, deciding.has_value());
    return deciding.has_value() || missing.has_value();
  }

  void lose_all(const std::string& workload) {
    gate_.lost.push_back(
        fmt::format("nothing decides for {}: {} has neither IO nor FULL of that workload to compare {} with", workload,
                    base_.name, changed_.name));
  }

  Gate take() { return std::move(gate_); }

 private:
  // Whether the new result has a single one of several configurations that the base has.
  bool is_chosen(const std::string& workload) const {
    const auto one = std::ranges::find(matching_.ones, workload, &OneOfSeveral::workload);
    return one != matching_.ones.end() && one->several_in_base && one->counterpart;
  }

  double best_of_changed(const std::string& workload, Mode mode) const {
    double best = kNoRate;
    for (const CellResult& cell : changed_.result.cells) {
      if (cell.cell.workload == workload && cell.cell.mode == mode) best = std::max(best, mean_log_rate(cell, nullptr));
    }
    return best;
  }

  void lose(std::size_t cell, bool others) {
    const Cell& missing = base_.result.cells[cell].cell;
    gate_.missing.insert(cell);
    gate_.lost.push_back(fmt::format(
        "{} of {} has no partner in {}{}", missing.name(), base_.name, changed_.name,
        others ? fmt::format(", and is the fastest {} of {} there", name(missing.mode), missing.workload) : ""));
  }

  const Named& base_;
  const Named& changed_;
  const Matching& matching_;
  double margin_;
  Gate gate_;
};

}  // namespace

Gate gate_of(const Named& base, const Named& changed, const Matching& matching, const Metric& metric, double margin) {
  Deciding deciding(base, changed, matching, margin);
  for (const std::string& workload : workloads_of(base.result, metric)) {
    if (metric.mode) {
      deciding.consider(workload, *metric.mode);
      continue;
    }
    if (!has_loading(base.result, workload) && !has_loading(changed.result, workload)) {
      deciding.consider(workload, Mode::kSynthetic);
      continue;
    }
    const bool io = deciding.consider(workload, Mode::kIo);
    const bool full = deciding.consider(workload, Mode::kFull);
    if (!io && !full) deciding.lose_all(workload);
  }
  return deciding.take();
}

std::vector<bool> gate_of_pairs(const std::vector<Mode>& modes) {
  const bool any_loading = std::ranges::any_of(modes, uses_loader);
  std::vector<bool> gate;
  for (const Mode mode : modes) gate.push_back(uses_loader(mode) == any_loading);
  return gate;
}

}  // namespace loadline
