#include "harness/result/run_series.h"

#include "loaders/json/document.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

std::vector<std::pair<std::string, double>> summed_stages(const JsonReader& stages) {
  std::vector<std::pair<std::string, double>> sums;
  stages.each_member([&](std::string_view stage, const JsonReader& workers) {
    double sum = 0;
    workers.each_item([&](const JsonReader& seconds, std::size_t /*index*/) { sum += seconds.as_number(); });
    sums.emplace_back(printable(stage), sum);
  });
  return sums;
}

}  // namespace

RunSeries run_series_of(std::string_view text, const std::string& source) {
  const JsonDocument document(text, source);
  JsonReader top(document);
  RunSeries series;
  top.member("cells").each_item([&](JsonReader& cell, std::size_t cell_index) {
    cell.member("trials").each_item([&](JsonReader& trial, std::size_t trial_index) {
      const auto stages = trial.find("loader_stages");
      if (!stages || stages->kind() == JsonKind::kNull) return;
      series.loader_stages[{cell_index, trial_index}] = summed_stages(*stages);
    });
  });
  return series;
}

}  // namespace loadline
