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
  std::optional<Summary> tokens_per_second;   // nullopt without trials, and where samples are no tokens
  std::optional<double> padding_share;    // of the places for tokens that stood empty in all counted trials; likewise
  std::optional<double> cut_share;        // of the tokens that were made in these; likewise, and of text alone
  std::vector<std::size_t> outliers;      // indices of trials; flagged, never dropped
  std::optional<CellLoadLine> load_line;  // nullopt without trials or ceilings
};

// What a job pays before its first step, against the epochs that it runs for.
struct StartUp {
  double seconds;       // to open the data and to wait for the first batch, measured once
  Estimate warm_epoch;  // in seconds, at the rate of the trials
  bool dominates;       // start-up is longer than the interval of the epoch allows
};

// A first pass over the data, held against a later one: FULL cold against FULL warm, all else alike.
struct ColdStart {
  std::size_t warm = 0;                // index of the configuration that differs in the page cache alone
  Estimate fetch_stall;                // 1 - T_warm / T_cold: the compute waits for storage
  std::optional<Estimate> prep_stall;  // the stall of the warm one: the compute waits for preparation
  std::optional<Estimate> io;          // IO cold over IO warm
  std::string sentence;
};

// One loader at one worker count and batch size, on one workload, and all else alike: its IO and FULL, and the
// SYNTHETIC they share.
struct Configuration {
  std::string workload;
  std::string loader;
  std::size_t workers = 0;  // 0: the loader has none
  std::size_t batch_size = 0;
  std::string further;            // its other axes, as its FULL cell's name tells them: "/prefetch:4/dtype:u8"
  std::optional<std::size_t> io;  // indices of cells; nullopt: not asked for
  std::optional<std::size_t> synthetic;
  std::optional<std::size_t> full;
  Verdict verdict;
  std::optional<StartUp> start_up;  // nullopt without a first epoch or trials
  std::optional<Causes> causes;     // where its threads' time went in IO, or FULL without IO; nullopt without trials
  // Of FULL beside an IO, of all threads of the process; those named are those that are not of IO, latency never.
  std::optional<Causes> causes_in_full;
  std::optional<ColdStart> cold_start;  // none but of cold trials, where there are warm ones too
};

struct Warning {
  std::string id;          // stable: scripts may look for it
  std::string message;     // one sentence
  double severity = 0;     // of several warnings with one id, the one with the highest severity is shown
  bool in_python = false;  // its advice is for a program, not for the command line
};

struct Judgement {
  std::vector<CellSummary> cells;                // as Result::cells
  std::vector<CellSummary> checks;               // as Result::checks; without load lines
  std::vector<std::optional<Summary>> ceilings;  // as Result::ceilings, in units per second; nullopt without trials
  std::vector<Configuration> configurations;
  std::vector<Curve> curves;  // of IO and of FULL
  std::vector<Headline> headlines;
  std::vector<Prediction> predictions;  // of the headlines
  std::vector<Warning> warnings;
};

Judgement judge_run(const Result& result);

// Samples per second, one rate a trial.
std::vector<double> rates_of(const CellResult& cell);

// Threads of a compute that computes, on CPUs that the workers may use as well.
std::size_t shared_compute_threads(const Cell& cell);

// Mean time of a batch over the trials of a cell; nullopt without trials.
std::optional<double> seconds_per_batch(const CellResult& cell);
// The same of the run's OVERHEAD cell: what the harness itself costs.
std::optional<double> overhead_seconds_per_batch(const Result& result);

}  // namespace loadline
