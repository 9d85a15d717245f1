// Rigs of a system of which everything is known, in place of loaders, datasets and computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "bench/truth/clock.h"
#include "bench/truth/feeds.h"
#include "bench/truth/system.h"
#include "harness/measure/observer.h"
#include "harness/measure/trial.h"

namespace loadline::truth {

// What one thread simulates with.
struct Bed {
  SimulatedClock clock;
  Slots slots;
};

// How a cell's feed and sink behave, before the factor of a trial.
struct Wiring {
  Pipeline pipeline;  // for a cell with a loader
  Times sink;         // of a host's step or a device's step
  Time harness{};     // cost of the loop per batch
  bool device = false;
  std::size_t depth = 0;
};

// The wiring of a cell with `slots` slots. Its compute holds the mean of its step.
Wiring wiring_of(const System& system, const Cell& cell, std::size_t slots);

std::unique_ptr<Feed> make_feed(const Wiring& wiring, const Cell& cell, double factor, Bed& bed, Draws& draws,
                                double& served_seconds);
std::unique_ptr<Sink> make_sink(const Wiring& wiring, double factor, Bed& bed, Draws& draws,
                                const std::stop_token& stop);

// Rigs of one run: the noise gives every trial its own factor. Borrows the bed, which serves one run at a time.
class Simulation final : public RigSource {
 public:
  // `trials`: the expected number of trials of the run, for a drift.
  Simulation(System system, Noise noise, std::uint64_t seed, std::size_t trials, Bed& bed);

  CellResult prepare(const Cell& cell, std::size_t dataset) override;
  std::unique_ptr<Rig> make(const CellResult& cell) override;

  // From now on the cells of this workload use another system.
  void set_system(const std::string& workload, const System& system) { systems_[workload] = system; }
  const System& system_of(const Cell& cell) const;
  // The factor of the next trial.
  double next_factor(Draws& draws);
  const Noise& noise() const { return noise_; }
  Bed& bed() { return bed_; }

 private:
  System system_;
  std::map<std::string, System> systems_;  // by workload
  Noise noise_;
  std::uint64_t seed_;
  std::size_t trials_;
  std::size_t begun_ = 0;
  Bed& bed_;
};

}  // namespace loadline::truth
