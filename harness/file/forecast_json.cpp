#include "harness/file/forecast_json.h"

#include <optional>
#include <string>

#include "harness/file/json/record.h"
#include "harness/file/json/verdicts.h"

namespace loadline {
namespace {

std::optional<double> limit_or_none(double limit) {
  return limit > 0 ? std::optional(limit) : std::nullopt;
}

}  // namespace

void fields(RecordWriter& json, const SharedStorage& storage) {
  json("bytes_per_second", limit_or_none(storage.bytes_per_second));
  json("client_bytes_per_second", limit_or_none(storage.client_bytes_per_second));
  json("iops", limit_or_none(storage.iops));
  json("client_iops", limit_or_none(storage.client_iops));
  json("latency_seconds", storage.latency);
}

void fields(RecordWriter& json, const Network& network) {
  json("bytes_per_second", limit_or_none(network.bytes_per_second));
  json("latency_seconds", network.latency);
  json("overlap", network.overlap);
}

void fields(RecordWriter& json, const System& system) {
  json("storage", system.storage);
  json("network", system.network);
  json("ranks_of_node", system.ranks_of_node);
  json("node_cpus", limit_or_none(static_cast<double>(system.node_cpus)));
  json("node_memory_bytes", limit_or_none(system.node_memory));
  json("together", system.together);
}

void fields(RecordWriter& json, const Basis& basis) {
  json("name", basis.name);
  json("batch_size", basis.batch_size);
  json("workers", basis.workers);
  json("requests_in_flight", basis.in_flight);
  json("load_per_second", basis.load_per_second);
  json("step_per_second", basis.step_per_second);
  json("step_variation", basis.step_variation);
  json("together_per_second", basis.together_per_second);
  json("overlap", basis.overlap);
  json("coupling", basis.coupling());
  json("cpu_seconds_per_sample", basis.cpu_seconds_per_sample);
  json("bytes_per_sample", basis.bytes_per_sample);
  json("requests_per_sample", basis.requests_per_sample);
  json("dataset_bytes", basis.dataset_bytes);
  json("dataset_samples", basis.dataset_samples);
  json("gradient_bytes", basis.gradient_bytes);
}

void fields(RecordWriter& json, const ForecastPoint& point) {
  json("ranks", point.ranks);
  json("nodes", point.nodes);
  json("samples_per_second", point.samples_per_second);
  json("low_per_second", point.low_per_second);
  json("high_per_second", point.high_per_second);
  json("utilisation", point.utilisation);
  json("efficiency", point.efficiency);
  json("limit", name(point.rank.limit));
  const auto& second = point.rank.second;
  json("second_limit", second ? std::optional(std::string(name(*second))) : std::nullopt);
  json("second_share", second ? std::optional(point.rank.second_share) : std::nullopt);
  json("storage_bytes_per_second", point.storage_bytes_per_second);
  json("step_seconds", point.rank.step_seconds);
  json("straggler_seconds", point.rank.straggler_seconds);
  json("reduction_seconds", point.rank.reduction_seconds);
  json("epochs_per_second", point.epochs);
  json("staging_seconds", point.staging_seconds);
}

void fields(RecordWriter& json, const ForecastFound& found) {
  json("kind", found.kind);
  json("utilisation", found.utilisation);
  json("ranks", limit_or_none(static_cast<double>(found.ranks)));
  json("value", found.value);
  json("unlimited", found.unlimited);
}

void fields(RecordWriter& json, const SimulatedPoint& point) {
  json("samples_per_second", point.samples_per_second);
  json("low_per_second", point.low_per_second);
  json("high_per_second", point.high_per_second);
  json("utilisation", point.utilisation);
  json("waiting_share", point.waiting);
  json("held_share", point.held);
  json("median_step_seconds", point.median_step);
  json("p95_step_seconds", point.slow_step);
  json("epochs_per_second", point.epochs);
  json("staging_seconds", point.staging_seconds);
}

void fields(RecordWriter& json, const SimulatedForecast& simulated) {
  json("points", simulated.points);
  json("saturating_ranks", simulated.saturating_ranks);
  json("found", simulated.found);
}

void fields(RecordWriter& json, const Forecast& forecast) {
  json("source", forecast.source);
  json("basis", forecast.basis);
  json("points", forecast.points);
  json("saturating_ranks", forecast.saturating_ranks);
  json("found", forecast.found);
  json("simulated", forecast.simulated);
}

void fields(RecordWriter& json, const Lead& lead) {
  json("first_ranks", lead.first_ranks);
  json("last_ranks", lead.last_ranks);
  json("forecast", lead.forecast);
  json("equal", lead.equal);
  json("clear", lead.clear);
  json("least_factor", lead.least_factor);
  json("most_factor", lead.most_factor);
}

std::string forecast_json(std::span<const Forecast> forecasts, const ForecastRequest& request) {
  RecordWriter json;
  json("forecast_schema_version", kForecastSchemaVersion);
  json("system", request.system);
  json("seeds", request.seeds);
  json("forecasts", std::vector<Forecast>(forecasts.begin(), forecasts.end()));
  json("leads", leads_of(forecasts));
  std::vector<std::string> sentences;
  if (!forecasts.empty()) sentences = left_out(forecasts.front().basis, request.system, request.seeds > 0);
  json("left_out", sentences);
  return text_of(json.take(), 2) + "\n";
}

}  // namespace loadline
