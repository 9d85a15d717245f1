// What a loader requests from storage when the page cache is empty, as far as that is known before it runs. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/plan/plan.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

enum class RequestOrder : std::uint8_t {
  kStored,  // one after the other, as stored in the files
  kRandom   // each at a random place
};

// "stored", "random".
std::string_view name(RequestOrder order);

struct StorageRequests {
  std::size_t bytes = 0;      // per request; for whole files the mean
  std::size_t at_a_time = 1;  // in flight, at most kMostRequestsAtATime
  RequestOrder order = RequestOrder::kRandom;
  // How many requests one sample takes; nullopt if a request serves several samples.
  std::optional<std::size_t> of_a_sample;

  bool operator==(const StorageRequests&) const = default;
};

// Enough to keep any device busy.
inline constexpr std::size_t kMostRequestsAtATime = 64;

// The unit in which a device reads, at any alignment of the samples.
inline constexpr std::size_t kDevicePageBytes = 4096;

// The requests of a cell with a loader, on data in files. `memory_bytes`: the memory that the process may use;
// nullopt: the files are taken to fit.
//
//   a file a sample       whole files, as many in flight as --read allows
//   mapped, read ahead    the blocks of PagesAhead at random; for files that do not fit in memory, the pages of each
//                         sample when its turn comes
//   all else              1 MiB as stored, many at a time, less for little data: how a library or the system's own
//                         read-ahead splits its work is not known, and this is the most that a device can do
StorageRequests storage_requests(const Cell& cell, const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes);

// The largest request that a ceiling makes: 1 MiB, or less if the requests in flight would cover the data several
// times over, but at least 64 KiB.
std::size_t largest_request_bytes(std::size_t stored_bytes);

// Whether the dataset's files are mapped and stay in memory once they have been read. `memory_bytes`: as above.
bool stays_mapped(const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes);

// The mean size, in bytes, of the pages that a run of bytes at a random place lies on.
double run_bytes_on_pages(double bytes);

}  // namespace loadline
