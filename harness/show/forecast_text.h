// Forecasts as text, and for spreadsheets. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/forecast/forecast.h"
#include "harness/show/wrap.h"

namespace loadline {

// What each forecast rests on, its curve, where storage saturates, what was searched for, which of several is ahead,
// and what the model leaves out.
std::string forecast_text(std::span<const Forecast> forecasts, const ForecastRequest& request,
                          std::size_t width = kUnlimited);

// The sentences below the curves: where storage saturates, what was searched for, which forecast is ahead, what is
// left out.
std::vector<std::string> forecast_sentences(std::span<const Forecast> forecasts, const ForecastRequest& request);

// A header, and one line per forecast and number of ranks.
std::string forecast_csv(std::span<const Forecast> forecasts);

}  // namespace loadline
