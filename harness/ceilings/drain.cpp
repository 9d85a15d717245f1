// One thread that reads slots which other threads have just written, without the loader around them.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "harness/ceilings/fillers.h"
#include "harness/ceilings/giver.h"
#include "harness/ceilings/kernels.h"
#include "loaders/batch_pool.h"
#include "loaders/system/memory.h"

namespace loadline {
namespace {

// Bytes at a time: few enough that their source stays in the first-level cache of the thread that writes.
constexpr std::size_t kCopiedAtOnceBytes = std::size_t{16} << 10;

// More of large slots would only take time: a trial has some ten turns for each way.
constexpr std::size_t kMostBytesATurn = std::size_t{256} << 20;

// Phases in which all writers write; between them, the reader reads. The writers sleep while the reader is at work; the
// reader does not, so that it reads as soon as they are done and as fast as a consumer that never rests. A writer
// leaves when its stop is requested.
class WritePhases {
 public:
  explicit WritePhases(std::size_t writers) : writers_(writers) {}

  // For the reader: returns when each writer has written once more.
  void let_write() {
    {
      const std::lock_guard lock(mutex_);
      ++phase_;
      writing_.store(writers_, std::memory_order_relaxed);
    }
    may_write_.notify_all();
    spin_until([&] { return writing_.load(std::memory_order_acquire) == 0; });
  }

  // For a writer: calls `write` once in each phase.
  template <typename Write>
  void serve(const std::stop_token& done, const Write& write) {
    std::unique_lock lock(mutex_);
    for (std::uint64_t served = 0; may_write_.wait(lock, done, [&] { return phase_ > served; }); ++served) {
      lock.unlock();
      write();
      writing_.fetch_sub(1, std::memory_order_release);
      lock.lock();
    }
  }

 private:
  const std::size_t writers_;
  std::atomic<std::size_t> writing_{0};  // writers that have not written yet in this phase
  std::mutex mutex_;                     // guards phase_
  std::condition_variable_any may_write_;
  std::uint64_t phase_ = 0;
};

// Where the reader finds what was written: in the cache of the writer, moved from there, for the most part, to a cache
// that several CPUs share, or in memory. Which it reads fastest depends on the machine, and a loader's slots may be in
// any.
enum class Home : std::uint8_t { kInWriter, kInSharedCache, kInMemory };

class Draining final : public CeilingKernel {
 public:
  explicit Draining(const CeilingSubject& subject)
      : kernels_(subject.kernels),
        writers_(std::max<std::size_t>(2, subject.threads) - 1),
        giver_cpus_(subject.giver_cpus),
        pool_(slots_drained(writers_, subject.sampler.batch_size() * subject.assembler.sample_bytes()),
              subject.sampler.batch_size(), subject.assembler.sample_bytes()) {
    for (std::size_t i = 0; i < source_.size(); ++i) source_[i] = static_cast<std::uint8_t>(1 + i % 255);
    while (Batch slot = pool_.try_acquire()) {
      slot->count = subject.sampler.batch_size();
      slots_.push_back(std::move(slot));
    }
    part_bytes_ = std::min(slots_.front()->bytes().size(), kMostBytesATurn / slots_.size());
    ways_.push_back(Home::kInWriter);
    // Of larger parts the writer's cache holds little anyway.
    if (part_bytes_ <= 2 * kScratchBytes) ways_.push_back(Home::kInSharedCache);
    if (kernels_.has_streaming) ways_.push_back(Home::kInMemory);
    for (std::size_t i = 0; i < writers_; ++i) scratch_.emplace_back(kScratchBytes);
  }

  std::vector<std::string_view> ways() const override {
    std::vector<std::string_view> names;
    for (const Home left : ways_) {
      names.push_back(left == Home::kInWriter        ? name(Stores::kCached)
                      : left == Home::kInSharedCache ? "evicted"
                                                     : name(Stores::kStreaming));
    }
    return names;
  }

  // Only reading is timed, and it counts from the end of the warm-up on; the first turn never does, because the writers
  // begin on cold caches.
  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    WritePhases phases(writers_);
    std::vector<std::jthread> givers;  // stopped and joined at the end, which is why they come last
    for (std::size_t i = 0; i < writers_; ++i) {
      givers.push_back(start_giver(giver_cpus_, [this, &phases, i, way](const std::stop_token& done) {
        phases.serve(done, [&] { write(i, ways_[way]); });
      }));
    }
    Pace pace;
    const Time start = clock.now();
    for (bool first = true; !stop.stop_requested(); first = false) {
      phases.let_write();
      const Time begin = clock.now();
      const double samples = read();
      const Time end = clock.now();
      if (first || begin < start + durations.warm_up) continue;
      pace.amount += samples;
      pace.seconds += seconds(end - begin);
      if (end >= start + durations.warm_up + durations.timed) return pace;
    }
    return std::nullopt;
  }

 private:
  // The parts of every slot of this writer's share.
  void write(std::size_t writer, Home left) {
    const Stores stores = left == Home::kInMemory ? Stores::kStreaming : Stores::kCached;
    for (std::size_t slot = writer; slot < slots_.size(); slot += writers_) {
      overwrite(slots_[slot]->data.first(part_bytes_), stores);
    }
    if (left == Home::kInSharedCache) overwrite(scratch_[writer].bytes(), stores);
    if (stores == Stores::kStreaming) kernels_.fence();
  }

  void overwrite(std::span<std::byte> bytes, Stores stores) const {
    const auto copy = kernels_.loops(stores).copy;
    auto* to = reinterpret_cast<std::uint8_t*>(bytes.data());
    for (std::size_t at = 0; at < bytes.size(); at += kCopiedAtOnceBytes) {
      copy(source_.data(), std::min(kCopiedAtOnceBytes, bytes.size() - at), to + at);
    }
  }

  // Returns how many samples the parts stand for.
  double read() const {
    double samples = 0;
    for (const Batch& slot : slots_) {
      read_lines(slot->bytes().first(part_bytes_));
      samples += static_cast<double>(slot->count) * static_cast<double>(part_bytes_) /
                 static_cast<double>(slot->bytes().size());
    }
    return samples;
  }

  const Kernels& kernels_;
  std::size_t writers_;
  std::span<const std::size_t> giver_cpus_;
  BatchPool pool_;
  std::vector<Batch> slots_;
  std::size_t part_bytes_ = 0;  // of each slot
  std::vector<Home> ways_;
  std::vector<HugeMemory> scratch_;  // one per writer
  // Without zeros, as in memory-write.
  std::array<std::uint8_t, kCopiedAtOnceBytes> source_;
};

}  // namespace

std::unique_ptr<CeilingKernel> make_drain(const CeilingSubject& subject) {
  return std::make_unique<Draining>(subject);
}

}  // namespace loadline
