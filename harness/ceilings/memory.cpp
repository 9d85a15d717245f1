// Rates of the memory itself: blocks much larger than the caches, with a part for each thread.
#include "loaders/system/memory.h"

#include <algorithm>
#include <vector>

#include "harness/ceilings/kernels.h"
#include "loaders/random.h"
#include "loaders/system/parallel.h"
#include "synthetic/compute/drain.h"

namespace loadline {
namespace {

// Bytes at a time: short compared with any trial, long compared with the call, and small enough as a source of writes
// to stay in the first-level cache.
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // the times of such a build mean nothing
#else
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
#endif
constexpr std::size_t kTimesCache = 4;
constexpr std::size_t kUnknownCacheBytes = std::size_t{64} << 20;

// Memory without zeros: some CPUs write a line of zeros without moving it, and a Zen 4 then seemed to write 60 GB/s
// instead of 18.
HugeMemory noise() {
  HugeMemory memory(kBlockBytes);
  Random random(1);
  for (std::byte& byte : memory.bytes()) byte = static_cast<std::byte>(random.next());
  return memory;
}

// The position of one thread in its part of a block of memory, in a circle. On its own cache line.
struct alignas(64) Place {
  std::size_t first = 0;  // byte of the part
  std::size_t size = 0;
  std::size_t at = 0;

  std::size_t next() {
    const std::size_t here = first + at;
    at = at + kBlockBytes == size ? 0 : at + kBlockBytes;
    return here;
  }
};

class MemoryKernel : public CeilingKernel {
 public:
  // `blocks` of memory, divided among the threads; all together have memory_kernel_bytes().
  MemoryKernel(const CeilingSubject& subject, std::size_t blocks) : places_(subject.threads) {
    const std::size_t wanted = memory_kernel_bytes(subject.machine) / blocks / subject.threads;
    const std::size_t part = std::max<std::size_t>(1, wanted / kBlockBytes) * kBlockBytes;
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = {.first = i * part, .size = part};
    for (std::size_t i = 0; i < blocks; ++i) memory_.emplace_back(part * subject.threads, Faults::kLater);
    // By as many threads as will use it, because the system provides memory on the NUMA node of the thread that first
    // writes to it.
    in_parallel(places_.size(), places_.size(), [this](std::size_t, std::size_t i) { fill(places_[i]); });
  }

  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this, way](std::size_t thread) {
      pass(places_[thread].next(), way);
      return static_cast<double>(kBlockBytes);
    };
    return pace_of(places_.size(), work, durations, clock, stop);
  }

 protected:
  // What is written where nothing is copied.
  std::span<const std::byte> noise_block() const { return noise_.bytes(); }

  std::span<std::byte> block(std::size_t index, std::size_t at) {
    return memory_[index].bytes().subspan(at, kBlockBytes);
  }

 private:
  // Handles the bytes starting at `at`.
  virtual void pass(std::size_t at, std::size_t way) = 0;

  void fill(const Place& place) {
    for (HugeMemory& block : memory_) {
      const auto part = block.bytes().subspan(place.first, place.size);
      fault_in(part);
      for (std::size_t at = 0; at < part.size(); at += kBlockBytes) {
        std::ranges::copy(noise_.bytes(), part.subspan(at).begin());
      }
    }
  }

  std::vector<Place> places_;
  HugeMemory noise_ = noise();
  std::vector<HugeMemory> memory_;
};

class ReadingMemory final : public MemoryKernel {
 public:
  explicit ReadingMemory(const CeilingSubject& subject) : MemoryKernel(subject, 1) {}

 private:
  void pass(std::size_t at, std::size_t /*way*/) override {
    const unsigned sum = touch_lines(block(0, at));
    asm volatile("" : : "r"(sum));  // the sum counts as used
  }
};

// Writing and copying differ in where the bytes come from.
class Storing : public MemoryKernel {
 public:
  Storing(const CeilingSubject& subject, std::size_t blocks)
      : MemoryKernel(subject, blocks), kernels_(subject.kernels) {}

  std::vector<std::string_view> ways() const override {
    if (!kernels_.has_streaming) return {name(Stores::kCached)};
    return {name(Stores::kCached), name(Stores::kStreaming)};
  }

 protected:
  void store(std::span<const std::byte> from, std::span<std::byte> to, std::size_t way) const {
    const auto* in = reinterpret_cast<const std::uint8_t*>(from.data());
    auto* out = reinterpret_cast<std::uint8_t*>(to.data());
    kernels_.loops(way == 0 ? Stores::kCached : Stores::kStreaming).copy(in, to.size(), out);
  }

 private:
  const Kernels& kernels_;
};

class WritingMemory final : public Storing {
 public:
  explicit WritingMemory(const CeilingSubject& subject) : Storing(subject, 1) {}

 private:
  void pass(std::size_t at, std::size_t way) override { store(noise_block(), block(0, at), way); }
};

class CopyingMemory final : public Storing {
 public:
  explicit CopyingMemory(const CeilingSubject& subject) : Storing(subject, 2) {}

 private:
  void pass(std::size_t at, std::size_t way) override { store(block(0, at), block(1, at), way); }
};

}  // namespace

std::size_t memory_kernel_bytes(const Machine& machine) {
  const std::uint64_t wanted = kTimesCache * machine.last_level_cache_bytes.value_or(kUnknownCacheBytes);
  const std::uint64_t left = std::min({memory_left_bytes(machine), machine.data_left_bytes.value_or(kMostBytes * 8),
                                       machine.address_space_left_bytes.value_or(kMostBytes * 8)});
  return static_cast<std::size_t>(std::min({wanted, left / 8, std::uint64_t{kMostBytes}}));
}

std::unique_ptr<CeilingKernel> make_memory_read(const CeilingSubject& subject) {
  return std::make_unique<ReadingMemory>(subject);
}

std::unique_ptr<CeilingKernel> make_memory_write(const CeilingSubject& subject) {
  return std::make_unique<WritingMemory>(subject);
}

std::unique_ptr<CeilingKernel> make_memory_copy(const CeilingSubject& subject) {
  return std::make_unique<CopyingMemory>(subject);
}

}  // namespace loadline
