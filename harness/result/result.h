// Everything about one run, as plain data. measure/ writes it; judge/, show/ and result_json read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "harness/machine/cpu_limits.h"
#include "harness/machine/environment.h"
#include "harness/machine/storage_facts.h"
#include "harness/machine/usage.h"
#include "harness/plan/plan.h"
#include "harness/result/loader_stages.h"
#include "harness/result/monitor_record.h"
#include "harness/result/rank_record.h"
#include "harness/result/staging_record.h"
#include "harness/result/trial_readings.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

struct WaitSummary {
  double total_seconds = 0;
  double p50_seconds = 0;
  double p95_seconds = 0;
  double p99_seconds = 0;
  double max_seconds = 0;
};

// How much of a dataset's files the page cache held around a measurement. Absent if not checked: without a loader,
// and where checking would take too long.
struct CacheLooks {
  std::optional<Residency> before;
  std::optional<Residency> after;
};

// What a loader filled, batch after batch, for a sink that returned each batch unread: its rate without a drain.
struct Fill {
  double wall_seconds = 0;
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;

  double samples_per_second() const { return static_cast<double>(samples) / wall_seconds; }
};

// Batches that were ready but not taken when a trial's clock started, and when it stopped.
struct QueueLevels {
  std::size_t ready_at_start = 0;
  std::size_t ready_at_end = 0;
};

// One timed pass of the loop.
struct Trial {
  std::size_t round = 0;
  std::size_t place = 0;                        // in the order of all trials of the run
  double started_seconds = 0;                   // after the start of the run, without the time between its parts
  std::optional<double> clock_started_seconds;  // the same for its timed part; absent in results of older versions
  bool pilot = false;                           // it only decided how many trials there are: no statistics use it
  double setup_seconds = 0;                     // making feed and sink, allocating slots, starting workers
  double compute_setup_seconds = 0;             // of these, the sink's: generating kernels, making weights
  double first_batch_seconds = 0;               // from the same moment to the first batch in hand
  std::size_t warm_up_batches = 0;
  double wall_seconds = 0;
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of assembled data
  // Tokens that the samples had to predict, and places for tokens left empty; absent where samples are not tokens.
  std::optional<std::uint64_t> tokens;
  std::optional<std::uint64_t> padding;
  std::optional<std::uint64_t> cut_tokens;  // that had no room in their samples; absent where samples are not text
  Stores stores = Stores::kCached;
  WaitSummary wait;                  // of the consumer, per batch
  std::string compute_description;   // the sink's own description of itself; may be empty
  std::vector<StageSummary> stages;  // parts of the wall time, which add up to it; empty if the sink reports none
  std::optional<Fill> fill;          // in IO, after its timed part; absent in other modes and in cold trials
  std::optional<QueueLevels> queue;  // absent where the feed has no queue
  CacheLooks page_cache;
  Usage usage;  // while the clock ran; in a cold trial, from when its feed was made
  // The CPUs that the process might use, if they changed since the run began; absent if they did not.
  std::optional<CpuLimits> changed_cpus;
  bool suspended = false;  // the process was stopped during the trial, and continued (SIGSTOP, SIGCONT)
  std::optional<DeliveredFormat> delivered;  // by an external loader; for Result::loaders, not written with the trial
  std::optional<EnergyUse> energy;
  std::optional<TrialCounters> counters;  // nullopt without --counters
  // Parts of each worker's wall time, which add up to it; absent if the loader does not report them.
  std::optional<LoaderStages> loader_stages;
  // The NUMA node of the thread that took the batches, when the clock stopped, and the number of slots that had most
  // of their pages on each node. Absent, and empty, where the system does not report them, and for slots that are not
  // the loader's own.
  std::optional<std::size_t> consumer_node;
  std::vector<OnNode> slot_nodes;
  // For a Python loop: CPU time that processes and threads of the loader used while the clock ran.
  std::optional<double> loader_cpu_seconds;
  std::optional<TrialRanks>
      ranks;  // absent for a single process. With several, everything above is that of all together

  std::optional<SummedGradients> summed;  // by this rank; for `ranks`, not written with the trial

  // The number of processes that made the trial.
  std::size_t rank_count() const { return ranks && !ranks->each.empty() ? ranks->each.size() : 1; }
  // Whether the CPU quota held the trial back.
  bool throttled() const { return usage.throttled_seconds.value_or(0) > 0; }
  double samples_per_second() const { return static_cast<double>(samples) / wall_seconds; }
  std::optional<double> tokens_per_second() const {
    return tokens ? std::optional(static_cast<double>(*tokens) / wall_seconds) : std::nullopt;
  }
};

// The first epoch of a freshly opened dataset, as a starting job would see it.
struct FirstEpoch {
  double open_seconds = 0;
  double first_batch_seconds = 0;  // from creating the loader to the first batch in hand
  double wall_seconds = 0;
  std::uint64_t samples = 0;
  std::uint64_t batches = 0;
  bool complete = false;  // it is the whole epoch, rather than as much as its time allowed
  CacheLooks page_cache;  // `before`: from before the dataset was opened
  Usage usage;
  // From when the workers were made, which covers a part of the wall time. Absent where the loader does not report
  // them.
  std::optional<LoaderStages> loader_stages;
};

// Why a cell has no further trials.
enum class Stopped : std::uint8_t {
  kTrials,     // it has as many as were requested
  kInterval,   // its interval is as narrow as requested
  kMaxTrials,  // it has --max-trials, and its interval is not that narrow
  kTimeLimit,  // the time ran out
  kError,
};

// "trials", "interval", "max-trials", "time-limit", "error".
constexpr std::string_view name(Stopped stopped) {
  switch (stopped) {
    case Stopped::kTrials: return "trials";
    case Stopped::kInterval: return "interval";
    case Stopped::kMaxTrials: return "max-trials";
    case Stopped::kTimeLimit: return "time-limit";
    case Stopped::kError: return "error";
  }
  return "";
}

// How the random order of a cell is made where it is not drawn in memory: "keyed".
inline constexpr std::string_view kKeyedShuffle = "keyed";

struct CellResult {
  Cell cell;
  std::size_t dataset = 0;   // index in Result::datasets
  std::size_t prefetch = 0;  // in force; 0 without workers
  std::size_t slots = 0;
  std::size_t slot_bytes = 0;
  std::size_t compute_bytes = 0;       // approximate memory of the compute, apart from the slots
  std::optional<std::string> shuffle;  // kKeyedShuffle; nullopt: the order is drawn in memory, or as stored
  std::optional<FirstEpoch> first_epoch;
  std::vector<std::size_t> bounds;  // indices in Result::ceilings: its upper bounds
  std::vector<Trial> trials;
  std::map<SampleIndex, std::string> skipped;  // samples that could not be decoded and were left out, and why
  std::size_t skipped_unnamed = 0;             // further ones, for which a file that was read back has only the number
  std::optional<std::string> error;            // why the cell has no trials, or no further ones
  std::optional<Stopped> stopped;              // absent: it was due more trials, or has no trials of its own

  std::size_t skipped_count() const { return skipped.size() + skipped_unnamed; }
};

struct CeilingResult {
  Ceiling ceiling;
  std::size_t cell = 0;  // index in Result::cells of the first cell that it is measured for
  std::vector<CeilingTrial> trials;
  std::optional<std::string> error;  // why it has no trials, or no further ones
};

// A loader that is not in the loader table.
struct ExternalLoader {
  std::string loader;  // its name in cells
  LoaderOrigin origin;
  std::optional<DeliveredFormat> delivered;  // the last batch of the last trial; nullopt: no trial finished
};

// A file that a loader or a compute of the command line names: a recording, a plug-in, a program in Python.
struct NamedFile {
  std::string named_by;  // the loader or compute: "replay:file=job.json"
  std::filesystem::path path;
  std::uint64_t hash = 0;  // XXH3 of its contents
};

// The file in `known` that the same loader or compute named when it held something else; null if there is none.
inline const NamedFile* other_contents(const std::vector<NamedFile>& known, const NamedFile& file) {
  for (const NamedFile& one : known) {
    if (one.named_by == file.named_by && one.hash != file.hash) return &one;
  }
  return nullptr;
}

struct DatasetFacts {
  std::filesystem::path path;  // as the user gave it, or the copy's
  // Where it led when the run began: absolute and without symbolic links. nullopt: to no file, or an older result.
  std::optional<std::filesystem::path> canonical_path;
  std::optional<StagedCopy> staged;  // what the path is a copy of; nullopt: the data is read in place
  DatasetInfo info;
  std::size_t files_left_out = 0;                  // from info.files, in a result that was read back
  std::optional<std::uint64_t> fingerprint;        // run_fingerprint(); nullopt: its samples were not read, or not yet
  std::optional<std::size_t> fingerprint_samples;  // number of samples that it covers; nullopt: all
  std::optional<std::size_t> files_looked_at;      // number of files whose page cache was checked; nullopt: all
  StorageFacts storage;
  Residency found;                 // page cache before this run touched the files
  Residency before;                // before the first trial
  std::optional<Residency> after;  // after the last trial
  // For samples in memory: how many of the checked pages were on each NUMA node; empty where the system does not
  // report it.
  std::vector<OnNode> memory_nodes;
};

// Whether both have fingerprints of the same choice of samples, and these differ.
inline bool samples_differ(const DatasetFacts& a, const DatasetFacts& b) {
  return a.fingerprint && b.fingerprint && a.fingerprint_samples == b.fingerprint_samples &&
         a.fingerprint != b.fingerprint;
}

// Whether both were read at the same place, by whatever path.
inline bool same_place(const DatasetFacts& a, const DatasetFacts& b) {
  return a.path == b.path || (a.canonical_path && a.canonical_path == b.canonical_path);
}

// A value that a search tried, in short trials of SYNTHETIC and FULL or in a whole run to confirm it.
struct Probe {
  double value = 0;               // of the quantity searched for
  std::vector<double> synthetic;  // samples per second, one rate per trial
  std::vector<double> full;
  bool enough = false;    // it reaches the utilisation to maintain
  bool confirms = false;  // it is a whole run
};

// What --find looked for, and the outcome.
struct Search {
  std::string kind;                 // of --find
  double utilisation = 0;           // to maintain
  std::vector<Probe> probes;        // in the order in which they were made
  std::optional<double> found;      // by short trials; nullopt: no value that was tried is enough
  std::optional<double> confirmed;  // by the run whose cells are in the result; nullopt: not confirmed
};

// A configuration that --find best considered: its FULL cell, or its IO cell where FULL is not measured.
struct Candidate {
  std::string cell;  // its name
  std::string loader;
  std::size_t workers = 0;  // 0: the loader has none
  std::optional<std::size_t> prefetch;
  std::size_t batch_size = 0;
  std::vector<double> probes;        // samples per second, one rate each
  std::vector<double> grid;          // the same for full trials of all candidates; empty: not measured
  std::optional<std::string> error;  // why it was abandoned
};

// One step of successive halving: how many candidates, the probes of each, and how many candidates went on.
struct Rung {
  std::size_t candidates = 0;
  std::size_t probes = 0;
  std::size_t kept = 0;
};

// What --find best looked at. The cells of the result are those of the finalists.
struct Best {
  Mode mode = Mode::kFull;  // whose rate is maximised
  std::size_t trials = 0;   // per candidate, had there been no search
  double probe_share = 0;   // length of a probe over that of a trial
  std::vector<Candidate> candidates;
  std::vector<Rung> rungs;
  std::optional<std::string>
      winner;  // cell of the recommended finalist; nullopt: the trials cannot tell, or the run was stopped
};

// What the process used for the whole run, including set-up and judging.
struct RunUsage {
  double wall_seconds = 0;
  Usage usage;
};

// The peak memory that a run needs, added up before anything is measured, and the limit that leaves least.
struct MemoryUse {
  std::uint64_t needed_bytes = 0;
  std::uint64_t largest_bytes = 0;               // the largest part of it
  std::string largest;                           // what that part is for
  std::optional<std::uint64_t> available_bytes;  // nullopt: no limit is known
  std::string limit;                             // which limit that is; empty: none is known
};

// How the Python package made the trials of a program's own loop, whose loader and step are not ours.
struct LoopFacts {
  std::string loader;                           // type of the object iterated over, with its module
  std::map<std::string, std::string> versions;  // of the interpreter and of libraries, by name
  bool restarts = false;  // each trial had its own iterator; otherwise one served all, since it cannot be restarted
  std::size_t resident_batches = 0;  // that SYNTHETIC used again and again
  std::string samples_by;            // how the number of samples of a batch is known: "first dimension", "function"
  std::optional<std::string> accelerator;      // that trials wait for at their ends: "cuda"
  std::optional<std::string> starts_together;  // how ranks start a trial: "torch.distributed"; nullopt: they do not
  std::size_t busy_starts = 0;                 // trials of SYNTHETIC that began before the loader was idle
};

enum class Status : std::uint8_t { kPartial, kComplete };

// "partial", "complete".
constexpr std::string_view name(Status status) {
  return status == Status::kComplete ? "complete" : "partial";
}

struct Result {
  std::string run_id;
  std::string started;  // ISO 8601, UTC
  std::optional<std::string> finished;
  std::vector<std::string> resumed;  // when each further part began, if the run was interrupted
  Status status = Status::kPartial;
  std::vector<std::string> arguments;     // command line
  std::vector<std::string> merged_from;   // ids of the runs that were merged; empty: it is one run
  std::vector<std::string> other_builds;  // name_of() each other build that measured parts of the run
  RunOptions options;
  // By --part, in all parts together. Absent without it, and in merged results that lack no part.
  std::optional<std::size_t> divided_configurations;
  std::string kernels;  // dispatch levels in use, from kernels_in()
  Environment environment;
  std::optional<MemoryUse> memory;  // nullopt if it was not added up, as in merged results
  std::vector<DatasetFacts> datasets;
  std::vector<ExternalLoader> loaders;  // those used that are not in the loader table, in the order of cells
  std::vector<NamedFile> named_files;   // in the order of cells; empty: they name none, or an older version wrote it
  std::vector<CellResult> cells;
  std::vector<CeilingResult> ceilings;
  std::vector<CellResult> checks;        // cells of predictions, measured after all other cells
  std::optional<Search> search;          // nullopt without --find, and with --find best
  std::optional<Best> best;              // only with --find best
  std::optional<MonitorRecord> monitor;  // nullopt without --monitor
  std::optional<CounterFacts> counters;  // nullopt without --counters
  std::optional<RunUsage> process;       // nullopt until the run has ended
  std::optional<LoopFacts> loop;         // only for a program's own loop
  std::optional<RunRanks> ranks;         // only for several ranks in one run

  // Of cells and ceilings; pilot trials too.
  std::size_t trial_count() const {
    const auto more = [](std::size_t count, const auto& one) { return count + one.trials.size(); };
    return std::accumulate(ceilings.begin(), ceilings.end(),
                           std::accumulate(cells.begin(), cells.end(), std::size_t{0}, more), more);
  }
  bool has_trials() const { return trial_count() > 0; }
  // Whether `loadline ceilings` wrote it, which has trials of ceilings only.
  bool of_ceilings() const {
    const auto has_trials = [](const CellResult& cell) { return !cell.trials.empty(); };
    return arguments.size() > 1 && arguments[1] == "ceilings" && std::none_of(cells.begin(), cells.end(), has_trials);
  }
  // Whether --resume can continue the run if it was stopped. A search would start over.
  bool resumable() const { return !loop && options.find.empty() && merged_from.empty(); }
};

}  // namespace loadline
