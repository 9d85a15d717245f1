// What storage delivers through the page cache to threads that map the files.
//
// Files that are mapped are read into pages of 4 KiB anywhere in memory, which costs the system time for each page, and
// devices that take a request of many pieces apart. Both limit what such a loader can reach.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/ceilings/dropped_files.h"
#include "harness/ceilings/kernels.h"
#include "loaders/storage/mapping.h"
#include "loaders/storage/scattered_reads.h"

namespace loadline {
namespace {

constexpr std::size_t kPageBytes = 4096;

class MappedReading final : public CeilingKernel {
 public:
  explicit MappedReading(const CeilingSubject& subject)
      : dataset_(subject.assembler.dataset()), threads_(subject.threads) {
    const std::size_t block = std::max(subject.request_bytes / kPageBytes * kPageBytes, kPageBytes);
    std::size_t left = kMostBytesDropped;
    for (const auto& path : evenly_spread(dataset_.info().files, kMostFiles)) {
      const auto bytes = files_.emplace_back(std::make_unique<MappedFile>(path))->bytes();
      const std::size_t size = std::min(bytes.size(), left);
      left -= size;
      parts_.push_back({.path = path, .size = size});
      for (std::size_t at = 0; at < size; at += block) blocks_.push_back(bytes.subspan(at, std::min(block, size - at)));
    }
    check_not_emptied(dataset_.info(), blocks_.size());
    if (subject.order == RequestOrder::kRandom) shuffle(blocks_);
  }

  std::optional<Pace> run(std::size_t /*way*/, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    for (const auto& file : files_) file->forget_pages();
    next_ = 0;
    bytes_ = 0;
    std::optional<Pace> pace;
    Usage used;
    while_dropped(dataset_, parts_, [&] {
      std::vector<std::unique_ptr<ScatteredReads>> advice;
      for (const auto& file : files_) advice.push_back(std::make_unique<ScatteredReads>(file->bytes()));
      const Work work = [this](std::size_t /*thread*/) { return read_next(); };
      const Usage before = usage_now();
      pace = pace_of(threads_, work, {.warm_up = {}, .timed = durations.timed}, clock, stop);
      used = difference(usage_now(), before);
    });
    for (const auto& file : files_) file->check_intact();
    if (pace) check_from_device(bytes_, used);
    return pace;
  }

 private:
  // Each block only once: a second read would come from the page cache. This many after it are already requested.
  std::optional<double> read_next() {
    const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
    if (number >= blocks_.size()) return std::nullopt;
    if (number == 0) {
      for (std::size_t i = 0; i < kMostRequestsAtATime; ++i) ask_for(i);
    }
    ask_for(number + kMostRequestsAtATime);
    const auto block = blocks_[number];
    for (std::size_t at = 0; at < block.size(); at += kPageBytes) {
      [[maybe_unused]] const std::byte touched = static_cast<const volatile std::byte&>(block[at]);
    }
    bytes_.fetch_add(block.size(), std::memory_order_relaxed);
    return static_cast<double>(block.size());
  }

  void ask_for(std::size_t number) const {
    if (number >= blocks_.size()) return;
    const auto block = blocks_[number];
    ::madvise(const_cast<std::byte*>(block.data()), block.size(), MADV_WILLNEED);
  }

  const Dataset& dataset_;
  std::size_t threads_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<FilePart> parts_;  // of these
  std::vector<std::span<const std::byte>> blocks_;
  std::atomic<std::size_t> next_{0};   // of blocks_
  std::atomic<std::size_t> bytes_{0};  // that were read
};

}  // namespace

std::unique_ptr<CeilingKernel> make_mapped_read(const CeilingSubject& subject) {
  return std::make_unique<MappedReading>(subject);
}

}  // namespace loadline
