#include "loaders/worker_clock.h"

#include <algorithm>

#include "loaders/system/affinity.h"

namespace loadline {
namespace {

constexpr std::array<std::string_view, kWorkerStages> kStageNames{
    "idle",    "order",  "slot wait", "window wait", "open",      "read",     "library lock",
    "inflate", "decode", "tokenise",  "transform",   "hand over", "next call"};
static_assert(kStageNames[static_cast<std::size_t>(WorkerStage::kNextCall)] == "next call");

std::int64_t steady_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::chrono::steady_clock::time_point at(std::int64_t since_epoch) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(since_epoch));
}

}  // namespace

std::string_view name(WorkerStage stage) {
  return kStageNames[static_cast<std::size_t>(stage)];
}

constinit thread_local WorkerClock* WorkerClock::current_ = nullptr;

WorkerClock::WorkerClock(WorkerLog* log) : since_(steady_nanoseconds()), log_(log) {}

void WorkerClock::enter(WorkerStage stage) {
  const std::int64_t now = steady_nanoseconds();
  const std::int64_t since = since_.load(std::memory_order_relaxed);
  const auto left = stage_.load(std::memory_order_relaxed);
  const std::uint64_t version = version_.load(std::memory_order_relaxed);
  // Released one by one: a thread that sees any new value also sees the odd version.
  version_.store(version + 1, std::memory_order_relaxed);
  spent_[left].store(spent_[left].load(std::memory_order_relaxed) + (now - since), std::memory_order_release);
  since_.store(now, std::memory_order_release);
  stage_.store(static_cast<std::uint8_t>(stage), std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
  if (log_ != nullptr) {
    log_->change(static_cast<WorkerStage>(left), stage);
    log_->add({.stage = static_cast<WorkerStage>(left),
               .reads_in_flight = reads_in_flight_,
               .begin = at(since),
               .end = at(now),
               .sequence = sequence_,
               .bytes = bytes_});
  }
  bytes_ = 0;
}

void WorkerClock::belong_to_this_thread() {
  thread_.store(this_thread_id(), std::memory_order_relaxed);
}

WorkerTimes WorkerClock::now() const {
  for (;;) {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    WorkerTimes times{.thread = thread_.load(std::memory_order_relaxed)};
    for (std::size_t i = 0; i < kWorkerStages; ++i) {
      times.spent[i] = std::chrono::nanoseconds(spent_[i].load(std::memory_order_acquire));
    }
    const std::int64_t since = since_.load(std::memory_order_acquire);
    const auto stage = stage_.load(std::memory_order_acquire);
    if (version % 2 != 0 || version_.load(std::memory_order_relaxed) != version) continue;
    // A clock read later on another CPU may still be slightly behind.
    times.spent[stage] += std::chrono::nanoseconds(std::max<std::int64_t>(0, steady_nanoseconds() - since));
    return times;
  }
}

WorkerTimes of_foreign_loader(const WorkerClock& clock) {
  WorkerTimes times = clock.now();
  times.thread = this_thread_id();
  times.foreign = true;
  return times;
}

}  // namespace loadline
