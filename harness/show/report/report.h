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

// One HTML file that needs no other file and no network. Without the libraries of `page` it has tables but no charts,
// and says so. Without a `title` it is titled by workload, host and date.
std::string report_html(std::span<const Result> results, std::span<const Judgement> judgements,
                        const Page& page = embedded_page(), std::string_view title = "");

// Verdict and tables in the Markdown of code hosts; only of the best configurations if there are many.
std::string report_markdown(std::span<const Result> results, std::span<const Judgement> judgements,
                            std::string_view title = "");

// What `loadline run` prints, run by run; after several runs, the walk from the first to the last. With tables of at
// most `width` columns.
std::string report_text(std::span<const Result> results, std::span<const Judgement> judgements,
                        std::size_t width = kUnlimited);

// A long table in RFC 4180, one row per trial, for pandas, R and spreadsheets. Numbers are as exact as they were
// measured; absent ones are empty.
std::string report_csv(std::span<const Result> results);

}  // namespace loadline
