// What a loader and a step give on many ranks of an assumed system, in closed form. Pure functions, safe from any
// thread. docs/forecast.md has the formulas with their sources, and what they leave out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/forecast/basis.h"
#include "harness/forecast/system.h"

namespace loadline {

// What holds a rank back.
enum class Limit : std::uint8_t {
  kCompute,     // the step
  kStragglers,  // waiting in each step for the slowest rank
  kGradients,   // summing them up
  kWorkers,     // what the loader's workers compute
  kLatency,     // what they wait for each request besides its bytes, with as many under way as there are
  kNodeCpus,
  kClient,      // the node's own way to the storage
  kBandwidth,   // of the storage
  kOperations,  // requests per second of the storage
  kFirstReads,  // of what no page cache holds, as slow as the first epoch of one rank
};

// "compute", "stragglers", "gradients", "workers", "latency", "node's CPUs", "node's link", "storage bandwidth",
// "storage operations", "first reads".
std::string_view name(Limit limit);

// One end of what the figures allow, or what is likely. Low: rates at the low ends of their intervals, step times that
// vary from step to step as much as the trials allow, and storage whose requests come at random. High: rates at the
// high ends, no stragglers, and storage that is never idle while anybody waits.
enum class Outlook : std::uint8_t { kLow, kLikely, kHigh };

// The parts of a rank's time, at a number of ranks.
struct RankRates {
  double load_per_second = 0;   // samples
  double alone_per_second = 0;  // the same, if no other node used the storage
  double step_per_second = 0;   // with stragglers and gradients
  double step_seconds = 0;      // a batch, of these:
  double straggler_seconds = 0;
  double reduction_seconds = 0;
  double samples_per_second = 0;  // loading and steps together
  Limit limit = Limit::kCompute;
};

// `missed`: the share of the samples that the page cache of the node does not hold.
RankRates rank_rates(const Basis& basis, const System& system, std::size_t ranks, double missed, Outlook outlook);

// Samples per second that the shared storage can give all ranks together, and one node; infinite without a limit.
double storage_per_second(const Basis& basis, const SharedStorage& storage, double missed);
double client_per_second(const Basis& basis, const SharedStorage& storage, double missed);

// One point of a forecast.
struct ForecastPoint {
  std::size_t ranks = 0;
  std::size_t nodes = 0;
  double samples_per_second = 0;  // of all ranks, in the last epoch asked for
  double low_per_second = 0;
  double high_per_second = 0;
  double utilisation = 0;  // share of the time in which a rank computes
  double efficiency = 0;   // of one rank's FULL times the ranks
  double storage_bytes_per_second = 0;
  RankRates rank;
  std::vector<double> epochs;             // samples per second of all ranks, the first epoch first
  std::optional<double> staging_seconds;  // before the first epoch
};

ForecastPoint forecast_point(const Basis& basis, const System& system, std::size_t ranks, std::size_t epochs);

// The share of an epoch's samples that the node's page cache does not hold: all of them where it holds nothing, and in
// the first epoch, unless that draws some of them twice.
double missed_share(const Basis& basis, const System& system, std::size_t ranks, std::size_t epoch);

// How long nodes copy before they begin; nullopt where they do not.
std::optional<double> staging_seconds(const Basis& basis, const System& system, std::size_t ranks);

// The expected largest of `count` draws from a standard normal distribution: 0 of one, 1.539 of ten.
double expected_largest(double count);

// Seconds to sum up `bytes` over `members`, which have a link each: in a ring 2 (p - 1) messages of a p-th of the bytes
// (Thakur, Rabenseifner, Gropp, 2005); in two binary trees 2 log2 p messages, and each byte twice over a link (Sanders,
// Speck, Traeff, 2009).
double reduction_seconds(const Network& network, double bytes, std::size_t members);

// Requests per second of `customers` that each think for `think_seconds` between requests which a single server takes
// `service_seconds` for, in random lengths: mean value analysis (Reiser, Lavenberg, 1980). Of more than 1e5 customers
// it is the fixed point of Schweitzer (Approximate analysis of multiclass closed networks of queues, 1979), which is
// less than 0.1 % off there.
double closed_queue_per_second(double customers, double think_seconds, double service_seconds);

// The fewest ranks that ask the storage for as much as it gives; nullopt where 10 million do not.
std::optional<std::size_t> saturating_ranks(const Basis& basis, const System& system);

}  // namespace loadline
