// The report of a scaling study. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/scaling_study.h"
#include "harness/show/report/page.h"
#include "harness/show/report/sections.h"

namespace loadline {

// Throughput over ranks with the laws that describe it, and what a rank loses time to.
std::vector<Section> scaling_sections(const ScalingStudy& study);

// One self-contained file, like that of report_html().
std::string scaling_html(const ScalingStudy& study, const Page& page = embedded_page(), std::string_view title = "");
std::string scaling_markdown(const ScalingStudy& study, std::string_view title = "");
// One row for each configuration and number of ranks, as exact as they were measured; absent values are empty.
std::string scaling_csv(const ScalingStudy& study);

}  // namespace loadline
