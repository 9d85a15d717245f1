// Filling slots that all filling threads read in turn, without the loader around it.
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/ceilings/fillers.h"
#include "harness/ceilings/kernels.h"
#include "loaders/batch_pool.h"

namespace loadline {
namespace {

// The slots that one thread fills, in turn. All threads read them, each slot once.
class SharedLane {
 public:
  SharedLane(std::size_t slots, const CeilingSubject& subject)
      : pool_(slots, subject.sampler.batch_size(), subject.assembler.sample_bytes()), to_read_(slots) {
    while (Batch slot = pool_.try_acquire()) slots_.push_back(std::move(slot));
  }

  // The next slot to fill; nullptr while it has not been read. For the thread that fills.
  Slot* to_fill() {
    const std::size_t at = at_of(filled_.load(std::memory_order_relaxed));
    return to_read_[at].set.load(std::memory_order_acquire) ? nullptr : slots_[at].get();
  }
  void publish() {
    const std::uint64_t number = filled_.load(std::memory_order_relaxed);
    to_read_[at_of(number)].set.store(true, std::memory_order_relaxed);
    filled_.store(number + 1, std::memory_order_release);
  }

  // Reads the next slot and returns how many samples it holds; nullopt if none is filled, or if another thread was
  // faster.
  std::optional<double> read() {
    std::uint64_t number = read_.load(std::memory_order_relaxed);
    if (number == filled_.load(std::memory_order_acquire)) return std::nullopt;
    if (!read_.compare_exchange_strong(number, number + 1, std::memory_order_relaxed)) return std::nullopt;
    const Slot& slot = *slots_[at_of(number)];
    read_lines(slot.bytes());
    const auto samples = static_cast<double>(slot.count);
    to_read_[at_of(number)].set.store(false, std::memory_order_release);
    return samples;
  }

 private:
  // On its own cache line: several threads clear neighbouring flags while another sets them.
  struct alignas(64) Flag {
    std::atomic<bool> set{false};
  };

  std::size_t at_of(std::uint64_t number) const { return number % slots_.size(); }

  BatchPool pool_;
  std::vector<Batch> slots_;
  std::vector<Flag> to_read_;  // whether the slot is filled and not read yet
  alignas(64) std::atomic<std::uint64_t> filled_{0};
  alignas(64) std::atomic<std::uint64_t> read_{0};  // how many slots some thread has begun to read
};

class GatheringInExchange final : public CeilingKernel {
 public:
  explicit GatheringInExchange(const CeilingSubject& subject)
      : fillers_(subject, subject.threads), read_counts_(subject.threads) {
    const std::size_t slots = slots_exchanged(subject.sampler.batch_size() * subject.assembler.sample_bytes());
    for (std::size_t i = 0; i < subject.threads; ++i) lanes_.push_back(std::make_unique<SharedLane>(slots, subject));
  }

  std::vector<std::string_view> ways() const override { return fillers_.ways(); }

  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this, way](std::size_t thread) {
      while (true) {
        fill_one(thread, way);
        if (const auto samples = read_one(thread)) return *samples;
      }
    };
    return pace_of(lanes_.size(), work, durations, clock, stop);
  }

 private:
  // How often a thread has looked for a slot to read, on its own cache line.
  struct alignas(64) ReadCount {
    std::size_t value = 0;
  };

  void fill_one(std::size_t thread, std::size_t way) {
    Slot* const slot = lanes_[thread]->to_fill();
    if (slot == nullptr) return;
    fillers_.fill(thread, way, *slot);
    lanes_[thread]->publish();
  }

  // Of each lane in turn, or of the next lane that has a slot. nullopt if the others were faster everywhere.
  std::optional<double> read_one(std::size_t thread) {
    const std::size_t turn = thread + read_counts_[thread].value++;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (const auto samples = lanes_[(turn + i) % lanes_.size()]->read()) return samples;
    }
    return std::nullopt;
  }

  Fillers fillers_;
  std::vector<std::unique_ptr<SharedLane>> lanes_;  // one per thread
  std::vector<ReadCount> read_counts_;              // one per thread
};

}  // namespace

std::unique_ptr<CeilingKernel> make_gather_exchange(const CeilingSubject& subject) {
  return std::make_unique<GatheringInExchange>(subject);
}

}  // namespace loadline
