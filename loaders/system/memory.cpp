#include "loaders/system/memory.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Call before any page is touched. Nodes are preferred rather than bound: if a node is full, the system takes another
// instead of ending the process.
void place(std::span<std::byte> bytes, std::span<const std::size_t> nodes) {
  if (nodes.empty() || bytes.empty()) return;
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(std::ranges::max(nodes) / kBits + 1);
  for (const std::size_t node : nodes) mask[node / kBits] |= 1UL << (node % kBits);
  const int mode = nodes.size() == 1 ? MPOL_PREFERRED : MPOL_INTERLEAVE;
  // The kernel uses one bit less than it is given.
  ::syscall(SYS_mbind, bytes.data(), bytes.size(), mode, mask.data(), mask.size() * kBits + 1, 0);
}

}  // namespace

std::size_t bytes_of_a_page() {
  static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

void fault_in(std::span<std::byte> bytes) {
#ifdef MADV_POPULATE_WRITE  // Linux 5.14
  if (::madvise(bytes.data(), bytes.size(), MADV_POPULATE_WRITE) == 0) return;
#endif
  for (std::size_t at = 0; at < bytes.size(); at += bytes_of_a_page()) {
    *static_cast<volatile std::byte*>(bytes.data() + at) = std::byte{0};
  }
}

std::size_t memory_bytes(std::size_t count, std::size_t element_bytes) {
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(count, element_bytes, &bytes)) return bytes;
  throw Error(fmt::format("cannot allocate {} x {} bytes of memory: {}", count, element_bytes, std::strerror(ENOMEM)));
}

HugeMemory::HugeMemory(std::size_t size_bytes, Faults faults, std::span<const std::size_t> nodes) : size_(size_bytes) {
  if (size_bytes == 0) return;
  const std::size_t wanted = size_bytes + kHugePage;
  void* mapped = wanted < size_bytes
                     ? MAP_FAILED
                     : ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw Error(fmt::format("cannot allocate {} bytes of memory: {}", size_bytes, std::strerror(ENOMEM)));
  }
  reserved_ = {static_cast<std::byte*>(mapped), wanted};
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  data_ = static_cast<std::byte*>(mapped) + (kHugePage - address % kHugePage) % kHugePage;
  // A refusal costs speed, not correctness; the result records the system's huge-page setting.
  ::madvise(data_, size_bytes, MADV_HUGEPAGE);
  place(reserved_, nodes);
  if (faults == Faults::kNow) fault_in({data_, size_bytes});
}

HugeMemory::HugeMemory(HugeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      reserved_(std::exchange(other.reserved_, {})) {}

HugeMemory::~HugeMemory() {
  if (!reserved_.empty()) ::munmap(reserved_.data(), reserved_.size());
}

}  // namespace loadline
