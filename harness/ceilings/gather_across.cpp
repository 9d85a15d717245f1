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

// The slots of one filling thread. It fills them in turn, and the reader reads them in turn.
struct Lane {
  explicit Lane(std::size_t slots, const CeilingSubject& subject)
      : pool(slots, subject.sampler.batch_size(), subject.assembler.sample_bytes()) {
    while (Batch slot = pool.try_acquire()) ring.push_back(std::move(slot));
  }

  Slot& slot(std::uint64_t number) { return *ring[number % ring.size()]; }

  BatchPool pool;
  std::vector<Batch> ring;
  // How many were filled, and how many were read. Each is written by one side.
  alignas(64) std::atomic<std::uint64_t> filled{0};
  alignas(64) std::atomic<std::uint64_t> read{0};
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

class GatheringAcross final : public CeilingKernel {
 public:
  explicit GatheringAcross(const CeilingSubject& subject)
      : fillers_(subject, std::max<std::size_t>(2, subject.threads) - 1), giver_cpus_(subject.giver_cpus) {
    const std::size_t slots = slots_across(subject.sampler.batch_size() * subject.assembler.sample_bytes());
    for (std::size_t i = 0; i < fillers_.threads(); ++i) lanes_.push_back(std::make_unique<Lane>(slots, subject));
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
    for (const auto& lane : lanes_) lane->read.store(lane->filled.load());
    return pace;
  }

 private:
  void give(std::size_t thread, std::size_t way, const std::stop_token& done) {
    Lane& lane = *lanes_[thread];
    try {
      for (std::uint64_t number = lane.filled.load(); !done.stop_requested(); ++number) {
        spin_until([&] {
          return number - lane.read.load(std::memory_order_acquire) < lane.ring.size() || done.stop_requested();
        });
        if (done.stop_requested()) return;
        fillers_.fill(thread, way, lane.slot(number));
        lane.filled.store(number + 1, std::memory_order_release);
      }
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failure_) failure_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
    }
  }

  // The next batch of the first lane that has one, starting after the lane that was read last.
  double take() {
    Lane* ready = nullptr;
    spin_until([&] {
      for (std::size_t i = 0; i < lanes_.size() && ready == nullptr; ++i) {
        Lane& lane = *lanes_[next_lane_++ % lanes_.size()];
        if (lane.filled.load(std::memory_order_acquire) > lane.read.load(std::memory_order_relaxed)) ready = &lane;
      }
      return ready != nullptr || failed_.load(std::memory_order_acquire);
    });
    if (ready == nullptr) rethrow_failure();
    const std::uint64_t number = ready->read.load(std::memory_order_relaxed);
    const Slot& slot = ready->slot(number);
    read_lines(slot.bytes());
    const auto samples = static_cast<double>(slot.count);
    ready->read.store(number + 1, std::memory_order_release);
    return samples;
  }

  [[noreturn]] void rethrow_failure() {
    const std::lock_guard lock(failing_);
    std::rethrow_exception(failure_);
  }

  Fillers fillers_;
  std::span<const std::size_t> giver_cpus_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t next_lane_ = 0;
  std::atomic<bool> failed_{false};
  std::mutex failing_;
  std::exception_ptr failure_;
};

}  // namespace

std::size_t slots_across(std::size_t slot_bytes) {
  constexpr std::size_t kMost = 64;
  return std::min(kMost, 3 + kReuseBytes / std::max<std::size_t>(1, slot_bytes));
}

std::unique_ptr<CeilingKernel> make_gather_across(const CeilingSubject& subject) {
  return std::make_unique<GatheringAcross>(subject);
}

}  // namespace loadline
