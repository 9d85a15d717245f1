// Feeds of known behaviour on a simulated clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <vector>

#include "bench/truth/clock.h"
#include "bench/truth/system.h"
#include "loaders/batch_pool.h"
#include "loaders/loader.h"

namespace loadline::truth {

inline constexpr std::size_t kBatchSize = 256;  // samples
inline constexpr std::size_t kSampleBytes = 1;

// The slots that all simulated feeds of a thread lend, one feed at a time. A real pool knows which slots came back,
// but not when.
class Slots {
 public:
  Slots();

  Batch lend();
  // For a sink that gives a batch back before it returns: notes when.
  void note(Time at) { noted_.push_back(at); }
  // The times at which batches came back since the last call, in order; `now` for those without a note.
  void take_back(Time now, std::queue<Time>& homecomings);
  // All slots are back; a new feed begins.
  void reset();

 private:
  void collect();

  BatchPool pool_;
  std::vector<Slot*> idle_;
  std::size_t came_home_ = 0;
  std::vector<Time> noted_;
};

// A loader. Workers take batches in order, each as soon as it and a slot are free, and batches are delivered in that
// order. Without workers the consumer's thread does the work.
struct Pipeline {
  std::size_t workers = 0;
  std::size_t slots = 1;
  Times service;
  double factor = 1;  // on the service time, of this trial
  Time hand_over{};
  std::size_t slow_batches = 0;
};

// Computes when a batch is ready as soon as the time is known at which it got a slot.
class PipelineFeed final : public Feed {
 public:
  // Borrows everything except the pipeline. Adds the working time of its workers to `served_seconds`.
  PipelineFeed(const Pipeline& pipeline, SimulatedClock& clock, Slots& slots, Draws& draws, double& served_seconds);

  Batch next() override;
  std::optional<std::size_t> ready() const override;
  void close() override { closed_ = true; }

 private:
  Time service();
  void begin_batches();

  const Pipeline pipeline_;
  SimulatedClock& clock_;
  Slots& slots_;
  Draws& draws_;
  double& served_seconds_;
  std::priority_queue<Time, std::vector<Time>, std::greater<>> workers_;  // when each is free
  std::queue<Time> free_slots_;                                           // since when each has been free
  std::deque<Time> ready_;                                                // when each batch with a slot is ready
  std::uint64_t begun_ = 0;
  std::uint64_t sequence_ = 0;
  bool closed_ = false;
};

// Batches that are already in memory.
class ReadyFeed final : public Feed {
 public:
  ReadyFeed(Time cost, SimulatedClock& clock, Slots& slots) : cost_(cost), clock_(clock), slots_(slots) {}

  Batch next() override;
  void close() override { closed_ = true; }

 private:
  const Time cost_;
  SimulatedClock& clock_;
  Slots& slots_;
  bool closed_ = false;
};

}  // namespace loadline::truth
