#include "bench/truth/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bench/truth/sinks.h"
#include "harness/judge/statistics.h"
#include "harness/measure/loop.h"

namespace loadline::truth {
namespace {

constexpr std::size_t kFactors = 20'000;
constexpr std::uint64_t kBatchesOfConstants = 20'000;  // these repeat
constexpr std::uint64_t kSeed = 0x747275746873;        // the same seed for all, so that rates are smooth in the factors

bool is_constant(const System& system) {
  return system.service.law == Law::kConstant && (system.device || system.step.law == Law::kConstant);
}

// Third central moment over the cube of the mean.
double third_moment(const std::vector<double>& values, double mean) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value / mean - 1, 3);
  return sum / static_cast<double>(values.size());
}

// Rates for all factors, each with the spread of trials with one factor.
template <typename RateOf>
Level level_of(const std::vector<double>& factors, const LongRun& within, const RateOf& rate_of) {
  Moments rates;
  Moments logs;
  Moments times;
  std::vector<double> all;
  for (const double factor : factors) {
    const double rate = rate_of(factor);
    all.push_back(rate);
    rates.add(rate);
    logs.add(std::log(rate));
    times.add(1 / rate);
  }
  const double between = rates.stddev().value_or(0) / rates.mean();
  Level level{.mean = rates.mean(),
              .log_mean = logs.mean(),
              .time_mean = times.mean(),
              .variation = std::hypot(between, within.variation),
              .error = within.error};
  if (level.variation > 0) {
    level.skewness = (third_moment(all, rates.mean()) + within.third) / std::pow(level.variation, 3);
  }
  return level;
}

// Interpolates a rate between known factors, both in logarithms.
class Curve {
 public:
  void add(double factor, double rate) { points_.emplace_back(std::log(factor), std::log(rate)); }
  double at(double factor) const {
    const double x = std::log(factor);
    const auto above = std::ranges::lower_bound(points_, x, {}, &std::pair<double, double>::first);
    if (above == points_.begin()) return std::exp(above->second);
    if (above == points_.end()) return std::exp(points_.back().second);
    const auto below = above - 1;
    const double share = (x - below->first) / (above->first - below->first);
    return std::exp(below->second + share * (above->second - below->second));
  }

 private:
  std::vector<std::pair<double, double>> points_;
};

}  // namespace

double Level::typical() const {
  return std::exp(log_mean);
}

double Truth::utilisation() const {
  return std::exp(full.log_mean - synthetic.log_mean);
}

double Truth::supply() const {
  return std::exp(fill.log_mean - synthetic.log_mean);
}

double Truth::of_bound() const {
  return std::exp(full.log_mean - std::min(fill.log_mean, synthetic.log_mean));
}

double Truth::overlap() const {
  return (fill.time_mean + synthetic.time_mean - full.time_mean) / std::min(fill.time_mean, synthetic.time_mean);
}

LongRun long_run(const System& system, const CellResult& cell, Sunk sunk, double feed_factor, double sink_factor,
                 std::uint64_t batches, std::uint64_t trial_batches, std::uint64_t seed, Bed& bed) {
  Draws draws(seed);
  double served_seconds = 0;
  const std::stop_token stop;
  const Wiring wiring = wiring_of(system, cell.cell, cell.slots);
  const auto feed = make_feed(wiring, cell.cell, feed_factor, bed, draws, served_seconds);
  const auto sink =
      sunk == Sunk::kUnread ? std::make_unique<NoSink>() : make_sink(wiring, sink_factor, bed, draws, stop);
  run_loop(*feed, *sink, bed.clock, Batches{500 + 5 * cell.slots + system.slow_batches}, stop);
  std::vector<double> rates;
  Moments moments;
  Time wall{};
  std::uint64_t samples = 0;
  for (std::uint64_t done = 0; done < batches; done += trial_batches) {
    const Stretch stretch = run_loop(*feed, *sink, bed.clock, Batches{trial_batches}, stop);
    rates.push_back(static_cast<double>(stretch.samples) / seconds(stretch.wall));
    moments.add(rates.back());
    wall += stretch.wall;
    samples += stretch.samples;
  }
  return {.rate = static_cast<double>(samples) / seconds(wall),
          .variation = moments.stddev().value_or(0) / moments.mean(),
          .error = moments.stddev().value_or(0) / moments.mean() / std::sqrt(static_cast<double>(rates.size())),
          .third = third_moment(rates, moments.mean())};
}

Truth Truths::of(const System& system, const Noise& noise, const Cell& full, std::uint64_t trial_batches, Bed& bed) {
  const std::string key = fmt::format("{} {} {} {} {} {} {}", system.key(), static_cast<int>(noise.kind), noise.size,
                                      noise.on_step, full.name(), full.compute, trial_batches);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  const Truth truth = find(system, noise, full, trial_batches, bed);
  const std::lock_guard lock(mutex_);
  return known_.emplace(key, truth).first->second;
}

Truth Truths::find(const System& system, const Noise& noise, const Cell& full_cell, std::uint64_t trial_batches,
                   Bed& bed) const {
  std::vector<double> factors;
  Draws draws(kSeed);
  for (std::size_t i = 0; i < kFactors; ++i) {
    factors.push_back(noise.draw(draws, (static_cast<double>(i) + 0.5) / kFactors));
  }
  Simulation simulation(system, noise, 0, 1, bed);
  const CellResult full = simulation.prepare(full_cell, 0);
  CellResult io = full;
  io.cell.mode = Mode::kIo;
  io.cell.compute = "drain";
  io = simulation.prepare(io.cell, 0);
  CellResult synthetic = full;
  synthetic.cell.mode = Mode::kSynthetic;
  synthetic.cell.loader.reset();
  synthetic.cell.workers = 0;

  const std::uint64_t batches = is_constant(system) ? std::min(kBatchesOfConstants, batches_) : batches_;
  const auto run = [&](const CellResult& cell, Sunk sunk, double feed_factor, double sink_factor, std::uint64_t count) {
    return long_run(system, cell, sunk, feed_factor, sink_factor, count, trial_batches, kSeed, bed);
  };
  // The factor applies to all times of these.
  const auto scaled = [&](const LongRun& base) {
    return level_of(factors, base, [&](double factor) { return base.rate / factor; });
  };
  Truth truth;
  truth.io = scaled(run(io, Sunk::kAsPlanned, 1, 1, batches));
  truth.fill = scaled(run(io, Sunk::kUnread, 1, 1, batches));
  const LongRun step = run(synthetic, Sunk::kAsPlanned, 1, 1, batches);
  const LongRun both = run(full, Sunk::kAsPlanned, 1, 1, batches);
  if (noise.on_step) {
    truth.synthetic = scaled(step);
    truth.full = scaled(both);
    return truth;
  }
  truth.synthetic = level_of({1}, step, [&](double) { return step.rate; });
  std::ranges::sort(factors);
  Curve curve;
  for (const double share : std::array{0.0, 0.005, 0.03, 0.1, 0.3, 0.5, 0.7, 0.85, 0.93, 0.98, 1.0}) {
    const double factor = factors[static_cast<std::size_t>(share * (kFactors - 1))];
    curve.add(factor, run(full, Sunk::kAsPlanned, factor, 1, std::max<std::uint64_t>(batches / 5, 1)).rate);
  }
  truth.full = level_of(factors, both, [&](double factor) { return curve.at(factor); });
  return truth;
}

}  // namespace loadline::truth
