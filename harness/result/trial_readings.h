// What hardware counters say about one trial, from the start of its clock to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace loadline {

// Energy of whole devices, including what others do on them meanwhile. Absent where no counter can be read.
struct EnergyUse {
  std::optional<double> cpu_joules;     // of all CPU packages
  std::optional<double> memory_joules;  // of memory with its own counters
  std::optional<double> gpu_joules;     // of all GPUs

  // The sum of those that are known; nullopt where none is.
  std::optional<double> joules() const {
    if (!cpu_joules && !memory_joules && !gpu_joules) return std::nullopt;
    return cpu_joules.value_or(0) + memory_joules.value_or(0) + gpu_joules.value_or(0);
  }
};

// Events summed over some threads. Absent where the system does not count them.
struct EventCounts {
  std::optional<std::uint64_t> instructions;
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint64_t> llc_misses;   // loads and stores that missed the last level of cache
  std::optional<std::uint64_t> dtlb_misses;  // loads whose page was not in the data TLB
  std::optional<std::uint64_t> page_faults;
  std::optional<std::uint64_t> context_switches;
};

struct TrialCounters {
  std::optional<EventCounts> workers;  // nullopt: no loader, or one that does not say which threads work for it
  EventCounts consumer;                // the thread that pulls the batches
};

// What --counters could count, for the whole run.
struct CounterFacts {
  bool user_mode_only = false;         // instructions, cycles and misses exclude the kernel's own
  std::optional<std::string> refusal;  // a sentence: why some or all are not counted
};

}  // namespace loadline
