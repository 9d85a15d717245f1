#include "harness/show/ranks_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/statistics.h"
#include "harness/ranks/places.h"
#include "harness/result/counted.h"
#include "harness/result/memory_words.h"
#include "harness/show/columns.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

constexpr std::size_t kMostRanksShown = 16;  // in a table

// Files may say anything.
bool are_all(const TrialRanks& ranks, std::size_t count) {
  std::size_t next = 0;
  return ranks.each.size() == count && count > 1 &&
         std::ranges::all_of(ranks.each, [&](const RankShare& share) { return share.rank == next++; });
}

// FULL of each headline's configuration, if all of its trials have ranks and some count.
std::vector<std::size_t> cells_of_ranks(const Result& result, const Judgement& judgement) {
  std::vector<std::size_t> cells;
  if (!result.ranks) return cells;
  for (const Headline& headline : judgement.headlines) {
    const auto cell = judgement.configurations[headline.configuration].full;
    if (!cell || rates_of(result.cells[*cell]).empty()) continue;
    const auto told = [&](const Trial& trial) {
      return trial.ranks && are_all(*trial.ranks, result.ranks->places.size());
    };
    if (std::ranges::all_of(result.cells[*cell].trials, told)) cells.push_back(*cell);
  }
  return cells;
}

std::string last_text(const CellResult& cell) {
  std::vector<std::size_t> times(cell.trials.front().rank_count());
  for (const Trial& trial : counted(cell.trials)) ++times.at(trial.ranks->slowest());
  const auto most = std::ranges::max_element(times);
  return fmt::format("rank {} is the last in {} of {}", most - times.begin(), *most,
                     plural(rates_of(cell).size(), "trial"));
}

struct MeanShare {
  std::size_t rank = 0;
  double rate = 0;
  double wait = 0;  // parts of its time
  double cpus = 0;
};

std::vector<MeanShare> mean_shares(const CellResult& cell) {
  std::vector<MeanShare> means(cell.trials.front().rank_count());
  const auto trials = static_cast<double>(rates_of(cell).size());
  for (const Trial& trial : counted(cell.trials)) {
    for (const RankShare& share : trial.ranks->each) {
      MeanShare& mean = means.at(share.rank);
      mean.rank = share.rank;
      mean.rate += share.samples_per_second() / trials;
      mean.wait += share.wait_seconds / share.wall_seconds / trials;
      mean.cpus += share.cpu_seconds / share.wall_seconds / trials;
    }
  }
  return means;
}

// The results of a function for all trials that count; empty if not all of them have one.
std::vector<double> of_all_trials(const CellResult& cell, std::optional<double> (TrialRanks::*share)() const) {
  std::vector<double> shares;
  for (const Trial& trial : counted(cell.trials)) {
    const auto own = ((*trial.ranks).*share)();
    if (!own) return {};
    shares.push_back(*own);
  }
  return shares;
}

// "cifar10, thread-pool with 2 workers: gradients hold up the step for ..."; and a sentence if the weights differ.
std::string gradients_text(const CellResult& cell) {
  const std::vector<double> shares = of_all_trials(cell, &TrialRanks::gradient_share);
  if (shares.empty()) return "";
  const RankGradients& sums = *counted(cell.trials).front().ranks->gradients;
  const std::string what = sums.step_bytes == 0 ? "ranks wait for each other and for the emulated ring"
                                                : fmt::format("{} in {} per step", size_words(sums.step_bytes),
                                                              plural(sums.buckets, "bucket"));
  std::string text = fmt::format(
      "{}, {}: gradients hold up the step for {} of the time ({}): {} on the rank that waits least, the rest for "
      "slower ranks.\n",
      cell.cell.workload, loader_text(*cell.cell.loader, cell.cell.workers), percent(estimate_of_mean(shares)), what,
      percent(estimate_of_mean(of_all_trials(cell, &TrialRanks::least_gradient_share))));
  // A fault in a pilot is a fault too, so all trials count.
  const auto differ = std::ranges::count_if(
      cell.trials, [](const Trial& trial) { return trial.ranks->same_weights() == std::optional(false); });
  if (differ > 0) {
    text += fmt::format(
        "{}, {}: ranks ended {} of {} with different weights: they do not train one model, perhaps because their CPUs "
        "differ.\n",
        cell.cell.workload, loader_text(*cell.cell.loader, cell.cell.workers), differ,
        plural(cell.trials.size(), "trial"));
  }
  return text;
}

// Whether each sample appeared once, over all trials of all cells that have a loader.
std::string coverage_text(const Result& result) {
  RankCoverage all;
  bool looked = false;
  for (const CellResult& cell : result.cells) {
    for (const Trial& trial : cell.trials) {
      if (!trial.ranks || !trial.ranks->coverage) continue;
      const RankCoverage& one = *trial.ranks->coverage;
      looked = true;
      all.proved_epochs += one.proved_epochs;
      all.wrong_epochs += one.wrong_epochs;
      all.partial_epochs += one.partial_epochs;
    }
  }
  if (!looked) return "";
  if (all.wrong_epochs > 0) {
    return fmt::format("Ranks did not read each sample exactly once in {} of {} that they completed.\n",
                       all.wrong_epochs, plural(all.wrong_epochs + all.proved_epochs, "epoch"));
  }
  const std::string partial = all.partial_epochs == 0 ? ""
                                                      : fmt::format("; nothing is proved for {} read only in part",
                                                                    plural(all.partial_epochs, "epoch"));
  if (all.proved_epochs == 0) return "No trial completed an epoch, so nothing proves that each sample is read once.\n";
  return fmt::format("Ranks together read each sample exactly once in {} that they completed{}.\n",
                     all.proved_epochs == 1 ? "the one epoch" : fmt::format("all {} epochs", all.proved_epochs),
                     partial);
}

std::string rates_table(const Result& result, const CellResult& cell, std::size_t width) {
  std::vector<MeanShare> means = mean_shares(cell);
  const std::size_t all = means.size();
  if (all > kMostRanksShown) {
    std::ranges::partial_sort(means, means.begin() + kMostRanksShown, {}, &MeanShare::rate);
    means.resize(kMostRanksShown);
  }
  std::vector<Row> rows{{"rank", "host", "samples/s", "waits, %", "CPUs busy"}};
  for (const MeanShare& mean : means) {
    rows.push_back({fmt::format("{}", mean.rank), printable(result.ranks->places.at(mean.rank).host), rate(mean.rate),
                    fmt::format("{:.1f}", 100 * mean.wait), fmt::format("{:.2f}", mean.cpus)});
  }
  const TableShape shape{.left = {1}, .constant = {"host"}, .expendable = {"CPUs busy"}};
  const std::string which = all > kMostRanksShown
                                ? fmt::format("the slowest {} of {}", kMostRanksShown, plural(all, "rank"))
                                : plural(all, "rank");
  return fmt::format("{}, {}, means of {}\n{}", cell.cell.name(), which, plural(rates_of(cell).size(), "trial"),
                     fitted(rows, shape, width));
}

}  // namespace

std::string ranks_text(const Result& result) {
  if (!result.ranks) return "";
  const RunRanks& ranks = *result.ranks;
  std::string text =
      fmt::format("ranks: {} by {}, {}", ranks.places.size(), printable(ranks.launcher), printable(ranks.library));
  if (ranks.clock_error_seconds > 0) {
    text += fmt::format(", their clocks within {}", duration(ranks.clock_error_seconds));
  }
  return text + '\n' + places_text(ranks);
}

std::string stragglers_text(const Result& result, const Judgement& judgement) {
  std::string text;
  for (const std::size_t i : cells_of_ranks(result, judgement)) {
    const CellResult& cell = result.cells[i];
    std::vector<double> held;
    double skew = 0;
    for (const Trial& trial : counted(cell.trials)) {
      held.push_back(trial.ranks->held_share());
      skew = std::max(skew, trial.ranks->skew_seconds);
    }
    const std::string last = fmt::format("the last of {} to end", plural(cell.trials.front().rank_count(), "rank"));
    const Estimate share = estimate_of_mean(held);
    const std::string holds = share.ci95 && !telling_share(share)
                                  ? fmt::format("how long {} holds up the others is {}", last, kTooNoisy)
                                  : fmt::format("{} holds up the others for {} of the time", last, percent(share));
    text += fmt::format("{}, {}: {}, and {}; all started within {}.\n", cell.cell.workload,
                        loader_text(*cell.cell.loader, cell.cell.workers), holds, last_text(cell), duration(skew));
    text += gradients_text(cell);
  }
  return result.ranks ? text + coverage_text(result) : text;
}

std::string rank_rates_text(const Result& result, const Judgement& judgement, std::size_t width) {
  std::string text;
  for (const std::size_t i : cells_of_ranks(result, judgement)) {
    text += fmt::format("{}ranks: {}", text.empty() ? "" : "\n", rates_table(result, result.cells[i], width));
  }
  return text;
}

}  // namespace loadline
