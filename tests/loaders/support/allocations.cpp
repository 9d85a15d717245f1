#include "tests/loaders/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> refused_bytes{0};  // of the allocation to refuse; 0: none

void* allocate(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  std::size_t asked = size;
  if (size > 0 && refused_bytes.load(std::memory_order_relaxed) == size &&
      refused_bytes.compare_exchange_strong(asked, 0)) {
    throw std::bad_alloc();
  }
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, size == 0 ? 1 : size) != 0) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

namespace loadline::test {

std::size_t allocations_so_far() {
  return allocations.load(std::memory_order_relaxed);
}

RefusedAllocation::RefusedAllocation(std::size_t bytes) {
  refused_bytes.store(bytes);
}

RefusedAllocation::~RefusedAllocation() {
  refused_bytes.store(0);
}

bool RefusedAllocation::has_happened() const {
  return refused_bytes.load() == 0;
}

}  // namespace loadline::test

// Replaces every form, not only those that the others call: a sanitizer's runtime supplies its own for the rest.
void* operator new(std::size_t size) {
  return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](std::size_t size) {
  return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept try {
  return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void* operator new[](std::size_t size, const std::nothrow_t& /*unused*/) noexcept try {
  return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*unused*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t& /*unused*/) noexcept {
  std::free(memory);
}
