// Forecasts for people, and for spreadsheets. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>

#include "harness/forecast/forecast.h"
#include "harness/show/wrap.h"

namespace loadline {

// What each forecast rests on, its curve, where storage saturates, what was searched for, which of several is ahead,
// and what the model leaves out.
std::string forecast_text(std::span<const Forecast> forecasts, const ForecastRequest& request,
                          std::size_t width = kUnlimited);

// A header, and a line a forecast and number of ranks.
std::string forecast_csv(std::span<const Forecast> forecasts);

}  // namespace loadline
