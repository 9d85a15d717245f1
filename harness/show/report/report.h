// The report of one or several results: the verdict, then figures. Pure functions, safe from any thread. Each throws
// Error unless there is a judgement for each result.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/report/page.h"
#include "harness/show/wrap.h"

namespace loadline {

// One HTML file that needs no other and no network. Without the libraries of `page` it has tables and no charts, and
// says so. Without a `title` it is named by workload, host and date.
std::string report_html(std::span<const Result> results, std::span<const Judgement> judgements,
                        const Page& page = embedded_page(), std::string_view title = "");

// Verdict and tables in the Markdown of code hosts, of the best configurations only where there are many.
std::string report_markdown(std::span<const Result> results, std::span<const Judgement> judgements,
                            std::string_view title = "");

// What `loadline run` prints, run by run, its tables in at most `width` columns.
std::string report_text(std::span<const Result> results, std::span<const Judgement> judgements,
                        std::size_t width = kUnlimited);

// A long table after RFC 4180, a row a trial, for pandas, R and spreadsheets. Numbers are as exact as they were
// measured; what is missing is empty.
std::string report_csv(std::span<const Result> results);

}  // namespace loadline
