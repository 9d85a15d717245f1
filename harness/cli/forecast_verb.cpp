#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/cli/screen.h"
#include "harness/cli/verbs.h"
#include "harness/file/forecast_json.h"
#include "harness/file/result_reader.h"
#include "harness/forecast/forecast.h"
#include "harness/forecast/simgrid.h"
#include "harness/judge/judgement.h"
#include "harness/show/forecast_text.h"
#include "harness/show/report/forecast_report.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

struct ForecastFormat {
  std::string_view name;
  std::string (*make)(std::span<const Forecast> forecasts, const ForecastRequest& request, std::size_t width);
};

constexpr std::array kForecastFormats{
    ForecastFormat{"text", [](std::span<const Forecast> forecasts, const ForecastRequest& request,
                              std::size_t width) { return wrapped(forecast_text(forecasts, request, width), width); }},
    ForecastFormat{"csv", [](std::span<const Forecast> forecasts, const ForecastRequest&,
                             std::size_t) { return forecast_csv(forecasts); }},
    ForecastFormat{"json", [](std::span<const Forecast> forecasts, const ForecastRequest& request,
                              std::size_t) { return forecast_json(forecasts, request); }},
    ForecastFormat{"html", [](std::span<const Forecast> forecasts, const ForecastRequest& request, std::size_t) {
                     return forecast_html(forecasts, request);
                   }}};

const ForecastFormat& format_of(const ForecastVerbRequest& request) {
  if (!request.format.empty()) return row_named(kForecastFormats, "--format", request.format);
  const std::string suffix = std::filesystem::path(request.output).extension().string();
  const auto named = std::ranges::find_if(
      kForecastFormats, [&](const ForecastFormat& one) { return suffix == "." + std::string(one.name); });
  return named == kForecastFormats.end() ? kForecastFormats.front() : *named;
}

Basis with_overrides(Basis basis, const ForecastVerbRequest& request) {
  if (request.sample_bytes) {
    basis.bytes_per_sample = *request.sample_bytes;
    check_sample_fits("--sample-bytes", basis);
  }
  if (request.sample_requests) basis.requests_per_sample = *request.sample_requests;
  if (request.gradient_bytes) basis.gradient_bytes = *request.gradient_bytes;
  return basis;
}

std::vector<Forecast> forecasts_of(const ForecastVerbRequest& request) {
  std::vector<Forecast> forecasts;
  std::unique_ptr<Simulator> simulator;
  if (request.forecast.seeds > 0) simulator = make_simgrid("--simulate");
  for (const std::string& path : request.results) {
    const Result result = load_result(path);
    const Basis basis = basis_of(result, judge_run(result), request.cell, path);
    forecasts.push_back(make_forecast(path, with_overrides(basis, request), request.forecast, simulator.get()));
  }
  for (const std::string& figures : request.figures) {
    const Basis basis = basis_of_figures("--figures", figures);
    forecasts.push_back(make_forecast("figures", with_overrides(basis, request), request.forecast, simulator.get()));
  }
  return forecasts;
}

}  // namespace

int forecast_verb(const ForecastVerbRequest& request) {
  if (request.results.empty() && request.figures.empty()) {
    throw usage_error("forecast: want a result, or --figures printed by another tool");
  }
  const ForecastFormat& format = format_of(request);
  if (!request.forecast.find.empty()) row_named(forecast_finds(), "--find", request.forecast.find);
  const ResultFile file(request.output.empty() ? "-" : request.output,
                        {.kind = OutputRules::Kind::kText,
                         .overwrite = request.overwrite,
                         .inputs = {request.results.begin(), request.results.end()}});
  const std::size_t width = file.to_stdout() ? width_of(stdout) : kUnlimited;
  file.finish(format.make(forecasts_of(request), request.forecast, width));
  return kExitOk;
}

}  // namespace loadline
