#include "harness/measure/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/judge/likeness.h"
#include "harness/plan/settings.h"
#include "harness/result/merge.h"
#include "loaders/error.h"

namespace loadline {
namespace {

std::string then_and_now(std::string_view what, std::string_view then, std::string_view now) {
  return fmt::format("{} was {} and is {}", what, then, now);
}

std::vector<std::string> texts_of(const std::vector<Difference>& differences) {
  std::vector<std::string> texts;
  for (const Difference& difference : differences) {
    // A requeued job may run on another node; the other facts cover what matters about that.
    if (difference.what == kHost) continue;
    texts.push_back(then_and_now(difference.what, difference.base, difference.changed));
  }
  return texts;
}

// What no option allows: other machines, other data, other things to measure.
std::vector<std::string> obstacles(const Result& earlier, const Result& prepared) {
  std::vector<std::string> found = texts_of(unlike(earlier, prepared));
  for (std::size_t i = 0; i < std::min(earlier.datasets.size(), prepared.datasets.size()); ++i) {
    const DatasetFacts& there = earlier.datasets[i];
    const DatasetFacts& here = prepared.datasets[i];
    if (there.path != here.path) found.push_back(then_and_now("data", there.path.string(), here.path.string()));
    // Data of as-is cells has no fingerprint before the last trial.
    if (!samples_differ(there, here)) continue;
    found.push_back(then_and_now("fingerprint of " + here.path.string(), fmt::format("{:016x}", *there.fingerprint),
                                 fmt::format("{:016x}", *here.fingerprint)));
  }
  for (const NamedFile& here : prepared.named_files) {
    const NamedFile* const there = other_contents(earlier.named_files, here);
    if (there == nullptr) continue;
    std::string text =
        fmt::format("{} has changed: its hash was {:016x} and is {:016x}", here.path.string(), there->hash, here.hash);
    // Several computes may name one file.
    if (std::ranges::find(found, text) == found.end()) found.push_back(std::move(text));
  }
  const auto same_cell = [](const CellResult& a, const CellResult& b) { return key_of(a.cell) == key_of(b.cell); };
  const auto same_ceiling = [](const CeilingResult& a, const CeilingResult& b) {
    return a.ceiling.id() == b.ceiling.id();
  };
  if (!std::ranges::equal(earlier.cells, prepared.cells, same_cell)) found.emplace_back("different cells");
  if (!std::ranges::equal(earlier.ceilings, prepared.ceilings, same_ceiling)) {
    found.emplace_back("different ceilings");
  }
  return found;
}

void check_same_kind(const Result& earlier, const std::string& source, const Result& prepared, bool allow_mismatch) {
  std::vector<std::string> found = obstacles(earlier, prepared);
  const bool hopeless = !found.empty();
  if (!hopeless && allow_mismatch) return;
  for (std::string& text : texts_of(noteworthy(earlier, prepared))) found.push_back(std::move(text));
  if (found.empty()) return;
  throw Error(fmt::format("{}: cannot resume it: {}{}", source, fmt::join(found, "; "),
                          hopeless ? "" : "; --allow-mismatch resumes anyway, and the result says so"));
}

double end_of(const Trial& trial) {
  const double clock_started = trial.clock_started_seconds.value_or(trial.started_seconds + trial.first_batch_seconds);
  return clock_started + trial.wall_seconds + (trial.fill ? trial.fill->wall_seconds : 0);
}
double end_of(const CeilingTrial& trial) {
  return trial.started_seconds + trial.wall_seconds;
}

double latest_end(const auto& measured) {
  double latest = 0;
  for (const auto& one : measured) {
    if (!one.trials.empty()) latest = std::max(latest, end_of(one.trials.back()));
  }
  return latest;
}

// The monitor also sees what no trial records: an interrupted trial, first epochs, and the time between trials.
double last_sample(const std::optional<MonitorRecord>& monitor) {
  return monitor && !monitor->times_seconds.empty() ? monitor->times_seconds.back() : 0;
}

}  // namespace

bool is_finished(const Result& result) {
  return result.status == Status::kComplete &&
         std::ranges::find(result.cells, Stopped::kTimeLimit, &CellResult::stopped) == result.cells.end();
}

void check_same_options(const RunOptions& earlier, const RunOptions& now, const std::string& source) {
  constexpr std::array kOfAPart{"output", "quiet", "time-limit"};
  std::vector<std::string> different;
  for (const OptionRow& row : run_options()) {
    const OptionValue there = read_option(earlier, row);
    const OptionValue here = read_option(now, row);
    if (there == here || std::ranges::find(kOfAPart, row.name) != kOfAPart.end()) continue;
    const auto text = [](const OptionValue& value) { return value == OptionValue() ? "unset" : text_of(value); };
    different.push_back(then_and_now(fmt::format("--{}", row.name), text(there), text(here)));
  }
  if (different.empty()) return;
  throw usage_error(fmt::format("{}: cannot resume with different options: {}", source, fmt::join(different, "; ")));
}

void arrange_like(const Result& earlier, Plan& plan) {
  std::unordered_map<std::string, std::size_t> places;
  for (const CellResult& cell : earlier.cells) places.emplace(key_of(cell.cell), places.size());
  std::vector<std::pair<std::size_t, Cell>> placed;
  for (Cell& cell : plan.cells) {
    const auto found = places.find(key_of(cell));
    if (found != places.end()) cell.axes = earlier.cells[found->second].cell.axes;
    placed.emplace_back(found == places.end() ? places.size() : found->second, std::move(cell));
  }
  std::ranges::stable_sort(placed, {}, [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < placed.size(); ++i) plan.cells[i] = std::move(placed[i].second);
}

double continue_from(Result earlier, const std::string& source, Result& prepared, RequiredMatch match) {
  if (match != RequiredMatch::kChecked) check_same_kind(earlier, source, prepared, match == RequiredMatch::kSameData);
  add_builds(earlier, prepared);
  prepared.run_id = std::move(earlier.run_id);
  add_hosts(prepared.environment.machine, earlier.environment.machine);
  prepared.environment.machine.hostname = std::move(earlier.environment.machine.hostname);
  prepared.monitor = std::move(earlier.monitor);
  prepared.resumed = std::move(earlier.resumed);
  prepared.resumed.push_back(std::exchange(prepared.started, std::move(earlier.started)));
  for (std::size_t i = 0; i < prepared.datasets.size(); ++i) {
    prepared.datasets[i].found = earlier.datasets[i].found;
    prepared.datasets[i].before = earlier.datasets[i].before;
  }
  for (ExternalLoader& loader : prepared.loaders) {
    const auto known = std::ranges::find(earlier.loaders, loader.loader, &ExternalLoader::loader);
    if (known != earlier.loaders.end()) loader.delivered = known->delivered;
  }
  for (std::size_t i = 0; i < prepared.cells.size(); ++i) {
    CellResult& cell = prepared.cells[i];
    CellResult& known = earlier.cells[i];
    cell.first_epoch = std::move(known.first_epoch);
    cell.trials = std::move(known.trials);
    cell.skipped = std::move(known.skipped);
    cell.skipped_unnamed = known.skipped_unnamed;
    cell.error = std::move(known.error);
  }
  for (std::size_t i = 0; i < prepared.ceilings.size(); ++i) {
    prepared.ceilings[i].trials = std::move(earlier.ceilings[i].trials);
    prepared.ceilings[i].error = std::move(earlier.ceilings[i].error);
  }
  return std::max({latest_end(prepared.cells), latest_end(prepared.ceilings), last_sample(prepared.monitor)});
}

}  // namespace loadline
