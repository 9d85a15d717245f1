// Which CPUs the workers and the compute run on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// Both empty: wherever the process may run. Otherwise they share no CPU, in ascending order.
struct Placement {
  std::string name = "shared";
  std::vector<std::size_t> worker_cpus;
  std::vector<std::size_t> compute_cpus;

  bool operator==(const Placement&) const = default;
};

struct CpusInForce {
  std::vector<std::size_t> cpus;  // that the process may run on, ascending
  std::size_t in_force = 1;       // how many of them it may use at a time
};

struct Threads {
  std::size_t compute = 1;
  Placement placement;
};

// From "shared" (one compute thread for each CPU, on all of them), "split" (the last CPUs are the compute's, half of
// them unless `compute_threads` says how many) or "pin:LIST" (those listed are, such as pin:0-3,8). Throws usage Error
// naming the option that is wrong.
Threads place_threads(std::string_view placement, std::optional<std::size_t> compute_threads, const CpusInForce& cpus);

}  // namespace loadline
