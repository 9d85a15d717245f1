#include "harness/measure/run.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "harness/judge/statistics.h"
#include "harness/measure/cache.h"
#include "harness/measure/first_epochs.h"
#include "harness/measure/joint_trials.h"
#include "harness/measure/prepare.h"
#include "harness/measure/rig_store.h"
#include "harness/measure/schedule.h"
#include "harness/measure/watch.h"
#include "harness/measure/within_run.h"
#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

// Samples whose names an earlier part did not keep count only if they are certainly different ones.
void add_skipped(CellResult& cell, std::map<SampleIndex, std::string> skipped) {
  const std::size_t known = cell.skipped_count();
  cell.skipped.merge(skipped);
  cell.skipped_unnamed = known - std::min(known, cell.skipped.size());
}

// The trials of cells of one result, and the datasets and rigs that they share.
class Bench {
 public:
  Bench(const RunOptions& options, Result& result, std::vector<CellResult>& cells, RunContext& context)
      : options_(options),
        result_(result),
        cells_(cells),
        context_(context),
        place_(result.trial_count()),
        end_(end_of(options, context)),
        rigs_(result, cells, context),
        cache_(result, cells, context.clock) {}

  // What prepare_run() does for the cells of a plan.
  void prepare() {
    for (CellResult& cell : cells_) {
      try {
        cell = context_.rigs != nullptr ? context_.rigs->prepare(cell.cell, cell.dataset)
                                        : prepare_cell(cell.cell, rigs_.dataset_of(cell), cell.dataset,
                                                       result_.environment.machine, context_.processes);
      } catch (const Error& error) {
        cell.error = error.what();
        context_.observer.on_trial(result_, cell);
      }
    }
  }

  // Runs rounds over cells and ceilings as requested, until all have enough trials or the time is up. Returns false
  // when stopped.
  bool run_rounds(bool with_cells, bool with_ceilings) {
    cell_count_ = with_cells ? cells_.size() : 0;
    const std::size_t count = cell_count_ + (with_ceilings ? result_.ceilings.size() : 0);
    took_.assign(count, Moments());
    if (with_cells) settle();
    const std::size_t begun = rounds_begun();
    // A continued run may have stopped in the middle of its last round.
    for (std::size_t round = begun - std::min<std::size_t>(begun, 1);; ++round) {
      std::vector<bool> wanted(count);
      for (std::size_t i = 0; i < count; ++i) wanted[i] = wants(i, round);
      if (std::ranges::find(wanted, true) == wanted.end()) {
        if (round < begun) continue;
        break;
      }
      if (!fits(wanted)) break;
      for (const std::size_t i : order_of(round, count)) {
        if (!wanted[i]) continue;
        if (stops(context_)) return false;
        if (time_is_up()) break;
        if (!run_one(i, round)) return false;
      }
    }
    if (with_cells) settle_rest();
    return true;
  }

  PageCache& cache() { return cache_; }

  // A round over two sides.
  bool run_pairs_round(std::size_t round) {
    for (const std::size_t i : pair_order(options_.seed, round, cells_.size() / 2)) {
      if (context_.stop.stop_requested()) return false;
      if (!cells_[i].error && !run_cell(i, round)) return false;
    }
    return true;
  }

  void forget_trials() {
    for (CellResult& cell : cells_) cell.trials.clear();
    place_ = 0;
  }

 private:
  std::size_t rounds_begun() const {
    std::size_t rounds = 0;
    for (std::size_t i = 0; i < cell_count_; ++i) rounds = std::max(rounds, rounds_of(cells_[i].trials));
    for (std::size_t i = cell_count_; i < took_.size(); ++i) {
      rounds = std::max(rounds, rounds_of(result_.ceilings[i - cell_count_].trials));
    }
    return rounds;
  }

  // The time limit may end the first round, if its trials take longer than the schedule says. Ceilings are useless
  // without cells, so they come last.
  std::vector<std::size_t> order_of(std::size_t round, std::size_t count) const {
    std::vector<std::size_t> order = round_order(options_.seed, round, count);
    if (end_ && round == 0) std::ranges::stable_partition(order, [&](std::size_t i) { return i < cell_count_; });
    return order;
  }

  void settle() {
    for (CellResult& cell : cells_) cell.stopped = stop_of(cell, options_);
  }

  // Cells still running either lack time or are OVERHEAD, which ends with the others.
  void settle_rest() {
    for (CellResult& cell : cells_) {
      if (!cell.stopped) cell.stopped = time_was_up_ ? Stopped::kTimeLimit : Stopped::kTrials;
    }
  }

  // Whether the cell has a trial in this round, or will have one; OVERHEAD does not count.
  bool takes_part(const CellResult& cell, std::size_t round) const {
    return cell.cell.mode != Mode::kOverhead && (rounds_of(cell.trials) > round || !cell.stopped);
  }

  // OVERHEAD and ceilings are useless alone, unless requested.
  bool wants(std::size_t i, std::size_t round) const {
    const auto takes_part_now = [&](const CellResult& cell) { return takes_part(cell, round); };
    if (i < cell_count_) {
      const CellResult& cell = cells_[i];
      return !cell.stopped && rounds_of(cell.trials) <= round && std::ranges::any_of(cells_, takes_part_now);
    }
    const CeilingResult& ceiling = result_.ceilings[i - cell_count_];
    if (ceiling.error || rounds_of(ceiling.trials) > round) return false;
    if (cell_count_ == 0) return round < options_.trials;
    if (!options_.until_ci || round < trial_counts(options_, Mode::kFull).fewest) {
      return std::ranges::any_of(cells_, takes_part_now);
    }
    return std::ranges::any_of(cells_, [&](const CellResult& cell) {
      return takes_part(cell, round) && std::ranges::find(cell.bounds, i - cell_count_) != cell.bounds.end();
    });
  }

  bool time_is_up() {
    time_was_up_ = time_was_up_ || (end_ && word_of_first(context_, context_.clock.now() >= *end_));
    return time_was_up_;
  }

  // Whether a round over `wanted` is expected to end in time. The first round of a new run always is: its schedule
  // was made for that.
  bool fits(const std::vector<bool>& wanted) {
    if (!end_) return true;
    if (time_is_up()) return false;
    double seconds = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i]) continue;
      seconds += took_[i].count() > 0 ? took_[i].mean()
                 : i < cell_count_    ? trial_seconds(cells_[i], info_of(cells_[i]), options_, context_.tried)
                                      : ceiling_trial_seconds(result_.ceilings[i - cell_count_], result_, options_);
    }
    time_was_up_ = word_of_first(context_, place_ > 0 && context_.clock.now() + time_of(seconds) > *end_);
    return !time_was_up_;
  }

  // Returns false when stopped, like the two below.
  bool run_one(std::size_t i, std::size_t round) {
    const Time begin = context_.clock.now();
    const bool done = i < cell_count_ ? run_cell(i, round) : run_ceiling(i - cell_count_, round);
    took_[i].add(seconds(context_.clock.now() - begin));
    return done;
  }

  std::optional<Trial> own_trial(std::size_t i, std::size_t round) {
    const CellResult& cell = cells_[i];
    const bool on_data = cell.cell.mode != Mode::kOverhead;
    if (on_data) check_dataset(context_.watches, result_, cell.dataset);
    const Rig& its_rig = rigs_.rig(i);
    const auto before = cache_.before_trial(cell, rigs_.datasets(), context_.stop);
    const auto cpus_before = changed_cpus();
    const double started = seconds_so_far();
    const bool own_peak = begin_own_peak(context_);
    const std::uint64_t resumed_before = times_resumed();
    auto trial = measure_safely(cell.cell, end_, context_, [&](const std::stop_token& stop) {
      TrialOptions how = trial_options(options_, round, context_);
      if (context_.joint != nullptr) how.tallies = &tallies_;
      return run_trial(its_rig, how, context_.clock, stop);
    });
    if (!trial) return trial;
    if (on_data) check_dataset(context_.watches, result_, cell.dataset);
    if (!own_peak) trial->usage.peak_rss_bytes.reset();
    trial->started_seconds = started;
    if (trial->clock_started_seconds) *trial->clock_started_seconds += started;
    trial->suspended = times_resumed() != resumed_before;
    trial->page_cache = {.before = before, .after = cache_.after_trial(cell)};
    trial->changed_cpus = cpus_before ? cpus_before : changed_cpus();
    return trial;
  }

  // With the other ranks of the run, if there are any.
  std::optional<Trial> trial_of_all(std::size_t i, std::size_t round) {
    const auto own = [&] { return own_trial(i, round); };
    if (context_.joint == nullptr) return own();
    tallies_.clear();
    return context_.joint->trial(own, tallies_, info_of(cells_[i]).samples);
  }

  bool run_cell(std::size_t i, std::size_t round) {
    CellResult& cell = cells_[i];
    try {
      auto trial = trial_of_all(i, round);
      if (!trial) return false;
      note_delivered(cell.cell, trial->delivered, result_);
      const double started = trial->started_seconds;
      enter(std::move(*trial), round, started, cell.trials);
      mark_pilot(cell, options_);
    } catch (const Error& error) {
      if (ranks_failed(context_)) throw;
      cell.error = error.what();
    }
    if (const Rig* made = rigs_.made(i)) add_skipped(cell, made->skipped());
    cell.stopped = stop_of(cell, options_);
    context_.observer.on_trial(result_, cell);
    return true;
  }

  std::optional<CeilingTrial> own_ceiling_trial(const CeilingResult& ceiling) {
    const auto& dataset = ceiling.ceiling.dataset;
    if (dataset) check_dataset(context_.watches, result_, *dataset);
    const bool of_samples = ceiling.ceiling.kind->scope == CeilingScope::kBatch;
    const CellRig& its_rig = of_samples ? rigs_.rig_in_memory(ceiling.cell) : rigs_.real_rig(ceiling.cell);
    if (dataset && !ceiling.ceiling.kind->of_device) cache_.before_ceiling(*dataset, rigs_.datasets(), context_.stop);
    const double started = seconds_so_far();
    const PinnedThread pinned(ceiling.ceiling.cpus);  // and so the threads that it starts
    const auto kernel =
        ceiling.ceiling.kind->make({.assembler = its_rig.assembler(),
                                    .sampler = its_rig.sampler(),
                                    .machine = result_.environment.machine,
                                    .kernels = kernels_named(its_rig.cell().kernels),
                                    .threads = ceiling.ceiling.threads,
                                    .giver_cpus = ceiling.ceiling.giver_cpus,
                                    .request_bytes = ceiling.ceiling.request_bytes.value_or(0),
                                    .order = ceiling.ceiling.request_order.value_or(RequestOrder::kStored)});
    const Time time = time_of(std::min(ceiling_seconds(*ceiling.ceiling.kind), options_.trial_seconds));
    if (context_.joint != nullptr && !context_.joint->start()) return std::nullopt;
    auto resumed_before = times_resumed();
    auto trial = run_ceiling_trial(*kernel, time, context_.clock, context_.stop);
    // A process that is paused again and again keeps what it gets.
    for (int again = 0; again < 3 && trial && times_resumed() != resumed_before; ++again) {
      resumed_before = times_resumed();
      trial = run_ceiling_trial(*kernel, time, context_.clock, context_.stop);
    }
    if (!trial) return trial;
    if (dataset) check_dataset(context_.watches, result_, *dataset);
    trial->started_seconds = started;
    return trial;
  }

  bool run_ceiling(std::size_t i, std::size_t round) {
    CeilingResult& ceiling = result_.ceilings[i];
    try {
      auto trial = measure_with_others(context_, [&] { return own_ceiling_trial(ceiling); });
      if (!trial) return false;
      const double started = trial->started_seconds;
      enter(std::move(*trial), round, started, ceiling.trials);
    } catch (const Error& error) {
      if (ranks_failed(context_)) throw;
      ceiling.error = error.what();
    }
    context_.observer.on_ceiling(result_, ceiling);
    return true;
  }

  // The CPU limits of the process, if they differ from those in the result.
  std::optional<CpuLimits> changed_cpus() const {
    if (!context_.cpu_limits) return std::nullopt;
    const Machine& machine = result_.environment.machine;
    CpuLimits now = context_.cpu_limits();
    const CpuLimits then{.affinity_list = machine.affinity_list, .cgroup_cpu_limit = machine.cgroup_cpu_limit};
    return now == then ? std::nullopt : std::optional(std::move(now));
  }

  const DatasetInfo& info_of(const CellResult& cell) const { return result_.datasets[cell.dataset].info; }

  std::uint64_t times_resumed() const { return context_.times_resumed ? context_.times_resumed() : 0; }

  double seconds_so_far() const { return context_.earlier_seconds + seconds(context_.clock.now() - context_.start); }

  template <typename AnyTrial>
  void enter(AnyTrial trial, std::size_t round, double started_seconds, std::vector<AnyTrial>& trials) {
    trial.round = round;
    trial.place = place_++;
    trial.started_seconds = started_seconds;
    trials.push_back(std::move(trial));
  }

  const RunOptions& options_;
  Result& result_;
  std::vector<CellResult>& cells_;  // of the result, or further ones
  RunContext& context_;
  std::size_t place_;
  std::optional<Time> end_;
  bool time_was_up_ = false;
  std::size_t cell_count_ = 0;  // cells with trials in these rounds; the ceilings follow them
  std::vector<Moments> took_;   // seconds per trial of each cell and ceiling, with everything around it
  RigStore rigs_;
  PageCache cache_;
  EpochTallies tallies_;  // of this rank, in the current trial
};

}  // namespace

bool run_plan(const Plan& plan, Result& result, RunContext& context) {
  Bench bench(plan.options, result, result.cells, context);
  const bool with_cells = !plan.ceilings_alone;
  if (with_cells) measure_first_epochs(plan, result, bench.cache(), context);
  if (stops(context) || !bench.run_rounds(with_cells, true)) return false;
  for (DatasetFacts& facts : result.datasets) facts.after = residency_of(facts.info);
  return true;
}

bool run_pairs(std::size_t pairs, Result& result, RunContext& context) {
  Bench bench(result.options, result, result.cells, context);
  const bool warm = bench.run_pairs_round(pairs);
  bench.forget_trials();
  if (!warm) return false;
  for (std::size_t round = 0; round < pairs; ++round) {
    if (!bench.run_pairs_round(round)) return false;
  }
  for (DatasetFacts& facts : result.datasets) facts.after = residency_of(facts.info);
  return true;
}

bool run_further(const RunOptions& options, Result& result, std::vector<CellResult>& cells, RunContext& context) {
  Bench bench(options, result, cells, context);
  bench.prepare();
  return bench.run_rounds(true, false);
}

}  // namespace loadline
