#include "bench/truth/feeds.h"

#include <algorithm>
#include <utility>

#include "loaders/error.h"

namespace loadline::truth {
namespace {

constexpr std::size_t kMostSlots = 600;
constexpr double kSlowStart = 3;

}  // namespace

Slots::Slots() : pool_(kMostSlots, kBatchSize, kSampleBytes) {
  collect();
}

void Slots::collect() {
  while (Batch batch = pool_.try_acquire()) {
    idle_.push_back(pool_.release(std::move(batch)));
    ++came_home_;
  }
}

Batch Slots::lend() {
  if (idle_.empty()) collect();
  if (idle_.empty()) throw Error("simulated feed: the consumer holds more batches than there are slots");
  Slot* const slot = idle_.back();
  idle_.pop_back();
  slot->sample_bytes = kSampleBytes;
  slot->count = kBatchSize;
  return pool_.adopt(slot);
}

void Slots::take_back(Time now, std::queue<Time>& homecomings) {
  collect();
  for (std::size_t i = 0; i < came_home_; ++i) homecomings.push(i < noted_.size() ? noted_[i] : now);
  noted_.clear();
  came_home_ = 0;
}

void Slots::reset() {
  collect();
  came_home_ = 0;
  noted_.clear();
}

PipelineFeed::PipelineFeed(const Pipeline& pipeline, SimulatedClock& clock, Slots& slots, Draws& draws,
                           double& served_seconds)
    : pipeline_(pipeline), clock_(clock), slots_(slots), draws_(draws), served_seconds_(served_seconds) {
  slots_.reset();
  for (std::size_t i = 0; i < pipeline_.workers; ++i) workers_.push(clock_.now());
  for (std::size_t i = 0; i < pipeline_.slots; ++i) free_slots_.push(clock_.now());
}

Time PipelineFeed::service() {
  double seconds = pipeline_.factor * pipeline_.service.draw(draws_);
  if (begun_++ < pipeline_.slow_batches) seconds *= kSlowStart;
  served_seconds_ += seconds;
  return time_of(seconds);
}

void PipelineFeed::begin_batches() {
  slots_.take_back(clock_.now(), free_slots_);
  for (; !free_slots_.empty() && pipeline_.workers > 0; free_slots_.pop()) {
    const Time ready = std::max(workers_.top(), free_slots_.front()) + service();
    workers_.pop();
    workers_.push(ready);
    ready_.push_back(std::max(ready, ready_.empty() ? ready : ready_.back()));
  }
}

Batch PipelineFeed::next() {
  if (closed_) return {};
  begin_batches();
  if (pipeline_.workers == 0 ? free_slots_.empty() : ready_.empty()) {
    throw Error("simulated feed: the consumer holds more batches than it announced");
  }
  if (pipeline_.workers == 0) {
    free_slots_.pop();
    clock_.pass(service());
  } else {
    clock_.pass_until(ready_.front());
    ready_.pop_front();
  }
  clock_.pass(pipeline_.hand_over);
  Batch batch = slots_.lend();
  batch->sequence = sequence_++;
  return batch;
}

// Except batches whose slot came back since the last one was taken: these begin when the next one is taken.
std::optional<std::size_t> PipelineFeed::ready() const {
  if (pipeline_.workers == 0) return std::nullopt;
  const auto later = std::ranges::upper_bound(ready_, clock_.now());
  return static_cast<std::size_t>(later - ready_.begin());
}

Batch ReadyFeed::next() {
  if (closed_) return {};
  slots_.reset();
  clock_.pass(cost_);
  return slots_.lend();
}

}  // namespace loadline::truth
