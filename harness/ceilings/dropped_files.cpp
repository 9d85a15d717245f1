#include "harness/ceilings/dropped_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"
#include "loaders/system/memory.h"

namespace loadline {

// The request is a hint, and pages that a process has mapped cannot be dropped, so check afterwards.
namespace {

void drop(const Dataset& dataset, std::span<const FilePart> parts) {
  dataset.forget_pages();
  Residency left;
  for (const FilePart& part : parts) {
    const File file = File::open(part.path);
    file.wait_until_stored();
    file.drop_from_page_cache(part.size);
    left += page_cache_residency(part.path, part.size);
  }
  if (!left.resident_pages || *left.resident_pages * 100 <= left.pages) return;
  throw Error(fmt::format("it cannot be measured here: {} of {} pages stay in the page cache", *left.resident_pages,
                          left.pages));
}

void restore(std::span<const FilePart> parts) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  HugeMemory buffer(kAtOnce);
  for (const FilePart& part : parts) {
    const File file = File::open(part.path);
    for (std::size_t at = 0; at < part.size; at += kAtOnce) {
      file.read_exactly(at, buffer.bytes().first(std::min(kAtOnce, part.size - at)));
    }
  }
}

}  // namespace

void while_dropped(const Dataset& dataset, std::span<const FilePart> parts, const std::function<void()>& measure) {
  try {
    drop(dataset, parts);
    measure();
  } catch (...) {
    try {
      restore(parts);
    } catch (const Error&) {  // the first failure is the cause
    }
    throw;
  }
  restore(parts);
}

void check_from_device(std::size_t bytes, const Usage& used) {
  constexpr double kFromDevice = 0.9;
  if (!used.device_read_bytes) {
    throw Error("it cannot be measured here: the system does not report how much was read from a device");
  }
  if (static_cast<double>(*used.device_read_bytes) >= kFromDevice * static_cast<double>(bytes)) return;
  throw Error(fmt::format("it cannot be measured here: of {} bytes read, only {} came from a device", bytes,
                          *used.device_read_bytes));
}

}  // namespace loadline
