#include "harness/show/recording_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

std::string batches_text(std::size_t batches) {
  return batches == 1 ? "1 batch" : fmt::format("{} batches", batches);
}

std::string heading(const Recording& job) {
  std::string text = fmt::format("recorded: {} on {}", loader_text(job.loader, job.workers),
                                 job.hostname.empty() ? "an unknown host" : job.hostname);
  if (job.cpu_model)
    text += fmt::format(" ({}, {})", *job.cpu_model, plural(job.threads_in_force, "CPU") + " in force");
  for (const auto& [name, version] : job.versions) text += fmt::format(", {} {}", name, version);
  text += fmt::format("\n{}{}: {} in {}", job.started, job.complete ? "" : ", stopped early", batches_text(job.batches),
                      job.epochs == 1 ? "1 pass" : fmt::format("{} passes", job.epochs));
  return text;
}

std::string percent_of(double seconds, double all) {
  return fmt::format("{:.1f}", all > 0 ? 100 * seconds / all : 0);
}

// At least two digits: "47.6 s", "450 ms".
std::string total_text(double seconds) {
  constexpr double kLeastOfSeconds = 0.995;  // from here on tenths of seconds have two digits
  return seconds < kLeastOfSeconds ? duration(seconds) : time_text(seconds);
}

std::string times_table(const Recording& job, std::size_t width) {
  const double all = job.wait.total_seconds + job.step.total_seconds;
  std::vector<Row> rows{{"per batch", "total", "% of time", "p50", "p95", "p99", "max"}};
  const auto add = [&](std::string_view what, const RecordedTimes& times) {
    rows.push_back({std::string(what), total_text(times.total_seconds), percent_of(times.total_seconds, all),
                    duration(times.p50_seconds), duration(times.p95_seconds), duration(times.p99_seconds),
                    duration(times.max_seconds)});
  };
  add("waits", job.wait);
  add("steps", job.step);
  return fitted(rows, {.left = {0}, .constant = {}, .expendable = {"p95", "total"}}, width);
}

std::string course_table(const RecordedJudgement& judgement, std::size_t width) {
  constexpr double kBarColumns = 40;
  std::vector<Row> rows{{"part", "batches", "waits %", ""}};
  for (std::size_t i = 0; i < judgement.parts.size(); ++i) {
    const RecordedPart& part = judgement.parts[i];
    rows.push_back({fmt::format("{}", i + 1), fmt::format("{}", part.batches),
                    fmt::format("{:.1f}", 100 * part.stall()),
                    std::string(static_cast<std::size_t>(std::lround(kBarColumns * part.stall())), '#')});
  }
  return "waiting over time, in parts of about equal length\n" +
         fitted(rows, {.left = {3}, .constant = {}, .expendable = {""}}, width);
}

}  // namespace

std::string recording_text(const Recording& job, const RecordedJudgement& judgement, const std::string& source,
                           std::size_t width) {
  std::string text = heading(job);
  if (job.samples && job.wall_seconds > 0) {
    text += fmt::format(", {} samples/s", rate(static_cast<double>(*job.samples) / job.wall_seconds));
  }
  text += '\n';
  if (job.batches > 0) {
    text += '\n' + times_table(job, width);
    if (judgement.parts.size() > 1) text += '\n' + course_table(judgement, width);
  }
  text += fmt::format("\n{}\n", judgement.sentence);
  for (const RecordedNeighbour& other : job.neighbours) {
    text += fmt::format("The job also iterated over {}: {}, {} of waiting and {} of steps.\n", other.loader,
                        batches_text(other.batches), duration(other.wait_seconds), duration(other.step_seconds));
  }
  if (job.batches > 0) {
    text += fmt::format(
        "\nto see what these steps would gain from another loader:\n  loadline run --compute replay:file={}\n",
        printable(source));
  }
  return text;
}

}  // namespace loadline
