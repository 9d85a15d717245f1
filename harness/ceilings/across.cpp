// Slots filled by some threads and read by another, with nothing of a loader between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "harness/ceilings/kernels.h"
#include "loaders/error.h"
#include "loaders/storage/affinity.h"
#include "synthetic/compute/drain.h"

namespace loadline {
namespace {

// In turn: two, so that one is filled while the other is read; or so many that a slot has left the second-level cache
// of the one that read it before it is filled again.
constexpr std::size_t kFewSlots = 2;
constexpr std::size_t kMostSlots = 64;
constexpr std::size_t kLeavesCacheBytes = std::size_t{3} << 20;

void rest_awake() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// One thread that fills, and the slots that go between it and the one that reads. Positions count on and on.
struct alignas(64) FillingHand {
  std::vector<Batch> slots;
  std::unique_ptr<Filler> cached;
  std::unique_ptr<Filler> streaming;
  std::size_t next = 0;  // batch of the order
  alignas(64) std::atomic<std::uint64_t> filled{0};
  alignas(64) std::atomic<std::uint64_t> read{0};
  std::exception_ptr failure;  // of the filling thread, which has ended; before `failed`
  std::atomic<bool> failed{false};
};

class Across final : public CeilingKernel {
 public:
  // The thread that reads fills as well where it has no CPU of its own.
  explicit Across(const CeilingSubject& subject)
      : streams_(subject.assembler.effective(Stores::kStreaming) == Stores::kStreaming),
        reader_fills_(subject.threads == 1 || subject.threads > subject.machine.threads_in_force),
        batch_size_(subject.sampler.batch_size()),
        giver_cpus_(subject.giver_cpus),
        order_(gather_order(subject.sampler)),
        depths_{kFewSlots, slots_across(batch_size_ * subject.assembler.sample_bytes())},
        pool_(std::max<std::size_t>(1, subject.threads - 1) * depths_.back(), batch_size_,
              subject.assembler.sample_bytes()),
        hands_(std::max<std::size_t>(1, subject.threads - 1)) {
    for (std::size_t i = 0; i < hands_.size(); ++i) {
      FillingHand& hand = hands_[i];
      hand.cached = subject.assembler.make_filler(batch_size_, Stores::kCached);
      hand.streaming = subject.assembler.make_filler(batch_size_, Stores::kStreaming);
      hand.next = i;
      for (std::size_t k = 0; k < depths_.back(); ++k) hand.slots.push_back(pool_.try_acquire());
    }
  }

  std::vector<std::string_view> ways() const override {
    if (depths_.back() == kFewSlots) return streams_ ? Ways{"cached", "streaming"} : Ways{"cached"};
    if (!streams_) return {"cached, few slots", "cached, many slots"};
    return {"cached, few slots", "cached, many slots", "streaming, few slots", "streaming, many slots"};
  }

  std::optional<Pace> run(std::size_t way, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    const std::size_t depths = depths_.back() == kFewSlots ? 1 : 2;
    const Way how{.stores = way < depths ? Stores::kCached : Stores::kStreaming, .depth = depths_[way % depths]};
    for (FillingHand& hand : hands_) {
      hand.filled = 0;
      hand.read = 0;
      hand.failed = false;
    }
    std::vector<std::jthread> filling;
    for (std::size_t i = reader_fills_ ? 1 : 0; i < hands_.size(); ++i) {
      filling.push_back(
          start([this, how, &hand = hands_[i]](const std::stop_token& done) { fill_on(hand, how, done); }));
    }
    std::size_t turn = 0;
    const Work work = [&](std::size_t /*thread*/) { return take(turn, how, stop); };
    return pace_of(1, work, stint, clock, stop);
  }

 private:
  using Ways = std::vector<std::string_view>;

  struct Way {
    Stores stores;
    std::size_t depth;
  };

  template <typename Body>
  static std::jthread start(Body body) {
    try {
      return std::jthread(std::move(body));
    } catch (const std::system_error& error) {
      throw Error(fmt::format("cannot start a thread to fill batches: {}", error.code().message()));
    }
  }

  Slot& fill(FillingHand& hand, std::size_t place, Stores stores) {
    const std::size_t batches = order_.size() / batch_size_;
    Slot& slot = *hand.slots[place];
    slot.count = batch_size_;
    slot.epoch = hand.next / batches;
    std::ranges::copy(std::span(order_).subspan(hand.next % batches * batch_size_, batch_size_), slot.indices.begin());
    hand.next += hands_.size();
    (stores == Stores::kCached ? hand.cached : hand.streaming)->fill(slot);
    return slot;
  }

  void fill_on(FillingHand& hand, Way how, const std::stop_token& done) {
    try {
      if (!giver_cpus_.empty()) keep_if_allowed();
      for (std::uint64_t position = 0; !done.stop_requested();) {
        if (position - hand.read.load(std::memory_order_acquire) >= how.depth) {
          wait();
          continue;
        }
        fill(hand, position % how.depth, how.stores);
        hand.filled.store(++position, std::memory_order_release);
      }
    } catch (...) {
      hand.failure = std::current_exception();
      hand.failed.store(true, std::memory_order_release);
    }
  }

  // Reads the next batch that there is, of one filling thread after the other; fills one where there is none and the
  // CPU would idle. Returns its samples.
  double take(std::size_t& turn, Way how, const std::stop_token& stop) {
    for (;;) {
      for (std::size_t i = 0; i < hands_.size(); ++i) {
        FillingHand& hand = hands_[turn];
        turn = turn + 1 == hands_.size() ? 0 : turn + 1;
        const std::uint64_t position = hand.read.load(std::memory_order_relaxed);
        if (hand.failed.load(std::memory_order_acquire)) std::rethrow_exception(hand.failure);
        if (hand.filled.load(std::memory_order_acquire) == position) continue;
        const double samples = read(*hand.slots[position % how.depth]);
        hand.read.store(position + 1, std::memory_order_release);
        return samples;
      }
      if (reader_fills_) return read(fill(hands_.front(), 0, how.stores));
      if (stop.stop_requested()) return 0;
      rest_awake();
    }
  }

  static double read(const Slot& slot) {
    const unsigned sum = touch_lines(slot.bytes());
    asm volatile("" : : "r"(sum));  // the sum counts as used
    return static_cast<double>(slot.count);
  }

  // More threads than CPUs must not hold a CPU while they wait.
  void wait() const {
    if (reader_fills_) {
      std::this_thread::yield();
    } else {
      rest_awake();
    }
  }

  // They were in force when the cell was planned. Where they no longer are, the thread runs on.
  void keep_if_allowed() const {
    try {
      keep_this_thread_on(giver_cpus_);
    } catch (const std::exception&) {
    }
  }

  bool streams_;
  bool reader_fills_;
  std::size_t batch_size_;
  std::span<const std::size_t> giver_cpus_;
  std::vector<SampleIndex> order_;
  std::array<std::size_t, 2> depths_;  // slots of each filling thread
  BatchPool pool_;                     // before the hands, whose slots go home to it
  std::vector<FillingHand> hands_;
};

}  // namespace

std::size_t slots_across(std::size_t slot_bytes) {
  return std::min(kFewSlots + kLeavesCacheBytes / std::max<std::size_t>(1, slot_bytes), kMostSlots);
}

std::unique_ptr<CeilingKernel> make_gather_across(const CeilingSubject& subject) {
  return std::make_unique<Across>(subject);
}

}  // namespace loadline
