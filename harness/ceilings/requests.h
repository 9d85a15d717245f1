// What a loader asks storage for when the page cache is empty, as far as that is known before it runs: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/plan/plan.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

enum class RequestOrder : std::uint8_t {
  kStored,  // one behind the other, as the files have them
  kRandom   // each anywhere
};

// "stored", "random".
std::string_view name(RequestOrder order);

struct StorageRequests {
  std::size_t bytes = 0;      // of one; of whole files on the average
  std::size_t at_a_time = 1;  // under way; more than kMostRequestsAtATime are told as these
  RequestOrder order = RequestOrder::kRandom;
  // How many of them one sample takes; std::nullopt where a request serves several samples.
  std::optional<std::size_t> of_a_sample;

  bool operator==(const StorageRequests&) const = default;
};

// As many as keep any device busy.
inline constexpr std::size_t kMostRequestsAtATime = 64;

// What a device reads at a time wherever its pages may begin.
inline constexpr std::size_t kDevicePageBytes = 4096;

// Of a cell with a loader, on data that lies in files. `memory_bytes`: of this machine; std::nullopt: taken to hold the
// files.
//
//   a file a sample       whole files, as many as --read has under way
//   mapped, read ahead    the blocks of PagesAhead at random; of files that memory cannot hold the pages of each
//                         sample, whenever its turn comes
//   all else              1 MiB as stored, many at a time, less of little data: how a library or the system's own
//                         reading ahead splits its work is not known, and this is the most that a device can do
StorageRequests storage_requests(const Cell& cell, const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes);

// The largest request that a ceiling makes: 1 MiB, and less of so little data that the requests under way at a time
// would hold it several times over, but at least 64 KiB.
std::size_t largest_request_bytes(std::size_t stored_bytes);

// Whether the dataset's files are mapped and stay in memory once they were read. `memory_bytes` as above.
bool stays_mapped(const DatasetInfo& info, std::optional<std::uint64_t> memory_bytes);

// Storage that a run of bytes at a random place takes: the pages that it lies on, on the average, in bytes.
double run_bytes_on_pages(double bytes);

}  // namespace loadline
