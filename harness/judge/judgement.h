// What a result says: summaries, verdicts and warnings. A pure function of the result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/causes.h"
#include "harness/judge/curves.h"
#include "harness/judge/load_line.h"
#include "harness/judge/prediction.h"
#include "harness/judge/recommendation.h"
#include "harness/judge/statistics.h"
#include "harness/judge/verdict.h"
#include "harness/result/result.h"

namespace loadline {

// The lowest of what a cell cannot pass.
struct CellLoadLine {
  LoadLine line;
  std::optional<std::size_t> ceiling;  // index in Result::ceilings; nullopt: the compute
  std::string name;                    // of the ceiling, or of the SYNTHETIC cell that the compute was measured in
};

struct CellSummary {
  std::optional<Summary> samples_per_second;  // nullopt without trials
  // nullopt without trials, where samples are not tokens, and for SYNTHETIC of documents, which repeats one batch.
  std::optional<Summary> tokens_per_second;
  // Share of the places for tokens left empty in all counted trials; nullopt without trials, and where samples are not
  // tokens.
  std::optional<double> padding_share;
  std::optional<double> cut_share;    // share of the tokens made in them that were cut off; likewise, and for text only
  std::vector<std::size_t> outliers;  // indices of trials; flagged, never dropped
  std::optional<CellLoadLine> load_line;  // nullopt without trials or ceilings
};

// What a job pays before its first step, compared with an epoch.
struct StartUp {
  double seconds;       // to open the data and to wait for the first batch, measured once
  Estimate warm_epoch;  // in seconds, at the rate of the trials
  bool dominates;       // start-up is longer than an epoch, beyond its interval
};

// A first pass over the data compared with a later one: FULL cold against FULL warm, all else equal.
struct ColdStart {
  std::size_t warm = 0;                // index of the configuration that differs only in the page cache
  Estimate fetch_stall;                // 1 - T_warm / T_cold: the compute waits for storage
  std::optional<Estimate> prep_stall;  // the stall of the warm pass: the compute waits for preparation
  std::optional<Estimate> io;          // IO cold over IO warm
  std::string sentence;
};

// One loader at one worker count and batch size, on one workload, all else equal: its IO and FULL, and the SYNTHETIC
// they share.
struct Configuration {
  std::string workload;
  std::string loader;
  std::size_t workers = 0;  // 0: the loader has none
  std::size_t batch_size = 0;
  std::string further;            // its other axes, as in the name of its FULL cell: "/prefetch:4/image_size:160"
  std::string task;               // those of them that say what is trained, which nobody chooses for its speed
  std::string choices;            // all others
  std::optional<std::size_t> io;  // indices of cells; nullopt: not requested
  std::optional<std::size_t> synthetic;
  std::optional<std::size_t> full;
  Verdict verdict;
  std::optional<StartUp> start_up;  // nullopt without a first epoch or warm trials
  std::optional<Causes> causes;     // where its threads' time went in IO, or FULL without IO; nullopt without trials
  // In FULL, where there is an IO too, for all threads of the process. Names only causes that IO does not have, and
  // never latency.
  std::optional<Causes> causes_in_full;
  std::optional<ColdStart> cold_start;  // only for cold trials that have warm counterparts
};

struct Warning {
  std::string id;          // stable: scripts may search for it
  std::string message;     // one sentence
  double severity = 0;     // of several warnings with one id, the one with the highest severity is shown
  bool in_python = false;  // its advice addresses a Python program, not the command line
  bool until_ci = false;   // its advice addresses a run with --until-ci
  bool stopped = false;    // it reports what is missing because the run was stopped, and so has no advice
};

struct Judgement {
  std::vector<CellSummary> cells;   // as Result::cells
  std::vector<CellSummary> checks;  // as Result::checks; without load lines
  std::vector<std::optional<Summary>>
      ceilings;  // as Result::ceilings, in the ceiling's units per second; nullopt without trials
  std::vector<Configuration> configurations;
  std::vector<Curve> curves;  // of IO and of FULL
  std::vector<Headline> headlines;
  std::vector<Prediction> predictions;  // of the headlines
  std::vector<Warning> warnings;
};

Judgement judge_run(const Result& result);

// Samples per second, one rate per trial.
std::vector<double> rates_of(const CellResult& cell);

// Samples of a batch of the cell's trials on average; 0 without any.
double mean_batch(const CellResult& cell);

// Threads of a compute that has threads of its own, on CPUs that the workers may use too.
std::size_t shared_compute_threads(const Cell& cell);

// Threads that take the batches and compute: the consumer is one of those of a compute that has its own.
std::size_t consumer_threads(const Cell& cell);

// Whether steps may continue while the host waits for a batch: on a device with a depth above 0, emulated or not, and
// as far as is known in code from outside. Every other compute is done with a step when the call returns.
bool launches_ahead(const Cell& cell);

// Mean time per batch over the trials of a cell; nullopt without trials.
std::optional<double> seconds_per_batch(const CellResult& cell);
// The same for the run's OVERHEAD cell: what the harness itself costs.
std::optional<double> overhead_seconds_per_batch(const Result& result);

}  // namespace loadline
