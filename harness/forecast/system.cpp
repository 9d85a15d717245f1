#include "harness/forecast/system.h"

#include <array>

#include "harness/forecast/named_numbers.h"
#include "loaders/names.h"

namespace loadline {
namespace {

struct ReductionWord {
  std::string_view name;
  Reduction reduction;
};

constexpr std::array kReductionWords{ReductionWord{"best", Reduction::kBest}, ReductionWord{"ring", Reduction::kRing},
                                     ReductionWord{"tree", Reduction::kTree}};

struct StagingWord {
  std::string_view name;
  Staging staging;
};

constexpr std::array kStagingWords{StagingWord{"none", Staging::kNone}, StagingWord{"copies", Staging::kCopies},
                                   StagingWord{"shards", Staging::kShards}};

}  // namespace

SharedStorage read_storage(std::string_view option, std::string_view text) {
  SharedStorage storage;
  double latency = -1;
  const std::array parts{
      NumberPart{.name = "bytes_per_second", .value = &storage.bytes_per_second, .above_least = true},
      NumberPart{.name = "client_bytes_per_second", .value = &storage.client_bytes_per_second, .above_least = true},
      NumberPart{.name = "iops", .value = &storage.iops, .above_least = true},
      NumberPart{.name = "client_iops", .value = &storage.client_iops, .above_least = true},
      NumberPart{.name = "latency", .value = &latency, .most = 3600}};
  read_numbers(option, text, parts);
  if (latency >= 0) storage.latency = latency;
  return storage;
}

Network read_network(std::string_view option, std::string_view text) {
  Network network;
  const std::array parts{
      NumberPart{.name = "bytes_per_second", .value = &network.bytes_per_second, .above_least = true},
      NumberPart{.name = "latency", .value = &network.latency, .most = 3600},
      NumberPart{.name = "overlap", .value = &network.overlap, .most = 1}};
  read_numbers(option, text, parts);
  return network;
}

Reduction reduction_named(std::string_view option, std::string_view text) {
  return row_named(kReductionWords, option, text).reduction;
}

Staging staging_named(std::string_view option, std::string_view text) {
  return row_named(kStagingWords, option, text).staging;
}

}  // namespace loadline
