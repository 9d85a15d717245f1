#include "harness/measure/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "harness/judge/statistics.h"
#include "harness/measure/apart.h"
#include "harness/measure/cache.h"
#include "harness/measure/prepare.h"
#include "harness/measure/schedule.h"
#include "harness/measure/together.h"
#include "harness/measure/trace.h"
#include "harness/measure/trial.h"
#include "harness/measure/watch.h"
#include "loaders/datasets/memory.h"
#include "loaders/error.h"
#include "loaders/storage/affinity.h"

namespace loadline {
namespace {

Time time_of(double seconds) {
  return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

// When the run is to end; none: whenever it does.
std::optional<Time> end_of(const RunOptions& options, const RunContext& context) {
  return options.time_limit ? std::optional(context.start + time_of(*options.time_limit)) : std::nullopt;
}

// How long a loader that may hang may be in one call of its own before it is taken to hang.
constexpr Time kPatience = std::chrono::seconds(2);

// Measures by `measure`, which is given a stop token, as the loader wants it.
template <typename Measure>
auto measure_safely(const Cell& cell, const std::optional<Time>& end, const RunContext& context,
                    const Measure& measure) {
  const LoaderKind* kind = cell.loader && context.rigs == nullptr ? &loader_named(*cell.loader) : nullptr;
  if (kind == nullptr) return measure(context.stop);
  decltype(measure(context.stop)) measured;
  run_guarded(kind->hang, [&](const std::stop_token& stop) { measured = measure(stop); },
              {.who = fmt::format("loader {}", kind->name),
               .stop = context.stop,
               .overdue = [&] { return end && context.clock.now() >= *end; },
               .patience = kPatience});
  return measured;
}

// From here on the peak is that of what comes next, if the system allows it: returns that. What the process had until
// then is kept.
bool begin_own_peak(RunContext& context) {
  if (context.rigs != nullptr) return false;
  if (context.peak_rss_bytes != nullptr) {
    *context.peak_rss_bytes = std::max(*context.peak_rss_bytes, usage_now().peak_rss_bytes.value_or(0));
  }
  return reset_peak_rss();
}

// What this process measures by itself, or with the other ranks of its run.
template <typename Own>
auto measure_with_others(RunContext& context, const Own& own) -> decltype(own()) {
  if (context.together == nullptr) return own();
  if constexpr (std::is_same_v<decltype(own()), std::optional<FirstEpoch>>) {
    return context.together->first_epoch(own);
  } else {
    return context.together->ceiling(own);
  }
}

GradientSum* gradients_of(const RunContext& context) {
  return context.together == nullptr ? nullptr : &context.together->sums();
}

// Whether the run is to stop, here or on any other rank.
bool stops(const RunContext& context) {
  const bool here = context.stop.stop_requested();
  return context.together == nullptr ? here : context.together->agree({.stop = here}).stop;
}

// The word of rank 0, whose clock it is that counts.
bool word_of_first(const RunContext& context, bool here) {
  return context.together == nullptr ? here : context.together->agree({.time_is_up = here}).time_is_up;
}

// A run of ranks that has failed as a whole is no matter of the cell that was measured.
bool ranks_failed(const RunContext& context) {
  return context.together != nullptr && context.together->ranks().failure();
}

// A first epoch is measured on a dataset of its own: only a fresh mapping has its page faults still before it.
std::optional<FirstEpoch> own_first_epoch(CellResult& cell, Time limit, const Result& result, PageCache& cache,
                                          RunContext& context) {
  check_dataset(context.watches, result, cell.dataset);
  const auto before = cache.before_trial(cell, {}, context.stop);
  const Time begin = context.clock.now();
  const auto dataset = context.rigs == nullptr ? open_for(cell.cell) : nullptr;
  const double open_seconds = seconds(context.clock.now() - begin);
  const auto cache_bytes = result.environment.machine.last_level_cache_bytes;
  const auto rig = dataset ? std::make_unique<CellRig>(cell.cell, *dataset, cache_bytes, gradients_of(context))
                           : context.rigs->make(cell);
  const bool own_peak = begin_own_peak(context);
  auto epoch = measure_safely(cell.cell, end_of(result.options, context), context, [&](const std::stop_token& stop) {
    return run_first_epoch(*rig, limit, context.clock, stop, context.together);
  });
  if (!epoch) return epoch;
  check_dataset(context.watches, result, cell.dataset);
  if (!own_peak) epoch->usage.peak_rss_bytes.reset();
  epoch->open_seconds = open_seconds;
  epoch->page_cache = {.before = before, .after = cache.after_trial(cell)};
  return epoch;
}

void measure_first_epoch(CellResult& cell, Time limit, const Result& result, PageCache& cache, RunContext& context) {
  auto epoch = measure_with_others(context, [&] { return own_first_epoch(cell, limit, result, cache, context); });
  if (epoch) cell.first_epoch = std::move(epoch);
}

// Of those whose names an earlier part did not keep, as many are counted on as are surely others.
void add_skipped(CellResult& cell, std::map<SampleIndex, std::string> skipped) {
  const std::size_t known = cell.skipped_count();
  cell.skipped.merge(skipped);
  cell.skipped_unnamed = known - std::min(known, cell.skipped.size());
}

// Of a trial of each cell and ceiling.
double round_seconds(const Result& result, const RunOptions& options, const TriedComputes& tried) {
  double seconds = static_cast<double>(result.ceilings.size()) * ceiling_trial_seconds(options);
  for (const CellResult& cell : result.cells) {
    seconds += trial_seconds(cell, result.datasets[cell.dataset].info, options, tried);
  }
  return seconds;
}

void measure_first_epochs(const Plan& plan, Result& result, PageCache& cache, RunContext& context) {
  if (plan.options.first_epoch_seconds == 0) return;
  const Time limit = time_of(plan.options.first_epoch_seconds);
  const auto end = end_of(plan.options, context);
  const Time round = time_of(round_seconds(result, plan.options, context.tried));
  for (CellResult& cell : result.cells) {
    if (!uses_loader(cell.cell.mode) || cell.first_epoch || cell.error) continue;
    if (stops(context)) return;
    if (end && word_of_first(context, context.clock.now() + limit + round > *end)) return;
    try {
      measure_first_epoch(cell, limit, result, cache, context);
      if (cell.first_epoch) context.observer.on_first_epoch(cell);
    } catch (const Error& error) {
      if (ranks_failed(context)) throw;
      cell.error = error.what();
      context.observer.on_trial(result, cell);
    }
  }
}

TrialOptions trial_options(const RunOptions& options, std::size_t round, const RunContext& context) {
  return {.length =
              options.trial_batches ? Length(Batches{*options.trial_batches}) : Length(time_of(options.trial_seconds)),
          .warm_up_batches = options.warm_up_batches,
          .first_epoch = round + 1,  // the first epoch is a measurement of its own
          .energy = context.energy,
          .counters = context.counters,
          .together = context.together};
}

// A part of the dataset, or all of it: enough to leave the caches, no more than an eighth of the memory there is.
// Throws Error where it cannot be had.
std::unique_ptr<Dataset> samples_in_memory(const Cell& cell, const Dataset& dataset, const Machine& machine) {
  constexpr std::uint64_t kMost = std::uint64_t{256} << 20;
  const std::uint64_t room = memory_left_bytes(machine) / 8;
  if (dataset.info().labelled()) return copy_to_memory(dataset, std::min(kMost, room));
  // A volume, tokens and text have no part that is as good as all of it; one that is too large for a copy is mapped, if
  // it can be.
  DatasetOptions options = cell.dataset;
  options.in_memory = dataset.info().all_bytes() <= room;
  if (!options.in_memory && dataset.info().volume) options.access = Access::kMapped;
  return open_dataset(cell.data, options);
}

std::size_t trials_in(const Result& result) {
  std::size_t trials = 0;
  for (const CellResult& cell : result.cells) trials += cell.trials.size();
  for (const CeilingResult& ceiling : result.ceilings) trials += ceiling.trials.size();
  return trials;
}

// The trials of cells of one result, and the datasets and rigs that they share.
class Bench {
 public:
  Bench(const RunOptions& options, Result& result, std::vector<CellResult>& cells, RunContext& context)
      : options_(options),
        result_(result),
        cells_(cells),
        context_(context),
        place_(trials_in(result)),
        end_(end_of(options, context)),
        cache_(result, cells, context.clock) {
    datasets_.resize(result.datasets.size());
    rigs_.resize(cells.size());
  }

  // What prepare_run() does for the cells of a plan.
  void prepare() {
    for (CellResult& cell : cells_) {
      try {
        cell = context_.rigs != nullptr ? context_.rigs->prepare(cell.cell, cell.dataset)
                                        : prepare_cell(cell.cell, dataset_of(cell), cell.dataset,
                                                       result_.environment.machine, context_.processes);
      } catch (const Error& error) {
        cell.error = error.what();
        context_.observer.on_trial(result_, cell);
      }
    }
  }

  // In rounds over what is asked for, until all of it has enough trials or the time is up. Returns whether it came to
  // its end.
  bool run_rounds(bool with_cells, bool with_ceilings) {
    cell_count_ = with_cells ? cells_.size() : 0;
    const std::size_t count = cell_count_ + (with_ceilings ? result_.ceilings.size() : 0);
    took_.assign(count, Moments());
    if (with_cells) settle();
    const std::size_t begun = rounds_begun();
    // A run that is gone on with may have stopped in the middle of its last round.
    for (std::size_t round = begun - std::min<std::size_t>(begun, 1);; ++round) {
      std::vector<bool> wanted(count);
      for (std::size_t i = 0; i < count; ++i) wanted[i] = wants(i, round);
      if (std::ranges::find(wanted, true) == wanted.end()) {
        if (round < begun) continue;
        break;
      }
      if (!fits(wanted)) break;
      for (const std::size_t i : round_order(options_.seed, round, count)) {
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

  // All cells, so many trials each.
  TraceOutcome trace(const TraceOptions& options) {
    const auto wanted = [](const CellResult& cell) { return cell.cell.mode != Mode::kOverhead && !cell.error; };
    std::size_t tracks = 0;
    TraceOutcome outcome;
    for (const CellResult& cell : cells_) {
      if (!wanted(cell)) continue;
      ++outcome.cells;
      tracks += options.trials * tracks_of(cell.cell);
    }
    for (std::size_t i = 0; i < cells_.size() && outcome.done; ++i) {
      if (!wanted(cells_[i])) continue;
      if (!has_time_for(options.trials, cells_[i])) {
        ++outcome.without_time;
        continue;
      }
      for (std::size_t k = 0; k < options.trials && outcome.done; ++k) {
        options.begins(cells_[i]);
        std::optional<TrialTrace> trace;
        try {
          trace = trace_cell(i, k, limits_of_tracks(tracks));
        } catch (const Error& error) {
          outcome.failures.push_back(fmt::format("cannot trace {}: {}", cells_[i].cell.name(), error.what()));
          break;
        }
        outcome.done = trace.has_value();
        if (trace) options.take(*trace, cells_[i]);
      }
    }
    return outcome;
  }

  void forget_trials() {
    for (CellResult& cell : cells_) cell.trials.clear();
    place_ = 0;
  }

 private:
  static std::size_t rounds_of(const auto& trials) { return trials.empty() ? 0 : trials.back().round + 1; }

  std::size_t rounds_begun() const {
    std::size_t rounds = 0;
    for (std::size_t i = 0; i < cell_count_; ++i) rounds = std::max(rounds, rounds_of(cells_[i].trials));
    for (std::size_t i = cell_count_; i < took_.size(); ++i) {
      rounds = std::max(rounds, rounds_of(result_.ceilings[i - cell_count_].trials));
    }
    return rounds;
  }

  void settle() {
    for (CellResult& cell : cells_) cell.stopped = stop_of(cell, options_);
  }

  // What is left is short of time, or is what the harness costs and has nothing left that it is for.
  void settle_rest() {
    for (CellResult& cell : cells_) {
      if (!cell.stopped) cell.stopped = time_was_up_ ? Stopped::kTimeLimit : Stopped::kTrials;
    }
  }

  // Whether the cell has a trial in this round, or is to have one; one in itself is meant, not what the harness costs.
  bool takes_part(const CellResult& cell, std::size_t round) const {
    return cell.cell.mode != Mode::kOverhead && (rounds_of(cell.trials) > round || !cell.stopped);
  }

  // Neither what the harness costs nor what the machine could do is of use alone, unless it was asked for.
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

  // Whether a round over what is wanted is expected to end in time. Of a run that has nothing yet the first one is: its
  // schedule was made for that.
  bool fits(const std::vector<bool>& wanted) {
    if (!end_) return true;
    if (time_is_up()) return false;
    double seconds = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i]) continue;
      seconds += took_[i].count() > 0 ? took_[i].mean()
                 : i < cell_count_    ? trial_seconds(cells_[i], info_of(cells_[i]), options_, context_.tried)
                                      : ceiling_trial_seconds(options_);
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
    const Rig& its_rig = rig(i);
    const auto before = cache_.before_trial(cell, datasets_, context_.stop);
    const auto cpus_before = changed_cpus();
    const double started = seconds_so_far();
    const bool own_peak = begin_own_peak(context_);
    const std::uint64_t resumed_before = times_resumed();
    auto trial = measure_safely(cell.cell, end_, context_, [&](const std::stop_token& stop) {
      TrialOptions how = trial_options(options_, round, context_);
      if (context_.together != nullptr) how.tallies = &tallies_;
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
    if (context_.together == nullptr) return own();
    tallies_.clear();
    return context_.together->trial(own, tallies_, info_of(cells_[i]).samples);
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
    if (rigs_[i]) add_skipped(cell, rigs_[i]->skipped());
    cell.stopped = stop_of(cell, options_);
    context_.observer.on_trial(result_, cell);
    return true;
  }

  bool has_time_for(std::size_t trials, const CellResult& cell) const {
    if (!end_) return true;
    const double seconds = trial_seconds(cell, info_of(cell), options_, context_.tried);
    return context_.clock.now() + time_of(static_cast<double>(trials) * seconds) <= *end_;
  }

  // The k-th of its traced trials. None when stopped.
  std::optional<TrialTrace> trace_cell(std::size_t i, std::size_t k, const TraceLimits& limits) {
    if (context_.stop.stop_requested()) return std::nullopt;
    const CellResult& cell = cells_[i];
    check_dataset(context_.watches, result_, cell.dataset);
    const Rig& its_rig = rig(i);
    cache_.before_trial(cell, datasets_, context_.stop);
    const std::size_t round = rounds_of(cell.trials) + k;
    TrialOptions how = trial_options(options_, round, context_);
    how.energy = nullptr;  // nothing of it is kept
    how.counters = nullptr;
    auto trace = measure_safely(cell.cell, end_, context_, [&](const std::stop_token& stop) {
      return trace_trial(its_rig, how, limits, context_.clock, stop);
    });
    if (trace) trace->number = k;
    return trace;
  }

  std::optional<CeilingTrial> own_ceiling_trial(const CeilingResult& ceiling) {
    const auto& dataset = ceiling.ceiling.dataset;
    if (dataset) check_dataset(context_.watches, result_, *dataset);
    const bool of_samples = ceiling.ceiling.kind->scope == CeilingScope::kBatch;
    const CellRig& its_rig = of_samples ? rig_in_memory(ceiling.cell) : real_rig(ceiling.cell);
    if (dataset && !ceiling.ceiling.kind->of_device) cache_.before_ceiling(*dataset, datasets_, context_.stop);
    const double started = seconds_so_far();
    const PinnedThread pinned(ceiling.ceiling.cpus);  // and with it the threads that it starts
    const auto kernel =
        ceiling.ceiling.kind->make({.assembler = its_rig.assembler(),
                                    .sampler = its_rig.sampler(),
                                    .machine = result_.environment.machine,
                                    .kernels = kernels_named(its_rig.cell().kernels),
                                    .threads = ceiling.ceiling.threads,
                                    .giver_cpus = ceiling.ceiling.giver_cpus,
                                    .request_bytes = ceiling.ceiling.request_bytes.value_or(0),
                                    .order = ceiling.ceiling.request_order.value_or(RequestOrder::kStored)});
    const Time time = time_of(std::min(kCeilingSeconds, options_.trial_seconds));
    if (context_.together != nullptr && !context_.together->start()) return std::nullopt;
    auto resumed_before = times_resumed();
    auto trial = run_ceiling_trial(*kernel, time, context_.clock, context_.stop);
    // A process that is stopped again and again has what it gets.
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

  // Made when it is first asked for.
  const Rig& rig(std::size_t i) {
    if (rigs_[i]) return *rigs_[i];
    if (context_.rigs != nullptr) {
      rigs_[i] = context_.rigs->make(cells_[i]);
      return *rigs_[i];
    }
    return real_rig(i);
  }

  // A ceiling has the rig of the cell that it was first wanted for.
  const CellRig& real_rig(std::size_t i) {
    const CellResult& cell = cells_[i];
    const auto cache_bytes = result_.environment.machine.last_level_cache_bytes;
    if (!rigs_[i]) {
      rigs_[i] = std::make_unique<CellRig>(cell.cell, dataset_of(cell), cache_bytes, gradients_of(context_));
    }
    const auto* real = dynamic_cast<const CellRig*>(rigs_[i].get());
    if (real == nullptr) throw Error("ceilings: want the cells to have datasets");
    return *real;
  }

  const Dataset& dataset_of(const CellResult& cell) {
    auto& dataset = datasets_[cell.dataset];
    if (!dataset) dataset = open_for(cell.cell);
    return *dataset;
  }

  // As rig(), of samples that lie in memory: what the machine can do with them does not depend on how they are stored.
  const CellRig& rig_in_memory(std::size_t i) {
    const CellRig& original = real_rig(i);
    const Dataset& dataset = original.assembler().dataset();
    const Access access = dataset.info().access;
    if (access == Access::kMapped || access == Access::kResident) return original;
    const CellResult& cell = cells_[i];
    // The same in every format; there are no such ceilings on a dataset that has none yet.
    auto& copy = copies_[result_.datasets[cell.dataset].fingerprint.value()];
    if (!copy) copy = samples_in_memory(cell.cell, dataset, result_.environment.machine);
    auto& found = rigs_in_memory_[i];
    const auto cache_bytes = result_.environment.machine.last_level_cache_bytes;
    if (!found) found = std::make_unique<CellRig>(cell.cell, *copy, cache_bytes);
    return *found;
  }

  // What the process may run on, where that is not what it was when the machine was looked at.
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
  std::size_t cell_count_ = 0;  // that have trials in these rounds; the ceilings come behind them
  std::vector<Moments> took_;   // seconds, of trials of each cell and ceiling with all that stands around them
  std::vector<std::unique_ptr<Dataset>> datasets_;
  std::vector<std::unique_ptr<Rig>> rigs_;
  std::map<std::uint64_t, std::unique_ptr<Dataset>> copies_;  // by fingerprint
  std::map<std::size_t, std::unique_ptr<CellRig>> rigs_in_memory_;
  PageCache cache_;
  EpochTallies tallies_;  // of this rank, in the trial at hand
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

TraceOutcome run_traced(const TraceOptions& options, Result& result, RunContext& context) {
  return Bench(result.options, result, result.cells, context).trace(options);
}

bool run_further(const RunOptions& options, Result& result, std::vector<CellResult>& cells, RunContext& context) {
  Bench bench(options, result, cells, context);
  bench.prepare();
  return bench.run_rounds(true, false);
}

}  // namespace loadline
