#include "harness/forecast/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostRanks = 10'000'000;

std::size_t ranks_on_node(const System& system, std::size_t ranks) {
  return std::min(ranks, system.ranks_of_node);
}

// Samples per second that a limit allows; infinite if both limits are 0.
double within(double bytes_per_second, double bytes, double iops, double requests) {
  double most = kUnbounded;
  if (bytes_per_second > 0 && bytes > 0) most = bytes_per_second / bytes;
  if (iops > 0 && requests > 0) most = std::min(most, iops / requests);
  return most;
}

double in_scenario(const Estimate& rate, Scenario scenario) {
  if (scenario == Scenario::kLikely || !rate.ci95) return rate.value;
  return scenario == Scenario::kLow ? rate.ci95->low : rate.ci95->high;
}

// Of loading or of the step. Neither is slower than both together, so the low end of that bounds theirs.
double in_scenario(const Basis& basis, const Estimate& rate, Scenario scenario) {
  const double alone = in_scenario(rate, scenario);
  if (scenario != Scenario::kLow || !basis.together_per_second) return alone;
  return std::max(alone, std::min(rate.value, in_scenario(*basis.together_per_second, scenario)));
}

double coupling_of(const Basis& basis, Scenario scenario) {
  const auto& together = basis.together_per_second;
  return basis.coupling(in_scenario(basis, basis.load_per_second, scenario),
                        in_scenario(basis, basis.step_per_second, scenario),
                        together ? std::optional(in_scenario(*together, scenario)) : std::nullopt);
}

// Seconds of one worker per sample.
struct SampleTimes {
  double computes = 0;
  double waits = 0;      // for the latency of its requests, one after the other
  double transfers = 0;  // of its bytes, where nobody else reads
  Limit of_transfers = Limit::kClient;
};

Limit limit_of_storage(const Basis& basis, const SharedStorage& storage, double missed) {
  const double bandwidth = within(storage.bytes_per_second, missed * basis.bytes_per_sample, 0, 0);
  return bandwidth <= storage_per_second(basis, storage, missed) ? Limit::kBandwidth : Limit::kOperations;
}

SampleTimes sample_times(const Basis& basis, const System& system, double missed, double load_per_second) {
  const SharedStorage& storage = system.storage;
  SampleTimes times;
  times.computes = static_cast<double>(std::max<std::size_t>(basis.workers, 1)) / load_per_second;
  if (storage.latency) {
    times.waits = missed * basis.requests_per_sample * *storage.latency;
    // Reads measured on other storage are dropped; reads from the page cache are processor time and stay.
    if (basis.from_storage) times.computes = std::max(0.0, times.computes - basis.read_seconds_per_sample);
  }
  const double total = storage_per_second(basis, storage, missed);
  const double client = client_per_second(basis, storage, missed);
  times.transfers = 1 / std::min(total, client);
  if (total < client) times.of_transfers = limit_of_storage(basis, storage, missed);
  return times;
}

// What takes a part of the time.
struct PathPart {
  Limit limit = Limit::kWorkers;
  double seconds = 0;  // per sample of a rank
};

// Samples per second that the workers of a rank load if nobody else reads.
struct Alone {
  double per_second = 0;
  Limit limit = Limit::kWorkers;
  std::array<PathPart, 3> parts = {};  // that follow each other
};

// For workers that do one thing after the other: what takes longest is their limit.
Alone load_in_turns(double workers, double waits, const SampleTimes& times) {
  Limit limit = waits > times.computes ? Limit::kLatency : Limit::kWorkers;
  if (times.transfers > std::max(waits, times.computes)) limit = times.of_transfers;
  return {workers / (times.computes + waits + times.transfers),
          limit,
          {PathPart{Limit::kWorkers, times.computes / workers}, PathPart{Limit::kLatency, waits / workers},
           PathPart{times.of_transfers, times.transfers / workers}}};
}

Alone load_alone(const Basis& basis, const SampleTimes& times) {
  const auto workers = static_cast<double>(std::max<std::size_t>(basis.workers, 1));
  const auto flight = static_cast<double>(basis.in_flight);
  switch (basis.reading) {
    case Reading::kOneByOne: return load_in_turns(workers, times.waits, times);
    case Reading::kBatchwise: {
      const double at_once = std::clamp(
          flight / workers, 1.0, std::max(1.0, basis.requests_per_sample * static_cast<double>(basis.batch_size)));
      return load_in_turns(workers, times.waits / at_once, times);
    }
    case Reading::kAhead: {
      const double waits = times.waits + times.transfers;
      const double computed = times.computes > 0 ? workers / times.computes : kUnbounded;
      const double answered = waits > 0 ? flight / waits : kUnbounded;
      if (answered >= computed) return {computed, Limit::kWorkers, {PathPart{Limit::kWorkers, 1 / computed}}};
      const Limit limit = times.transfers > times.waits ? times.of_transfers : Limit::kLatency;
      return {answered, limit, {PathPart{limit, 1 / answered}}};
    }
  }
  throw Error("forecast: unknown way of reading");
}

struct Bounded {
  double per_second;
  Limit limit;

  void by(double most, Limit why) {
    if (most < per_second) *this = {most, why};
  }
};

// What a rank gets from storage with requests at random times from all ranks.
double of_queue(const Basis& basis, double total, double ranks, double wanted) {
  if (!std::isfinite(total) || !std::isfinite(wanted)) return kUnbounded;
  const double customers = ranks * static_cast<double>(basis.in_flight);
  const double service = 1 / total;
  const double think = std::max(0.0, static_cast<double>(basis.in_flight) / wanted - service);
  return closed_queue_per_second(customers, think, service) / ranks;
}

// The node's and the storage's limits on what one of this many ranks gets, however it spends its time.
void hold_back(Bounded& rate, const Basis& basis, const System& system, std::size_t ranks, double missed,
               Scenario scenario) {
  const auto here = static_cast<double>(ranks_on_node(system, ranks));
  const auto all = static_cast<double>(ranks);
  const SharedStorage& storage = system.storage;
  if (system.node_cpus > 0 && basis.cpu_seconds_per_sample > 0) {
    rate.by(static_cast<double>(system.node_cpus) / (here * basis.cpu_seconds_per_sample), Limit::kNodeCpus);
  }
  rate.by(client_per_second(basis, storage, missed) / here, Limit::kClient);
  const double total = storage_per_second(basis, storage, missed);
  const Limit shared = limit_of_storage(basis, storage, missed);
  if (scenario == Scenario::kLow) rate.by(of_queue(basis, total, all, rate.per_second), shared);
  rate.by(total / all, shared);
}

void add_step(RankRates& rates, const Basis& basis, const System& system, std::size_t ranks, Scenario scenario) {
  const double plain = static_cast<double>(basis.batch_size) / in_scenario(basis, basis.step_per_second, scenario);
  rates.step_seconds = plain;
  if (system.together && ranks > 1) {
    const double variation = scenario == Scenario::kHigh  ? 0
                             : scenario == Scenario::kLow ? basis.step_variation * std::sqrt(basis.steps_of_trial)
                                                          : basis.step_variation;
    rates.straggler_seconds = plain * variation * expected_largest(static_cast<double>(ranks));
    rates.reduction_seconds =
        (1 - system.network.overlap) * reduction_seconds(system.network, basis.gradient_bytes, system.nodes_for(ranks));
    rates.step_seconds += rates.straggler_seconds + rates.reduction_seconds;
  }
  rates.step_per_second = static_cast<double>(basis.batch_size) / rates.step_seconds;
}

// What a binding step spends its time on, if that is more than a tenth.
Limit limit_of_step(const RankRates& rates) {
  const double most = std::max(rates.straggler_seconds, rates.reduction_seconds);
  if (most < 0.1 * rates.step_seconds) return Limit::kCompute;
  return rates.straggler_seconds > rates.reduction_seconds ? Limit::kStragglers : Limit::kGradients;
}

// The largest part of a rank's time beside its limit. What passes beside something longer takes no time.
void add_second(RankRates& rates, const Basis& basis, const Alone& alone) {
  constexpr double kConsiderable = 0.25;
  const bool load_is_longer = alone.per_second < rates.step_per_second;
  const double of_load = load_is_longer ? 1 : 1 - basis.overlap;
  const double of_steps = (load_is_longer ? 1 - basis.overlap : 1) / static_cast<double>(basis.batch_size);
  const auto consider = [&](const PathPart& part) {
    const double share = part.seconds * rates.samples_per_second;
    if (part.limit == rates.limit || share < std::max(kConsiderable, rates.second_share)) return;
    rates.second = part.limit;
    rates.second_share = share;
  };
  for (const PathPart& part : alone.parts) consider({part.limit, of_load * part.seconds});
  consider({Limit::kStragglers, of_steps * rates.straggler_seconds});
  consider({Limit::kGradients, of_steps * rates.reduction_seconds});
}

// The share of a node's draws in an epoch that are first draws.
double missed_of_draws(const Basis& basis, double nodes, double epoch) {
  if (!basis.random_crops || basis.dataset_bytes <= 0 || basis.bytes_per_sample <= 0) {
    return std::pow(1 - 1 / nodes, epoch - 1);
  }
  // Samples that a node draws in an epoch, in units of the dataset, with repeats: what it has not yet drawn falls off
  // exponentially.
  const double drawn = basis.dataset_samples * basis.bytes_per_sample / basis.dataset_bytes / nodes;
  return drawn > 0 ? std::exp(-drawn * (epoch - 1)) * -std::expm1(-drawn) / drawn : 1;
}

double normal_below(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

}  // namespace

std::string_view name(Limit limit) {
  switch (limit) {
    case Limit::kCompute: return "compute";
    case Limit::kStragglers: return "stragglers";
    case Limit::kGradients: return "gradients";
    case Limit::kWorkers: return "workers";
    case Limit::kLatency: return "latency";
    case Limit::kNodeCpus: return "node's CPUs";
    case Limit::kClient: return "node's link";
    case Limit::kBandwidth: return "storage bandwidth";
    case Limit::kOperations: return "storage operations";
    case Limit::kFirstReads: return "first reads";
  }
  return "";
}

double storage_per_second(const Basis& basis, const SharedStorage& storage, double missed) {
  return within(storage.bytes_per_second, missed * basis.bytes_per_sample, storage.iops,
                missed * basis.requests_per_sample);
}

double client_per_second(const Basis& basis, const SharedStorage& storage, double missed) {
  return within(storage.client_bytes_per_second, missed * basis.bytes_per_sample, storage.client_iops,
                missed * basis.requests_per_sample);
}

double expected_largest(double count) {
  if (count <= 1) return 0;
  // The mean of the largest is the area above its distribution less that below it. Beyond 9 there is nothing in a
  // double.
  constexpr double kEnd = 9;
  constexpr int kSteps = 3600;
  constexpr double kWidth = 2 * kEnd / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double x = -kEnd + (i + 0.5) * kWidth;
    const double below = std::pow(normal_below(x), count);
    sum += (x > 0 ? 1 - below : -below) * kWidth;
  }
  return sum;
}

double reduction_seconds(const Network& network, double bytes, std::size_t members) {
  if (members < 2 || bytes <= 0) return 0;
  const auto p = static_cast<double>(members);
  const double per_byte = network.bytes_per_second > 0 ? 1 / network.bytes_per_second : 0;
  const double ring = 2 * (p - 1) * (network.latency + bytes / p * per_byte);
  const double tree = 2 * std::ceil(std::log2(p)) * network.latency + 2 * bytes * per_byte;
  if (network.reduction == Reduction::kRing) return ring;
  if (network.reduction == Reduction::kTree) return tree;
  return std::min(ring, tree);
}

double closed_queue_per_second(double customers, double think_seconds, double service_seconds) {
  constexpr double kMostWalked = 1e5;
  // This far beyond its knee the queue is within a thousandth of its limit, so no iteration is needed. With many
  // customers that is soon: a tenth beyond, the server of 1e5 idles for e^-440 of its time.
  const bool many = customers > kMostWalked;
  if (customers * service_seconds > (many ? 1.1 : 1000) * (think_seconds + service_seconds)) return 1 / service_seconds;
  if (many) {
    // An arriving customer meets the queue without its own share. So the queue is the root of others * queue^2 + b *
    // queue - customers = 0, in the form that does not cancel out.
    const double others = (customers - 1) / customers;
    const double b = think_seconds / service_seconds + 1 - customers * others;
    const double root = std::sqrt(b * b + 4 * others * customers);
    const double queue = b > 0 ? 2 * customers / (b + root) : (root - b) / (2 * others);
    return queue / (service_seconds * (1 + others * queue));
  }
  double waiting = 0;
  double per_second = 0;
  for (double present = 1; present <= customers; ++present) {
    const double response = service_seconds * (1 + waiting);
    per_second = present / (response + think_seconds);
    waiting = per_second * response;
  }
  return per_second;
}

RankRates rank_rates(const Basis& basis, const System& system, std::size_t ranks, double missed, Scenario scenario) {
  RankRates rates;
  add_step(rates, basis, system, ranks, scenario);
  const Alone alone =
      load_alone(basis, sample_times(basis, system, missed, in_scenario(basis, basis.load_per_second, scenario)));
  Bounded load{alone.per_second, alone.limit};
  hold_back(load, basis, system, ranks, missed, Scenario::kLikely);
  rates.alone_per_second = alone.per_second;
  rates.load_per_second = load.per_second;
  const double together = basis.side_by_side(alone.per_second, rates.step_per_second);
  // Loading and steps that get in each other's way leave shared storage idle, but not slower.
  Bounded rate{coupling_of(basis, scenario) * together,
               alone.per_second < rates.step_per_second ? alone.limit : limit_of_step(rates)};
  const double unshared = rate.per_second;
  hold_back(rate, basis, system, ranks, missed, scenario);
  rates.samples_per_second = rate.per_second;
  rates.limit = rate.limit;
  if (!system.storage.limited() && basis.cold_seconds_per_sample && missed > 0) {
    // All that is known about reading is how long one rank took: a node takes as long, whichever of its ranks reads.
    const double of_missed = *basis.cold_seconds_per_sample / missed_of_draws(basis, 1, 1);
    const double reads = missed * of_missed * static_cast<double>(ranks_on_node(system, ranks));
    const double steady = 1 / rates.samples_per_second;
    rates.samples_per_second = 1 / (steady + reads);
    if (reads > 0.1 * steady) rates.limit = Limit::kFirstReads;
  }
  if (rate.per_second >= unshared) add_second(rates, basis, alone);
  return rates;
}

std::optional<std::size_t> saturating_ranks(const Basis& basis, const System& system) {
  const double total = storage_per_second(basis, system.storage, 1);
  if (!std::isfinite(total) || system.staging != Staging::kNone) return std::nullopt;
  constexpr double kRounding = 1e-9;
  const auto get_all = [&](std::size_t ranks) {
    const RankRates rates = rank_rates(basis, system, ranks, 1, Scenario::kLikely);
    return static_cast<double>(ranks) * rates.samples_per_second >= (1 - kRounding) * total;
  };
  if (!get_all(kMostRanks)) return std::nullopt;
  std::size_t below = 0;
  std::size_t enough = kMostRanks;
  while (enough - below > 1) {
    const std::size_t middle = below + (enough - below) / 2;
    (get_all(middle) ? enough : below) = middle;
  }
  return enough;
}

double missed_share(const Basis& basis, const System& system, std::size_t ranks, std::size_t epoch) {
  if (system.staging != Staging::kNone) return 0;
  if (system.node_memory <= 0) return 1;
  const double held = basis.dataset_bytes > 0 ? std::min(1.0, system.node_memory / basis.dataset_bytes) : 1.0;
  const auto nodes = static_cast<double>(system.nodes_for(ranks));
  const double missed = missed_of_draws(basis, nodes, static_cast<double>(epoch));
  return std::max(missed, 1 - held);
}

std::optional<double> staging_seconds(const Basis& basis, const System& system, std::size_t ranks) {
  if (system.staging == Staging::kNone) return std::nullopt;
  const auto nodes = static_cast<double>(system.nodes_for(ranks));
  const double bytes = system.staging == Staging::kCopies ? basis.dataset_bytes : basis.dataset_bytes / nodes;
  const SharedStorage& storage = system.storage;
  double seconds = 0;
  if (storage.bytes_per_second > 0) seconds = bytes * nodes / storage.bytes_per_second;
  if (storage.client_bytes_per_second > 0) seconds = std::max(seconds, bytes / storage.client_bytes_per_second);
  return seconds;
}

ForecastPoint forecast_point(const Basis& basis, const System& system, std::size_t ranks, std::size_t epochs) {
  const auto all = static_cast<double>(ranks);
  ForecastPoint point{.ranks = ranks, .nodes = system.nodes_for(ranks)};
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    const double missed = missed_share(basis, system, ranks, epoch);
    double per_second = all * rank_rates(basis, system, ranks, missed, Scenario::kLikely).samples_per_second;
    if (epoch == 1 && basis.dataset_samples > 0) {
      per_second = basis.dataset_samples / (basis.dataset_samples / per_second + basis.start_up_seconds);
    }
    point.epochs.push_back(per_second);
  }
  const double missed = missed_share(basis, system, ranks, epochs);
  const auto of = [&](Scenario scenario) { return rank_rates(basis, system, ranks, missed, scenario); };
  point.rank = of(Scenario::kLikely);
  point.samples_per_second = all * point.rank.samples_per_second;
  point.low_per_second = std::min(point.samples_per_second, all * of(Scenario::kLow).samples_per_second);
  point.high_per_second = std::max(point.samples_per_second, all * of(Scenario::kHigh).samples_per_second);
  point.utilisation = std::min(1.0, point.rank.samples_per_second / basis.step_per_second.value);
  point.efficiency =
      point.rank.samples_per_second /
      rank_rates(basis, system, 1, missed_share(basis, system, 1, epochs), Scenario::kLikely).samples_per_second;
  point.storage_bytes_per_second = point.samples_per_second * missed * basis.bytes_per_sample;
  point.staging_seconds = staging_seconds(basis, system, ranks);
  return point;
}

}  // namespace loadline
