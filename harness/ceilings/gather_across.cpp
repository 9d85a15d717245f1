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

// The slots of one filling thread, which fills them in turn, and the reader reads them in turn.
struct Lane {
  explicit Lane(std::size_t count) : slots(count) {}

  std::vector<PassedSlot> slots;
  alignas(64) std::size_t to_fill = 0;  // for the thread that fills
  alignas(64) std::size_t to_read = 0;  // for the reader
};

// Asks again and again, because falling asleep and waking cost more than a small batch; after a while it lets others
// run in between.
template <typename Done>
void spin_until(const Done& done) {
  constexpr int kPatient = 1000;
  for (int i = 0; !done(); ++i) {
    if (i >= kPatient) std::this_thread::yield();
  }
}

// Few slots, so that what is filled is read from a cache if they all fit: where slots are large, one for each thread
// and a few that any of them may take.
class GatheringAcross final : public CeilingKernel {
 public:
  explicit GatheringAcross(const CeilingSubject& subject)
      : fillers_(subject, std::max<std::size_t>(2, subject.threads) - 1),
        giver_cpus_(subject.giver_cpus),
        pool_(slots_across(fillers_.threads(), subject.sampler.batch_size() * subject.assembler.sample_bytes()),
              subject.sampler.batch_size(), subject.assembler.sample_bytes()),
        spare_(kSpareSlots) {
    const std::size_t own = (pool_.size() - kSpareSlots) / fillers_.threads();
    for (std::size_t i = 0; i < fillers_.threads(); ++i) {
      lanes_.push_back(std::make_unique<Lane>(own));
      for (PassedSlot& passed : lanes_.back()->slots) passed.slot = pool_.try_acquire();
    }
    for (PassedSlot& passed : spare_) passed.slot = pool_.try_acquire();
  }

  std::vector<std::string_view> ways() const override { return fillers_.ways(); }

  std::optional<Pace> run(std::size_t way, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    std::vector<std::jthread> givers;  // stopped and joined at the end, which is why they come last
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      givers.push_back(start_giver(giver_cpus_, [this, i, way](const std::stop_token& done) { give(i, way, done); }));
    }
    const Work work = [this](std::size_t /*thread*/) { return take(); };
    const auto pace = pace_of(1, work, stint, clock, stop);
    for (std::jthread& giver : givers) giver.request_stop();
    givers.clear();
    // What was filled and not read belongs to this run.
    for (const auto& lane : lanes_) {
      for (PassedSlot& passed : lane->slots) passed.give_back();
      lane->to_read = lane->to_fill;
    }
    for (PassedSlot& passed : spare_) passed.give_back();
    return pace;
  }

 private:
  void give(std::size_t thread, std::size_t way, const std::stop_token& done) {
    try {
      while (true) {
        PassedSlot* passed = nullptr;
        spin_until([&] { return (passed = claim(*lanes_[thread])) != nullptr || done.stop_requested(); });
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

  // The next slot of the lane if it is free, otherwise a spare one; null if there is none.
  PassedSlot* claim(Lane& lane) {
    PassedSlot& own = lane.slots[lane.to_fill];
    if (own.claim()) {
      lane.to_fill = (lane.to_fill + 1) % lane.slots.size();
      return &own;
    }
    const auto spare = std::ranges::find_if(spare_, [](PassedSlot& passed) { return passed.claim(); });
    return spare == spare_.end() ? nullptr : &*spare;
  }

  // The next batch of the first lane that has one, starting after the lane that was read last; or a spare one.
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
    const auto spare = std::ranges::find_if(spare_, &PassedSlot::filled);
    if (spare != spare_.end()) return &*spare;
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
  std::vector<std::unique_ptr<Lane>> lanes_;  // one per filling thread
  std::vector<PassedSlot> spare_;
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
