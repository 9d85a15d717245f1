// What the device under the dataset's files gives, with whatever caches lie behind it.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "harness/ceilings/kernels.h"
#include "harness/measure/usage.h"
#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"
#include "loaders/storage/memory.h"

namespace loadline {
namespace {

// How much of the files is dropped and, so that the ceilings after this one find it as it was, read again.
constexpr std::size_t kMostBytesFromDevice = std::size_t{128} << 20;

constexpr std::size_t kLargeBlock = std::size_t{1} << 20;
constexpr std::size_t kSmallBlock = 4096;

// Of what was read has to have come from the device, by the system's own count, for the rate to be the device's.
constexpr double kFromDevice = 0.9;

class DeviceReading final : public CeilingKernel {
 public:
  DeviceReading(const CeilingSubject& subject, std::size_t wanted_bytes, bool count_reads)
      : dataset_(subject.assembler.dataset()),
        threads_(subject.threads),
        block_bytes_(block_bytes(wanted_bytes, subject.threads)),
        count_reads_(count_reads),
        buffers_(std::max(subject.threads * block_bytes_, kLargeBlock)) {
    std::size_t left = kMostBytesFromDevice;
    for (const auto& path : dataset_.info().files) {
      if (left == 0) break;
      File file = File::open(path);
      file.expect_random_reads();
      const std::size_t size = std::min(file.size_bytes(), left);
      left -= size;
      for (std::size_t at = 0; at < size; at += block_bytes_) {
        blocks_.push_back({.part = parts_.size(), .offset = at, .size = std::min(block_bytes_, size - at)});
      }
      parts_.push_back({.file = std::move(file), .size = size});
    }
    check_not_emptied(dataset_.info(), blocks_.size());
    shuffle();
  }

  // Every block once: a second time it would come from the page cache.
  std::optional<Pace> run(std::size_t /*way*/, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    drop();
    next_ = 0;
    const Work work = [this](std::size_t thread) {
      const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
      return number < blocks_.size() ? read(blocks_[number], thread) : 0;
    };
    const Usage before = usage_now();
    const auto pace = pace_of(threads_, work, {.warm_up = {}, .timed = stint.timed}, clock, stop);
    const Usage used = difference(usage_now(), before);
    restore();
    if (pace) check(used);
    return pace;
  }

 private:
  // The beginning of a file, often all of it.
  struct Part {
    File file;
    std::size_t size;  // bytes
  };
  struct Block {
    std::size_t part;    // index
    std::size_t offset;  // bytes
    std::size_t size;    // bytes
  };

  void shuffle() {
    Random random(1);
    for (std::size_t i = blocks_.size(); i > 1; --i) {
      std::swap(blocks_[i - 1], blocks_[random.below(static_cast<std::uint32_t>(i))]);
    }
  }

  double read(const Block& block, std::size_t thread) {
    parts_[block.part].file.read_exactly(block.offset, buffers_.bytes().subspan(thread * block_bytes_, block.size));
    return count_reads_ ? 1 : static_cast<double>(block.size);
  }

  // The request is a hint, and what a process has mapped cannot be dropped: so ask, and look.
  void drop() {
    dataset_.forget_pages();
    Residency left;
    for (const Part& part : parts_) {
      part.file.wait_until_stored();
      part.file.drop_from_page_cache(part.size);
      left += page_cache_residency(part.file.path(), part.size);
    }
    if (left.resident_pages && *left.resident_pages * 100 <= left.pages) return;
    restore();
    if (left.resident_pages) {
      throw Error(fmt::format("it cannot be measured here: {} of {} pages stay in the page cache", *left.resident_pages,
                              left.pages));
    }
    throw Error("it cannot be measured here: the system does not tell whether the page cache holds the files");
  }

  void restore() {
    for (const Part& part : parts_) {
      for (std::size_t at = 0; at < part.size; at += kLargeBlock) {
        part.file.read_exactly(at, buffers_.bytes().first(std::min(kLargeBlock, part.size - at)));
      }
    }
  }

  void check(const Usage& used) const {
    const std::size_t blocks = std::min(next_.load(), blocks_.size());
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < blocks; ++i) bytes += blocks_[i].size;
    if (!used.device_read_bytes) {
      throw Error("it cannot be measured here: the system does not tell how much was read from a device");
    }
    if (static_cast<double>(*used.device_read_bytes) >= kFromDevice * static_cast<double>(bytes)) return;
    throw Error(fmt::format("it cannot be measured here: of {} bytes read {} came from a device", bytes,
                            *used.device_read_bytes));
  }

  const Dataset& dataset_;
  std::size_t threads_;
  std::size_t block_bytes_;
  bool count_reads_;
  std::vector<Part> parts_;
  std::vector<Block> blocks_;
  std::atomic<std::size_t> next_{0};  // of blocks_
  HugeMemory buffers_;                // a block a thread, and a large one
};

}  // namespace

std::unique_ptr<CeilingKernel> make_device_read(const CeilingSubject& subject) {
  return std::make_unique<DeviceReading>(subject, kLargeBlock, false);
}

std::unique_ptr<CeilingKernel> make_device_iops(const CeilingSubject& subject) {
  return std::make_unique<DeviceReading>(subject, kSmallBlock, true);
}

}  // namespace loadline
