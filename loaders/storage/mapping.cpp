#include "loaders/storage/mapping.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

// A signal handler can reach nothing but globals. Entries are claimed by constructors, cleared by destructors, and read
// by the handler, each with one atomic operation.
constexpr std::size_t kMostMappings = 1024;
std::array<std::atomic<MappedFile*>, kMostMappings> mappings{};
struct sigaction previous_action {};

std::size_t page_bytes() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::span<const std::byte> map(const File& file, std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) {
  const std::size_t size = std::min(file.size_bytes(), most_bytes);
  if (size == 0) return {};
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (mapped == MAP_FAILED) {
    throw Error(fmt::format("cannot map {}: {}", file.path().string(), std::strerror(errno)));
  }
  return {static_cast<const std::byte*>(mapped), size};
}

void unmap(std::span<const std::byte> bytes) {
  if (!bytes.empty()) ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

// The mapping that a page belongs to. By the page's first byte: what lies behind the last page is somebody else's.
MappedFile* mapping_of(const void* page) {
  const auto* first = static_cast<const std::byte*>(page);
  for (auto& entry : mappings) {
    MappedFile* mapping = entry.load(std::memory_order_acquire);
    if (mapping == nullptr) continue;
    const auto bytes = mapping->bytes();
    if (first >= bytes.data() && first < bytes.data() + bytes.size()) return mapping;
  }
  return nullptr;
}

void on_bus_error(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  auto* page = reinterpret_cast<void*>(address - address % page_bytes());
  MappedFile* mapping = mapping_of(page);
  if (mapping != nullptr &&
      ::mmap(page, page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
    mapping->mark_broken(static_cast<std::size_t>(static_cast<const std::byte*>(page) - mapping->bytes().data()));
  } else {
    // Under the old rule the faulting instruction runs again. A signal that somebody sent has none, and is sent again.
    ::sigaction(SIGBUS, &previous_action, nullptr);
    if (info->si_code <= 0) ::raise(SIGBUS);
  }
  errno = saved_errno;
}

void install_handler_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes();  // its static is initialised here, not in the handler
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

void remember(MappedFile* mapping) {
  install_handler_once();
  for (auto& entry : mappings) {
    MappedFile* empty = nullptr;
    if (entry.compare_exchange_strong(empty, mapping, std::memory_order_acq_rel)) return;
  }
  throw Error(
      fmt::format("cannot map {}: more than {} files are mapped at once", mapping->path().string(), kMostMappings));
}

void forget(MappedFile* mapping) {
  for (auto& entry : mappings) {
    MappedFile* found = mapping;
    if (entry.compare_exchange_strong(found, nullptr, std::memory_order_acq_rel)) return;
  }
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path), bytes_(map(File::open(path))) {
  try {
    remember(this);
  } catch (...) {
    unmap(bytes_);
    throw;
  }
}

MappedFile::~MappedFile() {
  forget(this);
  unmap(bytes_);
}

void MappedFile::check_intact() const {
  const std::uint64_t offset = broken_at_.load(std::memory_order_acquire);
  if (offset == kIntact) return;
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
  // A hint: where it is refused, the pages merely stay.
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
  const File file = File::open(path);
  const auto bytes = map(file, most_bytes);
  Residency residency{.pages = (bytes.size() + page_bytes() - 1) / page_bytes()};
  // The system would call every page of such a file resident.
  if (!file.may_be_inspected()) {
    unmap(bytes);
    residency.resident_pages.reset();
    return residency;
  }
  std::vector<unsigned char> flags(residency.pages);
  const int failed = bytes.empty() ? 0 : ::mincore(const_cast<std::byte*>(bytes.data()), bytes.size(), flags.data());
  const int code = errno;
  unmap(bytes);
  if (failed != 0) throw Error(fmt::format("cannot inspect {}: {}", path.string(), std::strerror(code)));
  for (const unsigned char flag : flags) *residency.resident_pages += flag & 1U;
  return residency;
}

}  // namespace loadline
