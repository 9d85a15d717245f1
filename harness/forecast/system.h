// The system that a forecast assumes, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loadline {

// Storage that all nodes share. Zero means no limit; without a latency, the measured one applies.
struct SharedStorage {
  double bytes_per_second = 0;         // of all clients together
  double client_bytes_per_second = 0;  // of one node
  double iops = 0;                     // requests per second of all clients together
  double client_iops = 0;
  std::optional<double> latency;  // seconds that a request takes besides its bytes, however many are under way

  bool limited() const {
    return bytes_per_second > 0 || client_bytes_per_second > 0 || iops > 0 || client_iops > 0 || latency.has_value();
  }
};

enum class Reduction : std::uint8_t { kBest, kRing, kTree };

// What sums up gradients between nodes. Links within a node take no time.
struct Network {
  double bytes_per_second = 0;  // per node's link, in each direction; 0: bytes take no time
  double latency = 0;           // seconds per message
  Reduction reduction = Reduction::kBest;
  double overlap = 0;  // share of a reduction that is hidden behind the backward pass
};

enum class Staging : std::uint8_t {
  kNone,    // samples are read from the shared storage
  kCopies,  // each node first copies the whole dataset
  kShards,  // each node first copies its own share, and reads nothing else
};

struct System {
  SharedStorage storage;
  Network network;
  std::size_t ranks_of_node = 1;
  std::size_t node_cpus = 0;  // 0: each rank has as many CPUs as when it was measured
  double node_memory = 0;     // bytes of page cache; 0: nothing stays
  Staging staging = Staging::kNone;
  bool together = true;  // each step ends when the slowest rank ends it; false: ranks do not wait for each other

  std::size_t nodes_for(std::size_t ranks) const { return (ranks + ranks_of_node - 1) / ranks_of_node; }
};

// "bytes_per_second=2.5T,client_bytes_per_second=12.5G,iops=1M,client_iops=20k,latency=1e-3".
SharedStorage read_storage(std::string_view option, std::string_view text);
// "bytes_per_second=25G,latency=2e-6,overlap=0.5".
Network read_network(std::string_view option, std::string_view text);
// "ring", "tree", "best".
Reduction reduction_named(std::string_view option, std::string_view text);
// "none", "copies", "shards".
Staging staging_named(std::string_view option, std::string_view text);

}  // namespace loadline
