// The report of training runs: the outcome of each epoch, for one run or several overlaid. Pure functions, safe from
// any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/training.h"
#include "harness/show/report/page.h"
#include "harness/show/report/sections.h"

namespace loadline {

// Loss, accuracy, time, waiting and, where the trainer reports them, stages by epoch. Only the sections that have
// rows.
std::vector<Section> training_sections(std::span<const TrainingResult> runs);

// "mnist, thread-pool x 2, 3 epochs: 1.2 % of the time went into waiting for data.", and other remarks.
std::vector<std::string> training_sentences(const TrainingResult& run);

// One self-contained file, like that of report_html(). Without a `title` it is titled by the run.
std::string training_html(std::span<const TrainingResult> runs, const Page& page = embedded_page(),
                          std::string_view title = "");
std::string training_markdown(std::span<const TrainingResult> runs, std::string_view title = "");
// One row per epoch, as exact as they were measured; absent values are empty.
std::string training_csv(std::span<const TrainingResult> runs);

}  // namespace loadline
