// Forecasts as a page: the curve with its band, and what is said of it. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>

#include "harness/forecast/forecast.h"
#include "harness/show/report/page.h"
#include "harness/show/report/sections.h"

namespace loadline {

// A row a forecast and number of ranks, with where its storage saturates.
Section forecast_section(std::span<const Forecast> forecasts);

// One file that fetches nothing, as report_html() makes it.
std::string forecast_html(std::span<const Forecast> forecasts, const ForecastRequest& request,
                          const Page& page = embedded_page());

}  // namespace loadline
