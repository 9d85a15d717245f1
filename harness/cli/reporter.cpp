#include "harness/cli/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/cli/verbs.h"
#include "harness/judge/phrase.h"
#include "harness/show/best_text.h"
#include "harness/show/search_text.h"
#include "harness/show/table.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// As the summary shows it.
std::string figure(double per_second) {
  return short_rate_text(summarize(std::array{per_second}));
}

}  // namespace

SaveResult saving_to(ResultFile& file, Clock& clock) {
  return [&file, &clock](const Result& result) { return file.save_in_passing(result, clock); };
}

Reporter::Reporter(const RunOptions& options, SaveResult save, Clock& clock)
    : options_(options),
      trials_(trial_counts(options, Mode::kFull).most),
      save_(std::move(save)),
      clock_(clock),
      progress_(options.quiet),
      begin_(clock.now()),
      last_(begin_) {}

void Reporter::on_dataset(const DatasetFacts& facts) {
  progress_.status(fmt::format("read {}: {} samples", printable(facts.path.string()), facts.info.samples));
}

void Reporter::on_first_epoch(const Result& result, const CellResult& cell) {
  if (left_) left_->first_epoch_took(result, cell, seconds_of_part());
  const FirstEpoch& epoch = *cell.first_epoch;
  show(
      fmt::format("first epoch of {}: {} samples in {}", cell.cell.name(), epoch.samples, duration(epoch.wall_seconds)),
      remaining(result));
}

void Reporter::on_trial(const Result& result, const CellResult& cell) {
  const std::string name = cell.cell.name();
  const double took = seconds_of_part();
  if (cell.error) return failed(result, name);
  if (left_) left_->trial_took(result, cell, took);
  const Trial& trial = cell.trials.back();
  trial_done(result, fmt::format("{}: {} samples/s", name, figure(trial.samples_per_second())), trial.round);
}

void Reporter::on_ceiling(const Result& result, const CeilingResult& ceiling) {
  const std::string id = ceiling.ceiling.id();
  const double took = seconds_of_part();
  if (ceiling.error) return failed(result, id);
  if (left_) left_->trial_took(result, ceiling, took);
  const CeilingTrial& trial = ceiling.trials.back();
  trial_done(result, fmt::format("{}: {} {}", id, figure(trial.per_second()), name(ceiling.ceiling.kind->unit)),
             trial.round);
}

void Reporter::on_probe(const Result& result) {
  progress_.milestone(result.best ? rung_text(*result.best) : probe_text(*result.search));
  save(result);
}

void Reporter::trial_done(const Result& result, const std::string& what, std::size_t round) {
  // The first pair of `ab` is discarded; its round number follows all others.
  const std::string line =
      round < trials_ ? fmt::format("trial {}/{} {}", round + 1, trials_, what) : fmt::format("warm-up {}", what);
  show(line, remaining(result));
  save(result);
}

void Reporter::show(const std::string& line, const std::string& left) {
  progress_.is_terminal() ? progress_.status(line, left) : progress_.milestone(line + left);
}

// The end says why, once for all cells that failed in the same way.
void Reporter::failed(const Result& result, const std::string& what) {
  progress_.milestone(fmt::format("{}: failed", what));
  save(result);
}

void Reporter::save(const Result& result) {
  const auto news = save_ ? save_(result) : std::nullopt;
  if (!news) return;
  progress_.clear();
  print_error(*news);
}

double Reporter::seconds_of_part() {
  const Time now = clock_.now();
  return seconds(now - std::exchange(last_, now));
}

std::string Reporter::remaining(const Result& result) {
  if (!left_) return "";
  auto [left, at_most] = left_->rest(result);
  if (options_.time_limit) left = std::min(left, *options_.time_limit - seconds(clock_.now() - begin_));
  return left > 0 ? fmt::format(" ({} {} left)", at_most ? "at most" : "about", time_text(left)) : "";
}

}  // namespace loadline
