// One thread that reads slots which other threads have just written, without the loader around them.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <numeric>
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
constexpr std::size_t kPieceBytes = std::size_t{16} << 10;

// Writers and reader in turn, each asleep while the other is at work. A writer leaves when its stop is requested.
class Turns {
 public:
  explicit Turns(std::size_t writers) : writers_(writers) {}

  // For the reader: returns when each writer has written once more.
  void let_write() {
    std::unique_lock lock(mutex_);
    ++turn_;
    writing_ = writers_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return writing_ == 0; });
  }

  // For a writer: calls `write` once in each turn.
  template <typename Write>
  void serve(const std::stop_token& done, const Write& write) {
    std::unique_lock lock(mutex_);
    for (std::uint64_t served = 0; changed_.wait(lock, done, [&] { return turn_ > served; }); ++served) {
      lock.unlock();
      write();
      lock.lock();
      if (--writing_ == 0) changed_.notify_all();
    }
  }

 private:
  const std::size_t writers_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::uint64_t turn_ = 0;
  std::size_t writing_ = 0;
};

// Where the reader finds what was written: dirty in the cache of the writer, moved from there to a cache that all
// share, or in memory. Which of them it reads fastest depends on the machine, and a loader's slots may be in any.
enum class Left : std::uint8_t { kInWriter, kInSharedCache, kInMemory };

class Draining final : public CeilingKernel {
 public:
  explicit Draining(const CeilingSubject& subject)
      : kernels_(subject.kernels),
        writers_(std::max<std::size_t>(2, subject.threads) - 1),
        giver_cpus_(subject.giver_cpus),
        pool_(slots_drained(writers_, subject.sampler.batch_size() * subject.assembler.sample_bytes()),
              subject.sampler.batch_size(), subject.assembler.sample_bytes()) {
    std::iota(source_.begin(), source_.end(), std::uint8_t{1});
    for (std::size_t i = 0; i < writers_; ++i) scratch_.emplace_back(kScratchBytes);
    while (Batch slot = pool_.try_acquire()) {
      slot->count = subject.sampler.batch_size();
      slots_.push_back(std::move(slot));
    }
  }

  std::vector<std::string_view> ways() const override {
    if (!kernels_.has_streaming) return {name(Stores::kCached), "evicted"};
    return {name(Stores::kCached), "evicted", name(Stores::kStreaming)};
  }

  // Only reading is timed, and it counts from the end of the warm-up on.
  std::optional<Pace> run(std::size_t way, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    Turns turns(writers_);
    std::vector<std::jthread> givers;  // stopped and joined at the end, which is why they come last
    for (std::size_t i = 0; i < writers_; ++i) {
      givers.push_back(start_giver(giver_cpus_, [this, &turns, i, way](const std::stop_token& done) {
        turns.serve(done, [&] { write(i, static_cast<Left>(way)); });
      }));
    }
    Pace pace;
    const Time start = clock.now();
    while (!stop.stop_requested()) {
      turns.let_write();
      const Time begin = clock.now();
      const double samples = read();
      const Time end = clock.now();
      if (begin < start + stint.warm_up) continue;
      pace.amount += samples;
      pace.seconds += seconds(end - begin);
      if (end >= start + stint.warm_up + stint.timed) return pace;
    }
    return std::nullopt;
  }

 private:
  // Every slot of this writer's share.
  void write(std::size_t writer, Left left) {
    const Stores stores = left == Left::kInMemory ? Stores::kStreaming : Stores::kCached;
    for (std::size_t slot = writer; slot < slots_.size(); slot += writers_) {
      overwrite(slots_[slot]->data.first(slots_[slot]->bytes().size()), stores);
    }
    if (left == Left::kInSharedCache) overwrite(scratch_[writer].bytes(), stores);
  }

  void overwrite(std::span<std::byte> bytes, Stores stores) const {
    const auto copy = kernels_.loops(stores).copy;
    auto* to = reinterpret_cast<std::uint8_t*>(bytes.data());
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
      copy(source_.data(), std::min(kPieceBytes, bytes.size() - at), to + at);
    }
  }

  double read() const {
    double samples = 0;
    for (const Batch& slot : slots_) {
      read_lines(slot->bytes());
      samples += static_cast<double>(slot->count);
    }
    return samples;
  }

  const Kernels& kernels_;
  std::size_t writers_;
  std::span<const std::size_t> giver_cpus_;
  BatchPool pool_;
  std::vector<Batch> slots_;
  std::vector<HugeMemory> scratch_;  // one per writer
  // Without zeros, as in memory-write.
  std::array<std::uint8_t, kPieceBytes> source_;
};

}  // namespace

std::unique_ptr<CeilingKernel> make_drain(const CeilingSubject& subject) {
  return std::make_unique<Draining>(subject);
}

}  // namespace loadline
