#include "bench/truth/rigs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bench/truth/sinks.h"
#include "loaders/loader.h"
#include "loaders/random.h"

namespace loadline::truth {
namespace {

std::size_t held_batches(const Cell& cell) {
  return parse_compute(cell.compute).held_batches();
}

double step_seconds(const Cell& cell) {
  const auto rate = parse_compute(cell.compute).samples_per_second(kBatchSize, kBatchSize * kSampleBytes);
  return rate ? static_cast<double>(kBatchSize) / *rate : 0;
}

// A trial begins when its feed or its sink is made, whichever is first, and has one factor for both.
class SimulatedRig final : public Rig {
 public:
  SimulatedRig(const CellResult& cell, Simulation& simulation, std::uint64_t seed)
      : cell_(cell.cell),
        slots_{.held_batches = held_batches(cell.cell),
               .prefetch = cell.prefetch,
               .slots = cell.slots,
               .slot_bytes = cell.slot_bytes},
        simulation_(simulation),
        wiring_(wiring_of(simulation.system_of(cell.cell), cell.cell, cell.slots)),
        draws_(seed) {}

  const Cell& cell() const override { return cell_; }
  const SlotPlan& slots() const override { return slots_; }
  std::uint64_t batches_per_epoch() const override { return 1'000'000; }

  std::unique_ptr<Feed> make_feed(std::uint64_t /*first_epoch*/) const override {
    begin(feed_made_);
    return truth::make_feed(wiring_, cell_, factor_, simulation_.bed(), draws_, served_seconds_);
  }

  std::unique_ptr<Sink> make_sink(Clock& /*clock*/, const std::stop_token& stop) const override {
    begin(sink_made_);
    const double factor = cell_.mode == Mode::kIo || simulation_.noise().on_step ? factor_ : 1;
    return truth::make_sink(wiring_, factor, simulation_.bed(), draws_, stop);
  }

  // As the kernel counts: a thread throttled by a quota is runnable.
  UsageReading usage() const override {
    const System& system = simulation_.system_of(cell_);
    const double lost = served_seconds_ * (1 - system.on_cpu);
    const auto lost_to = [&](Obstacle obstacle) { return system.obstacle == obstacle ? lost : 0; };
    const double throttled = lost_to(Obstacle::kQuota);
    // Each sample is a read that blocks.
    const double batches = served_seconds_ / std::max(1e-9, wiring_.pipeline.service.mean_seconds);
    const double switches = system.obstacle == Obstacle::kStorage ? static_cast<double>(kBatchSize) : 3;
    UsageReading reading;
    reading.usage.voluntary_switches = static_cast<std::uint64_t>(switches * batches);
    reading.usage.user_cpu_seconds = served_seconds_ * system.on_cpu;
    ThreadDelays delays{.run_delay_seconds = lost_to(Obstacle::kProcesses) + throttled, .blocked_io_seconds = {}};
    if (system.counts_blocking) delays.blocked_io_seconds = lost_to(Obstacle::kStorage);
    reading.delays.threads = {{1, delays}};
    reading.delays.steal_seconds = lost_to(Obstacle::kHypervisor);
    reading.delays.throttled_seconds = throttled;
    return reading;
  }

 private:
  void begin(bool& made) const {
    if (made || !(feed_made_ || sink_made_)) {
      feed_made_ = sink_made_ = false;
      factor_ = simulation_.next_factor(draws_);
    }
    made = true;
  }

  const Cell cell_;
  const SlotPlan slots_;
  Simulation& simulation_;
  const Wiring wiring_;
  mutable Draws draws_;
  mutable double served_seconds_ = 0;
  mutable bool feed_made_ = false;
  mutable bool sink_made_ = false;
  mutable double factor_ = 1;
};

}  // namespace

Wiring wiring_of(const System& system, const Cell& cell, std::size_t slots) {
  Wiring wiring;
  const bool full = cell.mode == Mode::kFull;
  if (cell.loader) {
    Pipeline& pipeline = wiring.pipeline;
    pipeline = {.workers = cell.workers,
                .slots = slots,
                .service = system.service,
                .hand_over = time_of(system.hand_over_seconds + system.harness_seconds),
                .slow_batches = system.slow_batches};
    double& mean = pipeline.service.mean_seconds;
    if (*cell.loader != "thread-pool") mean *= system.loader_factor;
    if (cell.workers > 1) mean *= 1 + system.contention * static_cast<double>(cell.workers - 1);
    if (full) mean *= 1 + system.slowed_service;
    if (cell.cache == CacheState::kCold) mean *= system.cold_factor;
  }
  wiring.harness = time_of(system.harness_seconds);
  if (cell.mode == Mode::kIo) {
    wiring.sink = {.law = Law::kConstant, .mean_seconds = system.drain_seconds};
  } else if (cell.mode != Mode::kOverhead) {
    wiring.sink = system.step;
    wiring.sink.mean_seconds = step_seconds(cell) * (full ? 1 + system.slowed_step : 1);
    wiring.device = system.device;
    wiring.depth = system.depth;
  }
  return wiring;
}

std::unique_ptr<Feed> make_feed(const Wiring& wiring, const Cell& cell, double factor, Bed& bed, Draws& draws,
                                double& served_seconds) {
  if (!cell.loader) return std::make_unique<ReadyFeed>(wiring.harness, bed.clock, bed.slots);
  Pipeline pipeline = wiring.pipeline;
  pipeline.factor = factor;
  return std::make_unique<PipelineFeed>(pipeline, bed.clock, bed.slots, draws, served_seconds);
}

std::unique_ptr<Sink> make_sink(const Wiring& wiring, double factor, Bed& bed, Draws& draws,
                                const std::stop_token& stop) {
  if (!wiring.device) return std::make_unique<HostSink>(wiring.sink, factor, bed.clock, draws);
  const double rate = static_cast<double>(kBatchSize) / (factor * wiring.sink.mean_seconds);
  return std::make_unique<DeviceSink>(fmt::format("device:samples_per_second={:.12g},depth={}", rate, wiring.depth),
                                      bed.clock, bed.slots, stop);
}

Simulation::Simulation(System system, Noise noise, std::uint64_t seed, std::size_t trials, Bed& bed)
    : system_(system), noise_(noise), seed_(seed), trials_(trials), bed_(bed) {}

const System& Simulation::system_of(const Cell& cell) const {
  const auto found = systems_.find(cell.workload);
  return found == systems_.end() ? system_ : found->second;
}

CellResult Simulation::prepare(const Cell& cell, std::size_t dataset) {
  CellResult result{.cell = cell, .dataset = dataset};
  const std::size_t held = held_batches(cell);
  result.slots = 1 + held;
  if (cell.loader) {
    const LoaderKind& kind = loader_named(*cell.loader);
    if (kind.has_workers) result.prefetch = cell.prefetch.value_or(system_of(cell).prefetch);
    result.slots = slots_of(kind, {.workers = cell.workers, .prefetch = result.prefetch, .held_batches = held});
  }
  result.slot_bytes = kBatchSize * kSampleBytes;
  return result;
}

std::unique_ptr<Rig> Simulation::make(const CellResult& cell) {
  std::uint64_t seed = loadline::key_of(seed_);
  for (const char letter : cell.cell.name() + cell.cell.compute) {
    seed = loadline::key_of(seed, static_cast<unsigned char>(letter));
  }
  return std::make_unique<SimulatedRig>(cell, *this, seed);
}

double Simulation::next_factor(Draws& draws) {
  const double progress = static_cast<double>(begun_++ % trials_) / static_cast<double>(trials_);
  return noise_.draw(draws, progress);
}

}  // namespace loadline::truth
