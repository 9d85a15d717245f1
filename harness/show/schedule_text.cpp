#include "harness/show/schedule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/result/counted.h"
#include "harness/result/memory_words.h"
#include "harness/result/merge_completeness.h"
#include "harness/show/columns.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// "5 trials each, about 19 s".
std::string extent_text(const Schedule& schedule) {
  const auto& [fewest, most] = schedule.trials;
  const bool limited = most < schedule.asked;
  std::string text = fewest < most ? fmt::format("{} to ", fewest) : "";
  text += limited ? fmt::format("{} of {}", most, plural(schedule.asked, "trial")) : plural(most, "trial");
  text += limited ? " each to fit the time limit" : " each";
  if (schedule.there > 0) text += fmt::format(", of which {} exist already", schedule.there);
  text += schedule.open_ended ? ", at least " : ", about ";
  if (fewest < most) text += time_text(schedule.fewest_seconds) + " to ";
  return text + time_text(schedule.most_seconds);
}

// "; the widest is mnist/IO/serial/batch:8 with ± 3.1 %", of the cells that were given up.
std::string widest_text(const Result& result, const Judgement& judgement) {
  double widest = 0;
  std::string name;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const auto& rate = judgement.cells[i].samples_per_second;
    if (result.cells[i].stopped != Stopped::kMaxTrials || !rate || !rate->ci95) continue;
    const double share = (rate->ci95->high - rate->ci95->low) / 2 / rate->mean;
    if (share < widest) continue;
    widest = share;
    name = result.cells[i].cell.name();
  }
  return name.empty() ? "" : fmt::format("; the widest is {} with ± {:.1f} %", name, 100 * widest);
}

// By how much a run passed its time limit, beyond what judging takes.
std::string late_text(const Result& result) {
  if (!result.options.time_limit || !result.process || result.status != Status::kComplete) return "";
  const double limit = *result.options.time_limit;
  const double late = result.process->wall_seconds - limit;
  if (late < std::max(1.0, 0.05 * limit)) return "";
  return fmt::format("time limit: passed by {}, because a trial that has begun is finished.\n", time_text(late));
}

// Of a merge that lacks shares.
std::string lacking_text(const Result& merged) {
  const std::string missing = missing_shares(merged);
  return missing.empty() ? "incomplete: shares of the sweep (--part) are missing"
                         : fmt::format("incomplete: of the sweep (--part), {}", missing);
}

}  // namespace

std::string scope_text(const Result& prepared, const Schedule& schedule) {
  std::string what = plural(prepared.cells.size(), "cell");
  if (!prepared.ceilings.empty()) what += fmt::format(" and {}", plural(prepared.ceilings.size(), "ceiling"));
  return what + ", " + extent_text(schedule);
}

std::string ceilings_scope_text(const Result& prepared, const Schedule& schedule) {
  return fmt::format("{}, {}", plural(prepared.ceilings.size(), "ceiling"), extent_text(schedule));
}

std::string stopped_text(const Result& result, const Judgement& judgement) {
  const auto count = [&](Stopped why) { return std::ranges::count(result.cells, why, &CellResult::stopped); };
  const std::string cells = plural(result.cells.size(), "cell");
  std::string text;
  if (const auto short_of_time = count(Stopped::kTimeLimit); short_of_time > 0) {
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const CellResult& cell : result.cells) {
      if (cell.stopped == Stopped::kTimeLimit) fewest = std::min(fewest, count_of(cell.trials));
    }
    text += fmt::format("time limit: {} of {} {} fewer trials than requested, the fewest {}{}.\n", short_of_time, cells,
                        short_of_time == 1 ? "has" : "have", fewest, result.resumable() ? "; --resume continues" : "");
  }
  text += late_text(result);
  const bool without_shares = lacks_shares(result);
  if (result.status == Status::kPartial && (text.empty() || without_shares)) {
    const auto has_trial = [&](const CellResult& cell) {
      return cell.cell.mode != Mode::kOverhead && !counted(cell.trials).empty();
    };
    text += fmt::format("{}{}.\n",
                        result.loop                  ? "stopped: the measurement ended before all trials were done"
                        : result.merged_from.empty() ? "stopped: the run did not finish"
                        : without_shares             ? lacking_text(result)
                                                     : "incomplete: parts of the run were stopped",
                        std::ranges::any_of(result.cells, has_trial) ? "" : ", and no trial counts");
  }
  // Parts of a merge may differ in what they were to reach, and their trials together have other intervals.
  const bool has_own_aim = result.options.until_ci && result.merged_from.empty();
  if (const auto wide = count(Stopped::kMaxTrials); wide > 0 && has_own_aim) {
    text += fmt::format("interval: {} of {} did not reach ± {:.4g} % with at most {}{}.\n", wide, cells,
                        100 * *result.options.until_ci, plural(result.options.max_trials, "trial"),
                        widest_text(result, judgement));
  }
  return text;
}

std::string no_trial_text(const Result& result) {
  const auto of_interest = [](const CellResult& cell) { return cell.cell.mode != Mode::kOverhead; };
  const auto lacks_time = [&](const CellResult& cell) {
    return !of_interest(cell) || (cell.trials.empty() && cell.stopped == Stopped::kTimeLimit);
  };
  if (!result.options.time_limit || !std::ranges::any_of(result.cells, of_interest)) return "";
  if (!std::ranges::all_of(result.cells, lacks_time)) return "";
  return fmt::format(
      "--time-limit {}s: it ended the run before any cell had a trial; allow more time, choose fewer cells or leave "
      "out first epochs by --first-epoch-seconds 0",
      *result.options.time_limit);
}

std::string plan_text(const Result& prepared, const Schedule& schedule, std::size_t width) {
  std::vector<Row> rows{{"cell", "compute", "slots", "slot bytes"}};
  for (const CellResult& cell : prepared.cells) {
    rows.push_back(
        {cell.cell.name(), cell.cell.compute, fmt::format("{}", cell.slots), fmt::format("{}", cell.slot_bytes)});
  }
  const TableShape shape{.left = {0, 1}, .constant = {"compute"}, .expendable = {"slot bytes", "slots"}};
  std::string text = fitted(rows, shape, width) + '\n';
  if (!prepared.ceilings.empty()) {
    text += "ceiling\n";
    for (const CeilingResult& ceiling : prepared.ceilings) text += ceiling.ceiling.id() + '\n';
    text += '\n';
  }
  if (prepared.memory) text += printable(memory_words(*prepared.memory)) + '\n';
  return text + scope_text(prepared, schedule) + '\n';
}

}  // namespace loadline
