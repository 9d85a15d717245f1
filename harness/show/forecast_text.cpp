#include "harness/show/forecast_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "harness/show/csv.h"
#include "harness/show/table.h"
#include "loaders/listed.h"
#include "loaders/names.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

std::string share_text(double share) {
  return fmt::format("{} %", plain_number(100 * share, 3));
}

// With three significant digits or more, since rows above and below may show a narrow band: rate() has one or two below
// 10, and whole numbers from 10 on.
std::string exact_rate(double per_second) {
  constexpr double kUp = 0.9995;  // of a power of ten, from where three digits round up to it
  constexpr std::array<std::pair<double, std::string_view>, 4> kUnits{{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}}};
  if (per_second <= 0) return rate(per_second);
  const auto& [size, suffix] =
      *std::find_if(kUnits.begin(), kUnits.end() - 1, [&](const auto& unit) { return per_second / unit.first >= kUp; });
  const double value = per_second / size;
  const int leading = static_cast<int>(std::floor(std::log10(value / kUp)));
  return fmt::format("{}{}", fixed_number(value, std::max(0, 2 - leading)), suffix);
}

std::string exact_rate(const Estimate& per_second) {
  return per_second.ci95 ? rate(per_second) : exact_rate(per_second.value);
}

template <typename Point>
std::string banded(const Point& point) {
  const bool wide = point.high_per_second > point.low_per_second;
  return exact_rate(
      Estimate{point.samples_per_second,
               wide ? std::optional(Interval{point.low_per_second, point.high_per_second}) : std::nullopt});
}

std::string basis_text(const Forecast& forecast) {
  const Basis& basis = forecast.basis;
  std::string text = fmt::format("{}: {}{}\n", printable(forecast.source), printable(basis.name),
                                 basis.choice.empty() ? "" : fmt::format(", {}; --cell names another", basis.choice));
  const double load = basis.load_per_second.value;
  const double step = basis.step_per_second.value;
  const double together = basis.coupling() * basis.side_by_side(load, step) / std::min(load, step);
  text += fmt::format("one rank: loading {} samples/s, the step {} samples/s, together {} of the lower of the two\n",
                      exact_rate(basis.load_per_second), exact_rate(basis.step_per_second), share_text(together));
  for (const auto& [what, slower] :
       {std::pair("loading", basis.slower_load_per_second), std::pair("the step", basis.slower_step_per_second)}) {
    if (!slower) continue;
    text += fmt::format("{} alone gave {} samples/s, less than with the other in FULL, so the rate of FULL counts\n",
                        what, exact_rate(*slower));
  }
  const std::string bytes = basis.bytes_per_sample > 0 ? rate(basis.bytes_per_sample) : "an unknown number of";
  text += fmt::format("per sample: {} bytes, {} request{}", bytes, plain_number(basis.requests_per_sample, 4),
                      basis.requests_per_sample == 1 ? "" : "s");
  if (basis.gradient_bytes > 0) text += fmt::format("; gradients: {} bytes", rate(basis.gradient_bytes));
  return text + "\n";
}

// "compute", "compute (latency 33 %)".
std::string limit_text(const RankRates& rank) {
  if (!rank.second) return std::string(name(rank.limit));
  return fmt::format("{} ({} {:.0f} %)", name(rank.limit), name(*rank.second), 100 * rank.second_share);
}

Row header_of(const Forecast& forecast) {
  Row row{"ranks", "nodes", "samples/s", "efficiency", "AU", "limit", "storage, bytes/s"};
  const ForecastPoint& first = forecast.points.front();
  if (forecast.simulated) row.insert(row.begin() + 3, "simulated");
  if (first.epochs.size() > 1) {
    for (std::size_t epoch = 1; epoch <= first.epochs.size(); ++epoch) row.push_back(fmt::format("epoch {}", epoch));
  }
  if (first.staging_seconds) row.emplace_back("staging");
  return row;
}

// The epochs of the simulation, where there is one.
Row row_of(const Forecast& forecast, std::size_t index) {
  const ForecastPoint& point = forecast.points[index];
  const SimulatedPoint* const simulated = forecast.simulated ? &forecast.simulated->points[index] : nullptr;
  Row row{fmt::format("{}", point.ranks),
          fmt::format("{}", point.nodes),
          banded(point),
          share_text(point.efficiency),
          share_text(point.utilisation),
          limit_text(point.rank),
          point.storage_bytes_per_second > 0 ? rate(point.storage_bytes_per_second) : "-"};
  if (simulated != nullptr) row.insert(row.begin() + 3, banded(*simulated));
  if (point.epochs.size() > 1) {
    for (const double per_second : simulated == nullptr ? point.epochs : simulated->epochs) {
      row.push_back(exact_rate(per_second));
    }
  }
  if (point.staging_seconds) row.push_back(duration(*point.staging_seconds));
  return row;
}

// `storage`: the beginning of the sentence, which says what it rests on.
std::string saturation_text(std::string_view storage, std::size_t ranks, const System& system) {
  return fmt::format("{} saturates at {} ({}), as long as no page cache holds a sample.", storage,
                     plural(ranks, "rank"), plural(system.nodes_for(ranks), "node"));
}

// Four digits, as amount_text() shows them, rounded up: a storage that has less would not do. What the search for the
// amount leaves open does not count.
double rounded_up(double amount) {
  constexpr double kLeftOpen = 0.01;  // of the last digit
  if (amount <= 0) return amount;
  const double place = std::pow(10, std::floor(std::log10(amount)) - 3);
  return std::ceil(amount / place - kLeftOpen) * place;
}

std::string_view needs(std::size_t count) {
  return count == 1 ? "needs" : "need";
}

std::string_view keeps(std::size_t count) {
  return count == 1 ? "keeps" : "keep";
}

std::string found_text(const ForecastFound& found, const Basis& basis, const System& system) {
  const std::string kept = fmt::format("AU {:.4g} % or more", 100 * found.utilisation);
  if (found.kind == "nodes") {
    if (!found.value) return fmt::format("nodes: not even one node keeps {}.", kept);
    const auto nodes = static_cast<std::size_t>(*found.value);
    if (found.unlimited) {
      return fmt::format("nodes: {} {} {}; more were not tried.", plural(nodes, "node"), keeps(nodes), kept);
    }
    return fmt::format("nodes: {} ({}) {} {}.", plural(nodes, "node"), plural(nodes * system.ranks_of_node, "rank"),
                       keeps(nodes), kept);
  }
  const ForecastFind& kind = row_named(forecast_finds(), "--find", found.kind);
  const std::string at = plural(found.ranks, "rank");
  if (!found.value) {
    return fmt::format("{}: with {} no value keeps {}: something else limits them.", found.kind, at, kept);
  }
  const std::string value = found.kind == "latency"
                                ? duration_at_most(*found.value)
                                : fmt::format("{} {}", amount_text(rounded_up(*found.value)), kind.unit);
  const bool replaces = found.kind == "latency" && basis.from_storage && basis.read_seconds_per_sample > 0;
  return fmt::format("{}: {} {} {} {} to keep {}{}.", found.kind, at, needs(found.ranks),
                     kind.largest ? "at most" : "at least", value, kept,
                     replaces ? "; it replaces the measured reading time" : "");
}

std::string simulation_text(const ForecastRequest& request) {
  return fmt::format("Simulated with SimGrid: means of {}, and the lowest and the highest of them where they differ{}.",
                     plural(request.seeds, "seed"), request.epochs > 1 ? "; epochs are the simulated ones" : "");
}

// What follows from its curve, one sentence each.
std::vector<std::string> findings_of(const Forecast& forecast, const ForecastRequest& request) {
  std::vector<std::string> sentences;
  if (forecast.saturating_ranks)
    sentences.push_back(saturation_text("Storage", *forecast.saturating_ranks, request.system));
  if (forecast.found) sentences.push_back(found_text(*forecast.found, forecast.basis, request.system));
  if (forecast.simulated) {
    sentences.push_back(simulation_text(request));
    const SimulatedForecast& simulated = *forecast.simulated;
    if (simulated.saturating_ranks) {
      sentences.push_back(saturation_text("By simulation, storage", *simulated.saturating_ranks, request.system));
    }
    if (simulated.found)
      sentences.push_back("By simulation: " + found_text(*simulated.found, forecast.basis, request.system));
  }
  return sentences;
}

std::string one_text(const Forecast& forecast, const ForecastRequest& request, std::size_t width) {
  std::vector<Row> rows{header_of(forecast)};
  for (std::size_t i = 0; i < forecast.points.size(); ++i) rows.push_back(row_of(forecast, i));
  const std::size_t limit = forecast.simulated ? 6 : 5;
  std::string text =
      basis_text(forecast) +
      fitted(rows, {.left = {limit}, .constant = {}, .expendable = {"nodes", "storage, bytes/s", "efficiency"}}, width);
  for (const std::string& sentence : findings_of(forecast, request)) text += sentence + "\n";
  for (const std::string& sentence : left_out(forecast.basis, request.system, request.seeds > 0))
    text += sentence + "\n";
  return text;
}

std::string lead_text(const Lead& lead, std::span<const Forecast> forecasts) {
  const std::string where = lead.first_ranks == lead.last_ranks
                                ? fmt::format("At {}", plural(lead.first_ranks, "rank"))
                                : fmt::format("From {} to {} ranks", lead.first_ranks, lead.last_ranks);
  if (!lead.equal.empty()) {
    std::vector<std::string> names;
    for (const std::size_t one : lead.equal) names.push_back(printable(forecasts[one].source));
    return fmt::format("{} {} are equal within 0.5 %.", where, listed(names));
  }
  const std::string least = plain_number(lead.least_factor, 3);
  const std::string most = plain_number(lead.most_factor, 3);
  const std::string times = least == most ? least : fmt::format("{} to {}", least, most);
  const std::string ahead = printable(forecasts[lead.forecast].source);
  return lead.clear ? fmt::format("{} {} is ahead, {} times as fast as the next.", where, ahead, times)
                    : fmt::format("{} the bands overlap; by the likely values {} is {} times as fast as the next.",
                                  where, ahead, times);
}

}  // namespace

std::string forecast_text(std::span<const Forecast> forecasts, const ForecastRequest& request, std::size_t width) {
  std::string text;
  for (const Forecast& forecast : forecasts) {
    if (!text.empty()) text += "\n";
    text += one_text(forecast, request, width);
  }
  const std::vector<Lead> leads = leads_of(forecasts);
  if (!leads.empty()) text += "\n";
  for (const Lead& lead : leads) text += lead_text(lead, forecasts) + "\n";
  return text;
}

std::vector<std::string> forecast_sentences(std::span<const Forecast> forecasts, const ForecastRequest& request) {
  std::vector<std::string> sentences;
  for (const Forecast& forecast : forecasts) {
    const std::string whose = forecasts.size() > 1 ? forecast.source + ": " : "";
    for (const std::string& sentence : findings_of(forecast, request)) sentences.push_back(whose + sentence);
  }
  for (const Lead& lead : leads_of(forecasts)) sentences.push_back(lead_text(lead, forecasts));
  for (const Forecast& forecast : forecasts) {
    for (const std::string& sentence : left_out(forecast.basis, request.system, request.seeds > 0)) {
      if (std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(sentence);
    }
  }
  return sentences;
}

std::string forecast_csv(std::span<const Forecast> forecasts) {
  std::string text =
      csv_line({"source", "cell", "ranks", "nodes", "samples_per_second", "low_per_second", "high_per_second",
                "efficiency", "utilisation", "limit", "storage_bytes_per_second", "first_epoch_per_second",
                "staging_seconds", "simulated_per_second", "simulated_low_per_second", "simulated_high_per_second"});
  for (const Forecast& forecast : forecasts) {
    for (std::size_t i = 0; i < forecast.points.size(); ++i) {
      const ForecastPoint& point = forecast.points[i];
      const auto simulated = [&](double SimulatedPoint::*figure) {
        return forecast.simulated ? std::optional(forecast.simulated->points[i].*figure) : std::nullopt;
      };
      text += csv_line({csv_field(forecast.source), csv_field(forecast.basis.name), fmt::format("{}", point.ranks),
                        fmt::format("{}", point.nodes), csv_number(point.samples_per_second),
                        csv_number(point.low_per_second), csv_number(point.high_per_second),
                        csv_number(point.efficiency), csv_number(point.utilisation), csv_field(name(point.rank.limit)),
                        csv_number(point.storage_bytes_per_second), csv_number(point.epochs.front()),
                        csv_number(point.staging_seconds), csv_number(simulated(&SimulatedPoint::samples_per_second)),
                        csv_number(simulated(&SimulatedPoint::low_per_second)),
                        csv_number(simulated(&SimulatedPoint::high_per_second))});
    }
  }
  return text;
}

}  // namespace loadline
