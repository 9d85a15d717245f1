// How fast a loader and a step are on many ranks of an assumed system, in closed form. Pure functions, safe from any
// thread. docs/forecast.md has the formulas with their sources, and says what they leave out.
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
  kGradients,   // summing up gradients
  kWorkers,     // what the loader's workers compute
  kLatency,     // the workers' waiting for requests, apart from their bytes, with as many under way as they have
  kNodeCpus,
  kClient,      // the node's own link to the storage
  kBandwidth,   // of the storage
  kOperations,  // requests per second of the storage
  kFirstReads,  // of what no page cache holds, at the pace of one rank's first epoch
};

// "compute", "stragglers", "gradients", "workers", "latency", "node's CPUs", "node's link", "storage bandwidth",
// "storage operations", "first reads".
std::string_view name(Limit limit);

// Either end of what the figures allow, or what is likely. Low: rates at the low ends of their intervals, step times
// that vary from step to step as much as the trials allow, and storage with requests at random times. High: rates at
// the high ends, no stragglers, and storage that is never idle while a rank waits.
enum class Scenario : std::uint8_t { kLow, kLikely, kHigh };

// The parts of a rank's time, at a number of ranks.
struct RankRates {
  double load_per_second = 0;   // samples
  double alone_per_second = 0;  // the same, if no other node used the storage
  double step_per_second = 0;   // with stragglers and gradients
  double step_seconds = 0;      // per batch; made up of:
  double straggler_seconds = 0;
  double reduction_seconds = 0;
  double samples_per_second = 0;  // loading and steps together
  Limit limit = Limit::kCompute;
  // What else takes a quarter of the time or more, apart from the step: the largest such part. Absent where the limit
  // is one that ranks share, which is busy all the time.
  std::optional<Limit> second;
  double second_share = 0;  // of the time of a rank
};

// `missed`: the share of the samples that the node's page cache does not hold.
RankRates rank_rates(const Basis& basis, const System& system, std::size_t ranks, double missed, Scenario scenario);

// Samples per second that the shared storage can give all ranks together, and one node; infinite without a limit.
double storage_per_second(const Basis& basis, const SharedStorage& storage, double missed);
double client_per_second(const Basis& basis, const SharedStorage& storage, double missed);

// One point of a forecast.
struct ForecastPoint {
  std::size_t ranks = 0;
  std::size_t nodes = 0;
  double samples_per_second = 0;  // of all ranks, in the last requested epoch
  double low_per_second = 0;
  double high_per_second = 0;
  double utilisation = 0;  // share of the time in which a rank computes
  double efficiency = 0;   // over one rank's FULL times the ranks
  double storage_bytes_per_second = 0;
  RankRates rank;
  std::vector<double> epochs;             // samples per second of all ranks, the first epoch first
  std::optional<double> staging_seconds;  // before the first epoch
};

ForecastPoint forecast_point(const Basis& basis, const System& system, std::size_t ranks, std::size_t epochs);

// The share of an epoch's samples that the node's page cache does not hold: all of them where it holds nothing and in
// the first epoch, unless that epoch draws some samples twice.
double missed_share(const Basis& basis, const System& system, std::size_t ranks, std::size_t epoch);

// How long nodes copy before they begin; nullopt where they copy nothing.
std::optional<double> staging_seconds(const Basis& basis, const System& system, std::size_t ranks);

// The expected largest of `count` draws from a standard normal distribution: 0 for one, 1.539 for ten.
double expected_largest(double count);

// Seconds to sum up `bytes` over `members` with a link each: in a ring, 2 (p - 1) messages of a p-th of the bytes
// (Thakur, Rabenseifner, Gropp, 2005); in two binary trees, 2 log2 p messages, and each byte twice over a link
// (Sanders, Speck, Traeff, 2009).
double reduction_seconds(const Network& network, double bytes, std::size_t members);

// Requests per second of `customers` that each think for `think_seconds` between requests, where a single server
// takes `service_seconds` per request on average: mean value analysis (Reiser, Lavenberg, 1980). Beyond 1e5 customers
// it is Schweitzer's fixed point (Approximate analysis of multiclass closed networks of queues, 1979), which is off
// by at most about 0.1 % there.
double closed_queue_per_second(double customers, double think_seconds, double service_seconds);

// The fewest ranks that together get all that the storage can deliver; nullopt where 10 million do not.
std::optional<std::size_t> saturating_ranks(const Basis& basis, const System& system);

}  // namespace loadline
