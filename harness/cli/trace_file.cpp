#include "harness/cli/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/cli/screen.h"
#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/judge/statistics.h"
#include "harness/measure/run_traced.h"
#include "harness/measure/trace.h"
#include "harness/show/columns.h"
#include "harness/show/trace_text.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

// The largest acceptable slowdown of a traced trial.
constexpr double kMostSlower = 0.05;

std::optional<Summary> counted_rates(const CellResult& cell) {
  const auto rates = rates_of(cell);
  return rates.empty() ? std::nullopt : std::optional(summarize(rates));
}

std::string lost_slices_text(const TraceText& text) {
  std::uint64_t lost = 0;
  std::uint64_t kept = 0;
  for (const TraceFacts& facts : text.facts()) {
    lost += facts.lost;
    kept += facts.slices;
  }
  if (lost == 0) return "";
  return fmt::format(
      "trace: {} of {} slices did not fit, the last ones of each trial; shorter trials (--trial-seconds) or fewer "
      "(--trace-trials, --filter) keep more of them\n",
      lost, kept + lost);
}

// One line per cell whose traced trials were slower on average than the counted ones by more than tracing may cost.
std::string slow_text(const TraceText& text, const Result& result) {
  std::string slow;
  for (const CellResult& cell : result.cells) {
    std::vector<double> rates;
    for (const TraceFacts& facts : text.facts()) {
      if (facts.cell == cell.cell.name()) rates.push_back(facts.samples_per_second);
    }
    const auto counted = counted_rates(cell);
    if (rates.empty() || !counted) continue;
    const double slower = 1 - summarize(rates).mean / counted->mean;
    if (slower <= kMostSlower) continue;
    const std::string vary =
        counted->stddev ? fmt::format(", which themselves vary by {:.1f} %", 100 * *counted->stddev / counted->mean)
                        : "";
    slow += fmt::format("trace: {} ran {:.1f} % slower than in its {}{}\n", cell.cell.name(), 100 * slower,
                        plural(cell.trials.size(), "counted trial"), vary);
  }
  return slow;
}

}  // namespace

TraceFile::TraceFile(const std::string& path, const OutputRules& rules) : path_(path) {
  if (path.empty() || names_stdout(path)) throw usage_error(fmt::format("--trace: want a file, got '{}'", path));
  path_ = end_of_links("write", path_).string();
  { const AtomicFile probe(path_); }
  check_output(path_, rules);
}

bool TraceFile::measure_and_write(std::size_t trials, Result& result, RunContext& context, Progress& progress,
                                  bool quiet) const {
  progress.milestone(fmt::format("tracing {} of each cell", plural(trials, "trial")));
  AtomicFile file(path_);
  TraceText text([&file](std::string_view piece) { file.write(piece); }, context.start);
  const TraceOptions options{
      .trials = trials,
      .begins = [&](const CellResult& cell) { progress.status(fmt::format("tracing {}", cell.cell.name())); },
      .take =
          [&](TrialTrace& trace, const CellResult& cell) {
            const auto counted = counted_rates(cell);
            text.add(trace, counted ? std::optional(counted->mean) : std::nullopt);
          }};
  const TraceOutcome outcome = run_traced(options, result, context);
  progress.clear();
  if (!outcome.done) return false;
  if (outcome.without_time > 0 && !quiet) {
    put_text(stderr, fmt::format("trace: the time limit leaves no time for {} of {}\n", outcome.without_time,
                                 plural(outcome.cells, "cell")));
  }
  const bool any = !text.facts().empty();
  if (any) {
    text.finish({{"tool", fmt::format("loadline {}", result.environment.build.version)},
                 {"run_id", result.run_id},
                 {"time", "microseconds since the run began"}});
    file.commit();
    if (!quiet) put_text(stderr, lost_slices_text(text) + slow_text(text, result));
  }
  if (!outcome.failures.empty()) throw Error(outcome.failures.front());
  return any;
}

}  // namespace loadline
