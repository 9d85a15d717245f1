// What a forecast knows about one rank: measured figures, as plain data. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/judge/judgement.h"
#include "harness/judge/statistics.h"
#include "harness/result/result.h"

namespace loadline {

// How a loader waits for storage.
enum class Reading {
  kOneByOne,   // each worker waits for one request at a time, and computes in between
  kBatchwise,  // each worker requests many of a batch's samples at once, waits for all, and then computes
  kAhead,      // requests of all workers are under way while they compute
};

// One loader and one step, as measured on one rank with files in the page cache or on its own storage.
struct Basis {
  std::string name;  // of the measurement, for people
  // How it was chosen where several could have been and nobody named one: "recommended among 4 configurations".
  std::string choice;
  std::size_t batch_size = 1;
  std::size_t workers = 0;  // 0: batches are loaded by the thread that runs the steps
  std::size_t prefetch = 0;
  Reading reading = Reading::kOneByOne;
  std::size_t in_flight = 1;  // requests that a rank has under way, at most

  Estimate load_per_second;  // samples: what the loader fills without a consumer to wait for
  Estimate step_per_second;  // samples: what the step takes when nothing has to be loaded
  // What was measured of either alone, where FULL was noticeably faster, beyond noise. The two above are at least the
  // rate of FULL.
  std::optional<Estimate> slower_load_per_second;
  std::optional<Estimate> slower_step_per_second;
  // The share of the shorter of the two that passes beside the other: 1 with workers; without, what FULL shows, since a
  // device computes while its host loads; 0: one after the other.
  double overlap = 1;
  std::optional<Estimate> together_per_second;  // samples: FULL
  // Of all threads, in FULL; in IO plus SYNTHETIC where that is less and the step holds back the loader. 0: not
  // known.
  double cpu_seconds_per_sample = 0;
  std::size_t cpus = 0;  // of the rank; 0: not known
  // Of one thread: seconds of reading, which slower storage lengthens or replaces.
  double read_seconds_per_sample = 0;
  bool from_storage = false;  // those seconds were measured on storage, not in the page cache
  bool reads_unseen = false;  // by functions in Python, which do not say what they read

  double step_variation = 0;       // standard deviation over mean of a trial's step, from trial to trial
  double steps_of_trial = 1;       // number of steps whose mean each of these is
  double bytes_per_sample = 0;     // as stored
  double requests_per_sample = 1;  // of storage
  double dataset_bytes = 0;
  double dataset_samples = 0;   // of an epoch
  bool random_crops = false;    // an epoch draws them with repeats, rather than each sample once
  double gradient_bytes = 0;    // that ranks sum up in each step
  double start_up_seconds = 0;  // until a job has its first batch
  // How much longer per sample a first epoch took than a later one, where it read from storage.
  std::optional<double> cold_seconds_per_sample;

  // Samples per second of loading and steps that run at these rates, with that overlap.
  double side_by_side(double load_rate, double step_rate) const;

  // The share of that rate that remains because loading and steps slow each other down: `together` over it, at most 1;
  // 1 if `together` is not known. Without arguments: of the measured rates.
  double coupling(double load_rate, double step_rate, std::optional<double> together) const;
  double coupling() const;

  // Seconds of one worker per sample, including everything that it does.
  double worker_seconds_per_sample() const;
};

// The basis of the configuration whose FULL or IO cell is named `cell`, or else of the one whose name contains it. If
// `cell` is empty: of the only configuration or the only headline. Throws Error naming `source` and what is missing:
// trials of SYNTHETIC, trials of IO or FULL, one configuration.
Basis basis_of(const Result& result, const Judgement& judgement, std::string_view cell, const std::string& source);

// The basis from figures that another tool printed:
// "io=582,synthetic=102.9,full=101.4,batch=32,workers=7,first_epoch=84.6,
// sample_bytes=9.4M,dataset_bytes=38G,epoch_samples=65536,gradient_bytes=...,crops=1". Rates in samples per second;
// io and synthetic are needed, and epoch_samples with crops. Throws usage Error that mentions `option` and the wrong
// part.
Basis basis_of_figures(std::string_view option, std::string_view text);

// Throws usage Error naming `option` where a sample has more bytes than the dataset, if that is known.
void check_sample_fits(std::string_view option, const Basis& basis);

}  // namespace loadline
