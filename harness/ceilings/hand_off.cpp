// The cost of handing over an empty batch.
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>

#include "harness/ceilings/giver.h"
#include "harness/ceilings/kernels.h"
#include "loaders/batch_pool.h"
#include "loaders/delivery_ring.h"

namespace loadline {
namespace {

// Enough that one thread may be late without making the other wait.
constexpr std::size_t kSlots = 64;

class HandOff final : public CeilingKernel {
 public:
  explicit HandOff(const CeilingSubject& subject)
      : spare_cpu_(subject.machine.threads_in_force > 1), giver_cpus_(subject.giver_cpus) {}

  // A thread that finds no slot sleeps until there is one, or polls. Because it fills nothing in between, it finds
  // none more often than a worker would, and that cost must not count.
  std::vector<std::string_view> ways() const override {
    if (!spare_cpu_) return {"sleeping"};
    return {"sleeping", "asking"};
  }

  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    BatchPool pool(kSlots, 1, 1);
    // As patient as a loader's consumer.
    DeliveryRing ring(pool, std::chrono::microseconds(spare_cpu_ ? 200 : 2));
    const std::jthread giver = start_giver(giver_cpus_, [&pool, &ring, way](const std::stop_token& done) {
      for (std::uint64_t position = 0;; ++position) {
        Batch batch = way == 0 ? pool.acquire() : ask(pool, done);
        if (!batch) return;
        ring.publish(position, pool.release(std::move(batch)));
      }
    });
    const Closing closing{pool};  // before the thread is joined
    const Work work = [&pool, &ring](std::size_t /*thread*/) {
      pool.adopt(ring.take()).reset();
      return 1.0;
    };
    auto pace = pace_of(1, work, durations, clock, stop);
    if (pace) pace->cpu_seconds.reset();  // the other thread works as much
    return pace;
  }

 private:
  struct Closing {
    BatchPool& pool;
    ~Closing() { pool.close(); }
  };

  static Batch ask(BatchPool& pool, const std::stop_token& done) {
    for (;;) {
      if (Batch batch = pool.try_acquire()) return batch;
      if (done.stop_requested()) return {};
      // Long enough for the other thread to access the pool.
      const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(500);
      while (std::chrono::steady_clock::now() < end) continue;
    }
  }

  bool spare_cpu_;
  std::span<const std::size_t> giver_cpus_;
};

}  // namespace

std::unique_ptr<CeilingKernel> make_hand_off(const CeilingSubject& subject) {
  return std::make_unique<HandOff>(subject);
}

}  // namespace loadline
