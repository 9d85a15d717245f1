#include "harness/show/report/forecast_report.h"

#include <fmt/format.h>

#include <string_view>

#include "harness/show/forecast_text.h"
#include "harness/show/report/html.h"

namespace loadline {
namespace {

Datum count_or_nothing(const std::optional<std::size_t>& count) {
  return count ? Datum(static_cast<double>(*count)) : Datum();
}

// A separate line. Only the closed form says what holds ranks back and what storage delivers.
void add_simulated(DataTable& table, const Forecast& forecast) {
  for (std::size_t i = 0; i < forecast.points.size(); ++i) {
    const ForecastPoint& point = forecast.points[i];
    const SimulatedPoint& simulated = forecast.simulated->points[i];
    table.rows.push_back({forecast.source + ", simulated", forecast.basis.name, static_cast<double>(point.ranks),
                          static_cast<double>(point.nodes), simulated.samples_per_second, simulated.low_per_second,
                          simulated.high_per_second, Datum(), simulated.utilisation, Datum(), Datum(),
                          count_or_nothing(forecast.simulated->saturating_ranks)});
  }
}

}  // namespace

Section forecast_section(std::span<const Forecast> forecasts) {
  Section section{
      .id = "forecast",
      .title = "Forecast",
      .reading =
          "Samples per second of all ranks together. The band is no confidence interval: it combines the ends of the "
          "measured intervals with the best and the worst case of what is not known; a simulation's band spans its "
          "lowest and highest seed. The vertical line is where storage saturates."};
  section.table.columns = {{"name", "of"},
                           {"cell", "configuration"},
                           {"ranks", "ranks", Figure::kCount},
                           {"nodes", "nodes", Figure::kCount},
                           {"mean", "samples/s", Figure::kRate},
                           {"low", "low end", Figure::kRate},
                           {"high", "high end", Figure::kRate},
                           {"efficiency", "efficiency", Figure::kShare},
                           {"utilisation", "AU", Figure::kShare},
                           {"limit", "limit"},
                           {"storage", "storage, bytes/s", Figure::kRate},
                           {"saturates", "ranks that saturate storage", Figure::kCount}};
  for (const Forecast& forecast : forecasts) {
    for (const ForecastPoint& point : forecast.points) {
      section.table.rows.push_back({forecast.source, forecast.basis.name, static_cast<double>(point.ranks),
                                    static_cast<double>(point.nodes), point.samples_per_second, point.low_per_second,
                                    point.high_per_second, point.efficiency, point.utilisation,
                                    std::string(name(point.rank.limit)), point.storage_bytes_per_second,
                                    count_or_nothing(forecast.saturating_ranks)});
    }
    if (forecast.simulated) add_simulated(section.table, forecast);
  }
  section.table = without_empty_columns(section.table);
  return section;
}

std::string forecast_html(std::span<const Forecast> forecasts, const ForecastRequest& request, const Page& page) {
  std::string html = page_beginning("loadline forecast", page);
  html += "<section id=\"verdict\">\n<h2>What follows</h2>\n";
  for (const std::string& sentence : forecast_sentences(forecasts, request)) html += paragraph("sentence", sentence);
  html += "</section>\n";
  html += section_html(forecast_section(forecasts), !page.libraries.empty());
  return html + page_end(page);
}

}  // namespace loadline
