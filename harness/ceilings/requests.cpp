#include "harness/ceilings/requests.h"

#include <algorithm>

#include "loaders/loader.h"
#include "loaders/storage/files_ahead.h"
#include "loaders/storage/pages_ahead.h"

namespace loadline {
namespace {

std::size_t few_enough(std::size_t requests) {
  return std::clamp<std::size_t>(requests, 1, kMostRequestsAtATime);
}

// How many files the loader has in flight: for each worker, within its batch, unless all of them share one queue.
std::size_t files_at_a_time(const Cell& cell) {
  const std::size_t threads = std::max<std::size_t>(1, cell.workers);
  switch (cell.dataset.read) {
    case FileRead::kMmap: return few_enough(threads);
    case FileRead::kPread: return few_enough(threads * std::min(kFilesAhead, cell.sampler.batch_size));
    case FileRead::kUring: break;
  }
  const std::size_t requests = cell.dataset.ahead.requests;
  return few_enough(shares_requests(*cell.loader) ? requests : threads * std::min(requests, cell.sampler.batch_size));
}

// The contiguous runs of bytes of a sample: their size and number.
struct Runs {
  std::size_t bytes;
  std::size_t of_a_sample;
};

Runs runs_of(const Cell& cell, const DatasetInfo& info) {
  if (info.volume) {
    const std::size_t edge = cell.dataset.crop_edge;
    return {.bytes = ((edge - 1) * info.volume->edge + edge) * sizeof(float),
            .of_a_sample = info.volume->channels() * edge};
  }
  if (info.tokens) return {.bytes = (info.tokens->sequence_length + 1) * info.tokens->token_bytes, .of_a_sample = 1};
  return {.bytes = info.stored_bytes / std::max<std::size_t>(1, info.samples), .of_a_sample = 1};
}

// Crops and random sequences are at random places, in any order of their numbers.
bool in_stored_order(const Cell& cell, const DatasetInfo& info) {
  const bool anywhere = info.volume || (info.tokens && info.tokens->sequences == Sequences::kRandom);
  return cell.sampler.order == Order::kSequential && !anywhere;
}

}  // namespace

std::string_view name(RequestOrder order) {
  return order == RequestOrder::kStored ? "stored" : "random";
}

double run_bytes_on_pages(double bytes) {
  return bytes + static_cast<double>(kDevicePageBytes - 1);
}

std::size_t largest_request_bytes(std::size_t stored_bytes) {
  constexpr std::size_t kLeast = std::size_t{64} << 10;
  constexpr std::size_t kMost = std::size_t{1} << 20;
  return std::clamp(stored_bytes / kMostRequestsAtATime / kDevicePageBytes * kDevicePageBytes, kLeast, kMost);
}

bool stays_mapped(const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes) {
  return info.access == Access::kMapped &&
         (!memory_bytes || PagesAhead::memory_holds(info.stored_bytes, *memory_bytes));
}

StorageRequests storage_requests(const Cell& cell, const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes) {
  if (info.access == Access::kFiles) {
    const std::size_t mean = info.stored_bytes / std::max<std::size_t>(1, info.files.size());
    return {.bytes = std::max<std::size_t>(1, mean), .at_a_time = files_at_a_time(cell), .of_a_sample = 1};
  }
  const std::size_t largest = largest_request_bytes(info.stored_bytes);
  StorageRequests requests{.bytes = largest, .at_a_time = kMostRequestsAtATime, .order = RequestOrder::kStored};
  // Places in text are known only while it is read.
  const bool ahead = info.access == Access::kMapped && !info.text && cell.workers > 0;
  if (!ahead || in_stored_order(cell, info)) return requests;
  const Runs runs = runs_of(cell, info);
  requests.order = RequestOrder::kRandom;
  if (!stays_mapped(info, memory_bytes)) {
    const auto pages = static_cast<std::size_t>(run_bytes_on_pages(static_cast<double>(runs.bytes))) / kDevicePageBytes;
    requests.bytes = std::min(largest, pages * kDevicePageBytes);
    // Neighbours that stay together share pages.
    if (cell.sampler.order != Order::kPageShuffled) requests.of_a_sample = runs.of_a_sample;
    return requests;
  }
  requests.bytes = std::min(largest, PagesAhead::kBlockBytes);
  return requests;
}

}  // namespace loadline
