// What the device under the dataset's files delivers, with any caches behind it.
//
// Reads go past the page cache if the file system supports that, and leave the cache as it is for the cells.
// Otherwise the parts to read are dropped from the page cache before, and read again afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "harness/ceilings/dropped_files.h"
#include "harness/ceilings/kernels.h"
#include "harness/machine/usage.h"
#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/memory.h"

namespace loadline {
namespace {

// Past the page cache, offsets and lengths must be whole blocks of the device.
constexpr std::size_t kAlignment = 4096;

// Files kept open; others are opened for each read.
constexpr std::size_t kMostOpen = 256;

struct Depth {
  std::size_t requests;
  std::string_view name;
};

// Devices are fastest at different depths, and more threads than needed disturb each other.
constexpr std::array kDepths{Depth{4, "4 at a time"}, Depth{16, "16 at a time"}, Depth{64, "64 at a time"}};

std::vector<Depth> depths_of(std::size_t threads) {
  std::vector<Depth> depths;
  std::ranges::copy_if(kDepths, std::back_inserter(depths),
                       [&](const Depth& each) { return each.requests <= threads; });
  if (depths.empty()) depths.push_back({threads, ""});
  return depths;
}

enum class Each { kBytes, kReads, kFiles };  // what is counted

class DeviceReading final : public CeilingKernel {
 public:
  DeviceReading(const CeilingSubject& subject, std::size_t wanted_bytes, Each counted)
      : dataset_(subject.assembler.dataset()),
        depths_(depths_of(subject.threads)),
        block_bytes_(block_bytes(std::max(wanted_bytes, kAlignment), subject.threads)),
        counted_(counted),
        buffers_(subject.threads * block_bytes_) {
    const auto paths = evenly_spread(dataset_.info().files, kMostFiles);
    keeps_open_ = paths.size() <= kMostOpen;
    for (const auto& path : paths) add(path);
    check_not_emptied(dataset_.info(), blocks_.size());
    past_page_cache_ = std::ranges::all_of(parts_, &Part::direct);
    if (!past_page_cache_) {
      depths_ = {{std::min(subject.threads, depths_.front().requests), ""}};
      keep_less();
    }
    if (subject.order == RequestOrder::kRandom) shuffle(blocks_);
  }

  std::vector<std::string_view> ways() const override {
    std::vector<std::string_view> names;
    for (const Depth& depth : depths_) names.push_back(depth.name);
    return names;
  }

  std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                          const std::stop_token& stop) override {
    std::optional<Pace> pace;
    Usage used;
    // The first reads find an empty queue, and end sooner than those that wait in it. There are no blocks to spare
    // where each is read only once.
    const Time warm_up = past_page_cache_ ? durations.warm_up : Time{};
    const auto measure = [&] {
      const Work work = [this](std::size_t thread) { return read_next(thread); };
      const Usage before = usage_now();
      pace = pace_of(depths_[way].requests, work, {.warm_up = warm_up, .timed = durations.timed}, clock, stop);
      used = difference(usage_now(), before);
    };
    bytes_ = 0;
    if (past_page_cache_) {
      measure();
    } else {
      next_ = 0;
      while_dropped(dataset_, dropped_, measure);
    }
    if (pace) check_from_device(bytes_, used);
    return pace;
  }

 private:
  struct Part {
    std::filesystem::path path;
    std::size_t size;  // bytes
    bool direct;       // it can be read past the page cache
    std::optional<File> file;
  };
  struct Block {
    std::size_t part;    // index
    std::size_t offset;  // bytes
    std::size_t size;    // bytes
  };

  static File open(const std::filesystem::path& path, bool direct) {
    if (direct) {
      if (auto file = File::open_past_page_cache(path)) return std::move(*file);
      throw Error(fmt::format("cannot open {}: its file system no longer reads past the page cache", path.string()));
    }
    File file = File::open(path);
    file.expect_random_reads();
    return file;
  }

  void add(const std::filesystem::path& path) {
    auto direct = File::open_past_page_cache(path);
    File file = direct ? std::move(*direct) : open(path, false);
    const std::size_t size = file.size_bytes();
    for (std::size_t at = 0; at < size; at += block_bytes_) {
      blocks_.push_back({.part = parts_.size(), .offset = at, .size = std::min(block_bytes_, size - at)});
    }
    Part part{.path = path, .size = size, .direct = direct.has_value(), .file = std::nullopt};
    if (keeps_open_) part.file.emplace(std::move(file));
    parts_.push_back(std::move(part));
  }

  // For parts that have to be dropped and read again.
  void keep_less() {
    std::size_t left = kMostBytesDropped;
    for (Part& part : parts_) {
      part.direct = false;
      if (keeps_open_) {
        part.file.reset();
        part.file.emplace(open(part.path, false));
      }
      part.size = std::min(part.size, left);
      left -= part.size;
      dropped_.push_back({.path = part.path, .size = part.size});
    }
    std::erase_if(blocks_, [&](Block& block) {
      const std::size_t size = parts_[block.part].size;
      block.size = block.offset < size ? std::min(block.size, size - block.offset) : 0;
      return block.size == 0;
    });
  }

  // Reads each block only once, if a second read would come from the page cache.
  std::optional<double> read_next(std::size_t thread) {
    const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
    if (!past_page_cache_ && number >= blocks_.size()) return std::nullopt;
    const Block& block = blocks_[number % blocks_.size()];
    const Part& part = parts_[block.part];
    const auto buffer = buffers_.bytes().subspan(thread * block_bytes_, block_bytes_);
    if (part.file) {
      read(*part.file, block, buffer);
    } else {
      read(open(part.path, part.direct), block, buffer);
    }
    bytes_.fetch_add(block.size, std::memory_order_relaxed);
    if (counted_ == Each::kBytes) return static_cast<double>(block.size);
    // Of a file in several blocks, each is a part of it.
    return counted_ == Each::kReads ? 1 : static_cast<double>(block.size) / static_cast<double>(part.size);
  }

  void read(const File& file, const Block& block, std::span<std::byte> buffer) const {
    if (!past_page_cache_) return file.read_exactly(block.offset, buffer.first(block.size));
    const std::size_t whole = (block.size + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t got = file.read_once(block.offset, buffer.first(std::min(whole, buffer.size())));
    if (got >= block.size) return;
    throw Error(fmt::format("cannot read {}: {} of {} bytes arrived at byte {}", file.path().string(), got, block.size,
                            block.offset));
  }

  const Dataset& dataset_;
  std::vector<Depth> depths_;
  std::size_t block_bytes_;
  Each counted_;
  bool keeps_open_ = true;
  bool past_page_cache_ = true;
  std::vector<Part> parts_;
  std::vector<FilePart> dropped_;  // of these, before each pass; empty past the page cache
  std::vector<Block> blocks_;
  std::atomic<std::size_t> next_{0};   // of blocks_, over and over
  std::atomic<std::size_t> bytes_{0};  // that were read
  HugeMemory buffers_;                 // a block a thread
};

}  // namespace

std::unique_ptr<CeilingKernel> make_device_read(const CeilingSubject& subject) {
  return std::make_unique<DeviceReading>(subject, subject.request_bytes, Each::kBytes);
}

std::unique_ptr<CeilingKernel> make_device_iops(const CeilingSubject& subject) {
  const DatasetInfo& info = subject.assembler.dataset().info();
  if (info.access != Access::kFiles)
    return std::make_unique<DeviceReading>(subject, subject.request_bytes, Each::kReads);
  return std::make_unique<DeviceReading>(subject, largest_request_bytes(info.stored_bytes), Each::kFiles);
}

}  // namespace loadline
