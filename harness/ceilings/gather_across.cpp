// Filling slots that another CPU reads, without the loader around it.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "harness/ceilings/fillers.h"
#include "harness/ceilings/giver.h"
#include "harness/ceilings/kernels.h"
#include "loaders/batch_pool.h"

namespace loadline {
namespace {

// A slot on its way between the threads, with its own cache line.
struct alignas(64) PassedSlot {
  enum class State : std::uint8_t { kFree, kFilling, kFilled };

  Batch slot;
  std::atomic<State> state{State::kFree};

  bool claim() {
    State free = State::kFree;
    return state.load(std::memory_order_relaxed) == State::kFree &&
           state.compare_exchange_strong(free, State::kFilling, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void publish() { state.store(State::kFilled, std::memory_order_release); }
  bool filled() const { return state.load(std::memory_order_acquire) == State::kFilled; }
  void give_back() { state.store(State::kFree, std::memory_order_release); }
};

// The slots of one filling thread, which fills them in turn, and the reader reads them in turn; or one spare slot.
struct Lane {
  explicit Lane(std::size_t count) : slots(count) {}

  std::vector<PassedSlot> slots;
  alignas(64) std::size_t to_fill = 0;  // for the thread that fills
  alignas(64) std::size_t to_read = 0;  // for the reader
};

// Where slots are large, there are few, so that what is filled is read from a cache if they all fit: one for each
// thread and some that any of them may take.
class GatheringAcross final : public CeilingKernel {
 public:
  explicit GatheringAcross(const CeilingSubject& subject)
      : GatheringAcross(subject, slots_across(subject.sampler.batch_size() * subject.assembler.sample_bytes())) {}

  std::vector<std::string_view> ways() const override { return fillers_.ways(); }

  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    std::vector<std::jthread> givers;  // stopped and joined at the end, which is why they come last
    for (std::size_t i = 0; i < fillers_.threads(); ++i) {
      givers.push_back(start_giver(giver_cpus_, [this, i, way](const std::stop_token& done) { give(i, way, done); }));
    }
    const Work work = [this](std::size_t /*thread*/) { return take(); };
    auto pace = pace_of(1, work, durations, clock, stop);
    if (pace) pace->cpu_seconds.reset();  // those who fill also work
    for (std::jthread& giver : givers) giver.request_stop();
    givers.clear();
    // What was filled and not read belongs to this run.
    for (const auto& lane : lanes_) {
      for (PassedSlot& passed : lane->slots) passed.give_back();
      lane->to_read = lane->to_fill;
    }
    return pace;
  }

 private:
  GatheringAcross(const CeilingSubject& subject, const SlotsAcross& slots)
      : fillers_(subject, std::max<std::size_t>(2, subject.threads) - 1),
        giver_cpus_(subject.giver_cpus),
        pool_(slots.all(fillers_.threads()), subject.sampler.batch_size(), subject.assembler.sample_bytes()) {
    for (std::size_t i = 0; i < fillers_.threads(); ++i) add_lane(slots.own);
    for (std::size_t i = 0; i < slots.spare; ++i) add_lane(1);
  }

  void add_lane(std::size_t slots) {
    lanes_.push_back(std::make_unique<Lane>(slots));
    for (PassedSlot& passed : lanes_.back()->slots) passed.slot = pool_.try_acquire();
  }

  void give(std::size_t thread, std::size_t way, const std::stop_token& done) {
    try {
      while (true) {
        PassedSlot* passed = nullptr;
        spin_until([&] { return (passed = claim(thread)) != nullptr || done.stop_requested(); });
        if (passed == nullptr) return;
        fillers_.fill(thread, way, *passed->slot);
        passed->publish();
      }
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failure_) failure_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
    }
  }

  // The next slot of the thread's own lane if it is free, otherwise a spare one; null if there is none.
  PassedSlot* claim(std::size_t thread) {
    Lane& lane = *lanes_[thread];
    PassedSlot& own = lane.slots[lane.to_fill];
    if (own.claim()) {
      lane.to_fill = (lane.to_fill + 1) % lane.slots.size();
      return &own;
    }
    for (std::size_t i = fillers_.threads(); i < lanes_.size(); ++i) {
      PassedSlot& spare = lanes_[i]->slots.front();
      if (spare.claim()) return &spare;
    }
    return nullptr;
  }

  // The next batch of the first lane that has one, starting after the lane that was read last.
  double take() {
    PassedSlot* passed = nullptr;
    spin_until([&] { return (passed = filled()) != nullptr || failed_.load(std::memory_order_acquire); });
    if (passed == nullptr) rethrow_failure();
    read_lines(passed->slot->bytes());
    const auto samples = static_cast<double>(passed->slot->count);
    passed->give_back();
    return samples;
  }

  PassedSlot* filled() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = *lanes_[next_lane_++ % lanes_.size()];
      PassedSlot& passed = lane.slots[lane.to_read];
      if (!passed.filled()) continue;
      lane.to_read = (lane.to_read + 1) % lane.slots.size();
      return &passed;
    }
    return nullptr;
  }

  [[noreturn]] void rethrow_failure() {
    const std::lock_guard lock(failing_);
    std::rethrow_exception(failure_);
  }

  Fillers fillers_;
  std::span<const std::size_t> giver_cpus_;
  BatchPool pool_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // one per filling thread, then one for each spare slot
  std::size_t next_lane_ = 0;
  std::atomic<bool> failed_{false};
  std::mutex failing_;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<CeilingKernel> make_gather_across(const CeilingSubject& subject) {
  return std::make_unique<GatheringAcross>(subject);
}

}  // namespace loadline
