#include "loaders/storage/page_requests.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "loaders/storage/file.h"

namespace loadline {
namespace {

// The system reads no more for one request than the device takes at once or than it would read ahead, and leaves out
// the rest without a word; 128 KiB is the least that either is set to.
constexpr std::size_t kMostAtOnce = std::size_t{128} << 10;

std::size_t bytes_of_page() {
  static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): it was a pointer before it was rounded
void* address(std::uintptr_t at) {
  return reinterpret_cast<void*>(at);
}

bool page_is_missing(const MappedFile& file, std::size_t offset) {
  unsigned char flag = 0;
  const std::size_t page = offset / bytes_of_page() * bytes_of_page();
  const auto at = reinterpret_cast<std::uintptr_t>(file.bytes().data()) + page;
  return ::mincore(address(at), 1, &flag) == 0 && (flag & 1U) == 0;
}

}  // namespace

bool some_pages_missing(std::span<const MappedFile* const> files, std::size_t looks) {
  std::size_t bytes = 0;
  for (const MappedFile* file : files) bytes += file->bytes().size();
  if (bytes == 0) return false;
  const std::size_t step = std::max(bytes / std::max<std::size_t>(looks, 1), bytes_of_page());
  std::size_t next = 0;  // counted over all files
  std::size_t before = 0;
  for (const MappedFile* file : files) {
    const std::size_t size = file->bytes().size();
    if (next >= before + size) {
      before += size;
      continue;
    }
    // The system would call every page of such a file resident.
    if (!loadline::File::open(file->path()).may_be_inspected()) return true;
    for (; next < before + size; next += step) {
      if (page_is_missing(*file, next - before)) return true;
    }
    before += size;
  }
  return false;
}

std::size_t memory_of_machine_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

long device_blocks_read() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  return used.ru_inblock;
}

PageRequests::PageRequests(std::vector<const MappedFile*> files, std::size_t block_bytes)
    : unit_bytes_(block_bytes > 0 ? block_bytes : bytes_of_page()),
      blocks_left_(block_bytes > 0 ? 0 : std::numeric_limits<std::size_t>::max()) {
  for (const MappedFile* file : files) {
    const auto bytes = file->bytes();
    if (bytes.empty()) continue;
    File& added = files_.emplace_back(
        File{.begin = reinterpret_cast<std::uintptr_t>(bytes.data()), .bytes = bytes.size(), .asked = {}});
    if (block_bytes == 0) {
      scattered_.push_back(std::make_unique<ScatteredReads>(bytes));
      continue;
    }
    added.asked.resize((bytes.size() + block_bytes - 1) / block_bytes);
    blocks_left_ += added.asked.size();
  }
  std::ranges::sort(files_, {}, &File::begin);
}

void PageRequests::want(std::span<const std::byte> part) {
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const auto behind = std::ranges::upper_bound(files_, begin, {}, &File::begin);
  if (part.empty() || behind == files_.begin()) return;
  const auto number = static_cast<std::size_t>(behind - files_.begin()) - 1;
  const File& file = files_[number];
  const std::size_t offset = begin - file.begin;
  if (offset >= file.bytes) return;
  const std::size_t last = (offset + part.size() + unit_bytes_ - 1) / unit_bytes_ * unit_bytes_;
  wanted_.push_back({.file = number, .begin = offset / unit_bytes_ * unit_bytes_, .end = std::min(last, file.bytes)});
}

std::size_t PageRequests::ask() {
  std::ranges::sort(wanted_,
                    [](const Part& a, const Part& b) { return std::tie(a.file, a.begin) < std::tie(b.file, b.begin); });
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < wanted_.size();) {
    Part part = wanted_[i++];
    for (; i < wanted_.size() && wanted_[i].file == part.file && wanted_[i].begin <= part.end; ++i) {
      part.end = std::max(part.end, wanted_[i].end);
    }
    bytes += ask_for(part);
  }
  wanted_.clear();
  return bytes;
}

std::size_t PageRequests::ask_for(const Part& part) {
  File& file = files_[part.file];
  std::size_t bytes = 0;
  std::size_t begin = part.begin;  // of what is asked for next
  const auto send = [&](std::size_t end) {
    if (end > begin) ::madvise(address(file.begin + begin), end - begin, MADV_WILLNEED);
    bytes += end - begin;
  };
  for (std::size_t at = part.begin; at < part.end; at += unit_bytes_) {
    if (take_block(file, at)) {
      if (at - begin < kMostAtOnce) continue;
      send(at);
      begin = at;
    } else {
      send(at);
      begin = at + unit_bytes_;
    }
  }
  send(std::max(begin, part.end));
  return bytes;
}

// Whether nobody has asked for it.
bool PageRequests::take_block(File& file, std::size_t at) {
  if (file.asked.empty()) return true;
  auto& asked = file.asked[at / unit_bytes_];
  if (asked != 0) return false;
  asked = 1;
  --blocks_left_;
  return true;
}

}  // namespace loadline
