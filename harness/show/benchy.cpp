#include "harness/show/benchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/file/json/record.h"
#include "harness/judge/statistics.h"
#include "harness/result/counted.h"
#include "loaders/error.h"

namespace loadline {

// The trials of one mode that count.
struct BenchyMode {
  std::string_view name;
  std::vector<double> throughput;  // samples per second, of all ranks
  std::vector<double> seconds;
};

void fields(RecordWriter& json, const BenchyMode& mode) {
  const std::size_t trials = mode.throughput.size();
  json("rates", std::vector<std::vector<double>>(trials));
  json("avg_iter_throughput", std::vector<std::optional<double>>(trials));
  json("trial_throughput", mode.throughput);
  json("trial_time", mode.seconds);
}

namespace {

// The cells of one loader: those of the first headline, or the first SYNTHETIC where no loader was run.
std::vector<const CellResult*> chosen_cells(const Result& result, const Judgement& judgement) {
  std::vector<const CellResult*> cells;
  const auto add = [&](std::optional<std::size_t> cell) {
    if (cell && !counted(result.cells[*cell].trials).empty()) cells.push_back(&result.cells[*cell]);
  };
  if (!judgement.headlines.empty()) {
    const Configuration& best = judgement.configurations[judgement.headlines.front().configuration];
    for (const auto cell : {best.io, best.synthetic, best.full}) add(cell);
    return cells;
  }
  for (std::size_t i = 0; i < result.cells.size() && cells.empty(); ++i) {
    if (result.cells[i].cell.mode == Mode::kSynthetic) add(i);
  }
  if (cells.empty()) throw Error("benchy knows only IO, SYNTHETIC and FULL trials, and this result has none of these");
  return cells;
}

std::vector<BenchyMode> modes_of(const std::vector<const CellResult*>& cells) {
  std::vector<BenchyMode> modes;
  for (const CellResult* cell : cells) {
    BenchyMode mode{.name = name(cell->cell.mode), .throughput = {}, .seconds = {}};
    const auto ranks = static_cast<double>(cell->cell.sampler.world_size);
    for (const Trial& trial : counted(cell->trials)) {
      // Some trials are of all ranks already.
      mode.throughput.push_back(ranks / static_cast<double>(trial.rank_count()) * trial.samples_per_second());
      mode.seconds.push_back(trial.wall_seconds);
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

double population_deviation(const Moments& moments) {
  const auto count = static_cast<double>(moments.count());
  return std::sqrt(moments.variance().value_or(0) * (count - 1) / count);
}

}  // namespace

std::string benchy_json(const Result& result, const Judgement& judgement) {
  const auto cells = chosen_cells(result, judgement);
  RecordWriter json;
  json("nranks", cells.front()->cell.sampler.world_size);
  for (const BenchyMode& mode : modes_of(cells)) json(mode.name, mode);
  return json.take().dump() + '\n';
}

std::string benchy_summary(const Result& result, const Judgement& judgement) {
  std::string text;
  for (const BenchyMode& mode : modes_of(chosen_cells(result, judgement))) {
    Moments moments;
    for (const double rate : mode.throughput) moments.add(rate);
    // benchy has a space only before SYNTHETIC.
    text += fmt::format("BENCHY::SUMMARY::{}{} average trial throughput: {:.3f} +/- {:.3f}\n",
                        mode.name == name(Mode::kSynthetic) ? " " : "", mode.name, moments.mean(),
                        population_deviation(moments));
  }
  return text;
}

}  // namespace loadline
