#include "loaders/storage/mapping.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/system/memory.h"

namespace loadline {

// One mapping, as the signal handler sees it. It outlives the mapping and is reused for another. During that change
// the version is odd, and afterwards it is different: pages being read then belong to neither mapping.
struct WatchedPages {
  static constexpr std::uint64_t kIntact = ~std::uint64_t{0};

  // False if it belongs to a mapping already.
  bool claim(std::span<const std::byte> bytes) {
    if (taken_.load(std::memory_order_relaxed) || taken_.exchange(true, std::memory_order_acq_rel)) return false;
    broken_at.store(kIntact);
    describe(reinterpret_cast<std::uintptr_t>(bytes.data()), bytes.size());
    return true;
  }
  void give_back() {
    describe(0, 0);
    taken_.store(false, std::memory_order_release);
  }

  // Async-signal-safe, like mark_broken().
  bool contains(std::uintptr_t address) const {
    const std::uint64_t seen = version_.load();
    const std::uintptr_t begin = first_.load();
    const std::size_t bytes = size_.load();
    return seen % 2 == 0 && version_.load() == seen && address >= begin && address - begin < bytes;
  }
  void mark_broken(std::uintptr_t page) { broken_at.store(page - first_.load(), std::memory_order_release); }

  std::atomic<std::uint64_t> broken_at{kIntact};  // byte of a vanished page

 private:
  void describe(std::uintptr_t begin, std::size_t bytes) {
    version_.fetch_add(1);
    first_.store(begin);
    size_.store(bytes);
    version_.fetch_add(1);
  }

  std::atomic<bool> taken_{false};
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uintptr_t> first_{0};
  std::atomic<std::size_t> size_{0};
};

namespace {

std::span<const std::byte> map(const File& file, std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) {
  const std::size_t size = std::min(file.size_bytes(), most_bytes);
  if (size == 0) return {};
  // File systems whose reads bypass the page cache (FUSE with direct_io) refuse shared mappings. Nothing is written,
  // so the pages are those of the page cache all the same.
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (mapped == MAP_FAILED) {
    throw Error(fmt::format("cannot map {}: {}", file.path().string(), std::strerror(errno)));
  }
  return {static_cast<const std::byte*>(mapped), size};
}

void unmap(std::span<const std::byte> bytes) {
  if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

// ---- what the signal handler sees

// Entries are in blocks; there are enough for the largest number of mappings that ever existed at a time.
struct Block {
  std::array<WatchedPages, 1024> entries;
  std::atomic<Block*> next{nullptr};
};

// A signal handler can reach nothing but globals.
Block first_block;
struct sigaction previous_action {};
std::atomic<bool> previous_is_spent{false};  // it was a one-shot handler, and has been called

// The entry of the mapping that a page belongs to, by the page's first byte: memory after the last page is somebody
// else's.
WatchedPages* watched_of(std::uintptr_t page) {
  for (Block* block = &first_block; block != nullptr; block = block->next.load(std::memory_order_acquire)) {
    for (WatchedPages& entry : block->entries) {
      if (entry.contains(page)) return &entry;
    }
  }
  return nullptr;
}

void call_previous(int signal, siginfo_t* info, void* context) {
  const auto& action = previous_action;
  const bool once = (static_cast<unsigned>(action.sa_flags) & static_cast<unsigned>(SA_RESETHAND)) != 0;
  const bool spent = once && previous_is_spent.exchange(true);
  const bool sent = info->si_code <= 0;  // sent by somebody, rather than raised by an instruction
  if (action.sa_handler == SIG_IGN && sent) return;
  // The system does not allow a faulting instruction to be ignored.
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN || spent) {
    // Ends the process: the instruction runs again, or the signal is sent again.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    if (sent) ::raise(signal);
    return;
  }
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &action.sa_mask, &before);
  if ((static_cast<unsigned>(action.sa_flags) & static_cast<unsigned>(SA_SIGINFO)) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t page = address - address % bytes_of_a_page();
  WatchedPages* watched = info->si_code > 0 ? watched_of(page) : nullptr;
  void* const place = reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr): the kernel named it so
  if (watched != nullptr &&
      ::mmap(place, bytes_of_a_page(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
    watched->mark_broken(page);
  } else {
    call_previous(signal, info, context);
  }
  errno = saved_errno;
}

void install_handler_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    bytes_of_a_page();  // its static is initialised here, not in the handler
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;  // an earlier handler may need its alternate stack
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

WatchedPages* watch(std::span<const std::byte> bytes) {
  install_handler_once();
  for (Block* block = &first_block;;) {
    for (WatchedPages& entry : block->entries) {
      if (entry.claim(bytes)) return &entry;
    }
    Block* next = block->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      auto added = std::make_unique<Block>();
      // Another thread may have been faster: then `next` is its block.
      if (block->next.compare_exchange_strong(next, added.get(), std::memory_order_acq_rel)) next = added.release();
    }
    block = next;
  }
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path), bytes_(map(File::open(path))) {
  try {
    watched_ = watch(bytes_);
  } catch (...) {
    unmap(bytes_);
    throw;
  }
}

MappedFile::~MappedFile() {
  // First, because the system may give the addresses to somebody else.
  watched_->give_back();
  unmap(bytes_);
}

std::span<const std::byte> MappedFile::part(std::string_view what, std::uint64_t offset, std::uint64_t count,
                                            std::uint64_t element_bytes) const {
  std::uint64_t length = 0;
  std::uint64_t end = 0;
  if (__builtin_mul_overflow(count, element_bytes, &length) || __builtin_add_overflow(offset, length, &end)) {
    throw Error(fmt::format("cannot open {}: {} has {} x {} bytes from byte {} on, more than any file can hold",
                            path_.string(), what, count, element_bytes, offset));
  }
  if (end > bytes_.size()) {
    throw Error(fmt::format("cannot open {}: {} reaches to byte {}, the file ends at {} (truncated)", path_.string(),
                            what, end, bytes_.size()));
  }
  return bytes_.subspan(offset, length);
}

void MappedFile::check_intact() const {
  const std::uint64_t offset = watched_->broken_at.load(std::memory_order_acquire);
  if (offset == WatchedPages::kIntact) return;
  throw Error(
      fmt::format("cannot read {}: the page at byte {} is gone (the file was truncated while in use, or its "
                  "storage failed)",
                  path_.string(), offset));
}

void MappedFile::check_size() const {
  const std::size_t size = File::open(path_).size_bytes();
  if (size >= bytes_.size()) return;
  throw Error(fmt::format("cannot read {}: it was truncated from {} to {} bytes while in use", path_.string(),
                          bytes_.size(), size));
}

void MappedFile::forget_pages() const {
  // Only a hint: if it is refused, the pages merely stay.
  if (!bytes_.empty()) ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

Residency& Residency::operator+=(const Residency& other) {
  pages += other.pages;
  if (resident_pages && other.resident_pages) {
    *resident_pages += *other.resident_pages;
  } else {
    resident_pages.reset();
  }
  return *this;
}

Residency page_cache_residency(const std::filesystem::path& path, std::size_t most_bytes) {
  struct Mapped {
    std::span<const std::byte> bytes;
    ~Mapped() { unmap(bytes); }
  };
  const File file = File::open(path);
  const Mapped mapped{map(file, most_bytes)};
  const auto bytes = mapped.bytes;
  Residency residency{.pages = (bytes.size() + bytes_of_a_page() - 1) / bytes_of_a_page()};
  // The system would report every page of such a file as resident.
  if (!file.may_be_inspected()) {
    residency.resident_pages.reset();
    return residency;
  }
  std::vector<unsigned char> flags(residency.pages);
  if (!bytes.empty() && ::mincore(const_cast<std::byte*>(bytes.data()), bytes.size(), flags.data()) != 0) {
    throw Error(fmt::format("cannot inspect {}: {}", path.string(), std::strerror(errno)));
  }
  for (const unsigned char flag : flags) *residency.resident_pages += flag & 1U;
  return residency;
}

}  // namespace loadline
