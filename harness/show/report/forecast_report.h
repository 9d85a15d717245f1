// Forecasts as a page: the curve with its band, and the sentences about it. Pure functions, safe from any thread.
#pragma once

#include <span>
#include <string>

#include "harness/forecast/forecast.h"
#include "harness/show/report/page.h"
#include "harness/show/report/sections.h"

namespace loadline {

// One row per forecast and number of ranks, and where its storage saturates.
Section forecast_section(std::span<const Forecast> forecasts);

// One self-contained file, like that of report_html().
std::string forecast_html(std::span<const Forecast> forecasts, const ForecastRequest& request,
                          const Page& page = embedded_page());

}  // namespace loadline
