// The rate of reading cached files by system calls.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/ceilings/kernels.h"
#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/storage/file.h"
#include "loaders/system/memory.h"

namespace loadline {
namespace {

// Large enough to hide the cost of the call, small enough for the data to stay in the second-level cache.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

class PageCacheReading final : public CeilingKernel {
 public:
  explicit PageCacheReading(const CeilingSubject& subject)
      : block_bytes_(block_bytes(kReadBytes, subject.threads)), buffers_(subject.threads * block_bytes_) {
    for (const auto& path : subject.assembler.dataset().info().files) {
      const std::size_t size = files_.emplace_back(File::open(path)).size_bytes();
      for (std::size_t at = 0; at < size; at += block_bytes_) {
        blocks_.push_back({.file = files_.size() - 1, .offset = at, .size = std::min(block_bytes_, size - at)});
      }
    }
    check_not_emptied(subject.assembler.dataset().info(), blocks_.size());
    for (std::size_t i = 0; i < subject.threads; ++i) readers_.push_back({Random(key_of(i))});
  }

  std::optional<Pace> run(std::size_t /*way*/, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this](std::size_t thread) {
      const Block& block = blocks_[readers_[thread].random.below(static_cast<std::uint32_t>(blocks_.size()))];
      files_[block.file].read_exactly(block.offset, buffers_.bytes().subspan(thread * block_bytes_, block.size));
      return static_cast<double>(block.size);
    };
    return pace_of(readers_.size(), work, durations, clock, stop);
  }

 private:
  struct Block {
    std::size_t file;
    std::size_t offset;  // bytes
    std::size_t size;    // bytes
  };
  struct alignas(64) Reader {
    Random random;
  };

  std::size_t block_bytes_;
  std::vector<File> files_;
  std::vector<Block> blocks_;
  std::vector<Reader> readers_;  // one a thread
  HugeMemory buffers_;           // a block a thread
};

}  // namespace

void check_not_emptied(const DatasetInfo& info, std::size_t blocks) {
  if (blocks > 0) return;
  throw Error(fmt::format("cannot read {}: it has been emptied while in use", info.files.front().string()));
}

std::size_t block_bytes(std::size_t wanted, std::size_t threads) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kMost = std::size_t{64} << 20;
  return std::clamp(kMost / threads / kPage * kPage, kPage, wanted);
}

std::unique_ptr<CeilingKernel> make_page_cache(const CeilingSubject& subject) {
  return std::make_unique<PageCacheReading>(subject);
}

}  // namespace loadline
