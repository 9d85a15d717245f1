#include "harness/result/run_series.h"

#include <fmt/format.h>

#include "loaders/json/document.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

std::vector<std::optional<double>> values_of_series(const JsonReader& list) {
  std::vector<std::optional<double>> values;
  list.each_item([&](const JsonReader& item, std::size_t /*index*/) {
    values.push_back(item.kind() == JsonKind::kNull ? std::nullopt : std::optional(item.as_number()));
  });
  return values;
}

void read_monitor(JsonReader& monitor, RunSeries& series) {
  monitor.member("times_seconds").each_item([&](const JsonReader& time, std::size_t /*index*/) {
    series.times_seconds.push_back(time.as_number());
  });
  monitor.member("series").each_item([&](JsonReader& item, std::size_t /*index*/) {
    MonitorSeries one{.name = printable(item.member("name").as_text())};
    const JsonReader of = item.member("of");
    if (of.kind() != JsonKind::kNull) one.of = printable(of.as_text());
    one.unit = printable(item.member("unit").as_text());
    const JsonReader values = item.member("values");
    one.values = values_of_series(values);
    if (one.values.size() != series.times_seconds.size()) {
      throw values.error(
          fmt::format("want {} values, one for each time, got {}", series.times_seconds.size(), one.values.size()));
    }
    series.monitor.push_back(std::move(one));
  });
}

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
  if (auto monitor = top.find("monitor"); monitor && monitor->kind() != JsonKind::kNull) read_monitor(*monitor, series);
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
