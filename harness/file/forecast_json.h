// Forecasts as JSON text. docs/forecast.md documents every field.
#pragma once

#include <span>
#include <string>

#include "harness/forecast/forecast.h"

namespace loadline {

inline constexpr int kForecastSchemaVersion = 1;

// All forecasts with their assumptions, indented. Numbers are finite; what is missing is null.
std::string forecast_json(std::span<const Forecast> forecasts, const ForecastRequest& request);

}  // namespace loadline
