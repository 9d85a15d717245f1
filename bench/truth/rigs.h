// Rigs of a system of which everything is known, in the place of loaders, datasets and computes.
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
  Pipeline pipeline;  // of a cell with a loader
  Times sink;         // of a host, or a device's step
  Time harness{};     // that the loop costs a batch
  bool device = false;
  std::size_t depth = 0;
};

// Of a cell with so many slots. The mean of its step is in its compute.
Wiring wiring_of(const System& system, const Cell& cell, std::size_t slots);

std::unique_ptr<Feed> make_feed(const Wiring& wiring, const Cell& cell, double factor, Bed& bed, Draws& draws,
                                double& served_seconds);
std::unique_ptr<Sink> make_sink(const Wiring& wiring, double factor, Bed& bed, Draws& draws,
                                const std::stop_token& stop);

// Rigs of one run: every trial has a factor of its own from the noise. Borrows the bed; one run at a time on it.
class Simulation final : public RigSource {
 public:
  // `trials` are those that the run is expected to have, which a drift goes by.
  Simulation(System system, Noise noise, std::uint64_t seed, std::size_t trials, Bed& bed);

  CellResult prepare(const Cell& cell, std::size_t dataset) override;
  std::unique_ptr<Rig> make(const CellResult& cell) override;

  // From now on the cells of this workload are of another system.
  void set_system(const std::string& workload, const System& system) { systems_[workload] = system; }
  const System& system_of(const Cell& cell) const;
  // Of the next trial.
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
