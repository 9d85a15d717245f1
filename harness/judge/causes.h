// Where the threads of one configuration lost time, and which losses are worth naming: a pure
// function of its trials, safe from any thread.
//
// Threads that do not run are either runnable, and something else has their CPU, or blocked. Who is seldom on a CPU
// therefore does not yet wait for storage: that takes evidence of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

enum class Cause : std::uint8_t {
  kLatency,     // threads are blocked on storage while no thread computes, and the device has more to give
  kStorage,     // the same, and it has not
  kContention,  // other processes have the CPUs
  kThrottling,  // the CPU quota of the control group is used up
  kSteal,       // a hypervisor runs something else
  kReaders,     // other processes read from the device of the data
  kReclaim,     // memory is short, and the system takes away pages of the data
};

// "latency", "storage", "contention", "throttling", "steal", "readers", "reclaim".
std::string_view name(Cause cause);

// A share of the time of all trials, and the least and the most of a single one.
struct TimeShare {
  double mean = 0;
  double least = 0;
  double most = 0;
};

// Shares of the time that the threads could have spent on CPUs: the wall time of the trials times the threads, but no
// more of these than there are CPUs. Absent where the system does not tell, or an older version did not ask.
struct Causes {
  TimeShare cpu;                        // the process was on a CPU
  TimeShare wait;                       // of the wall time: the consumer waited for a batch
  std::optional<TimeShare> contention;  // runnable, while other processes had the CPU: at least so much
  std::optional<TimeShare> throttling;
  std::optional<TimeShare> steal;
  std::optional<TimeShare> blocked;  // on storage, as the kernel counts it
  // What the trials took of what the device gives. Of samples at random places a device reads more than they hold.
  // Absent where no ceiling of the device was measured beside them.
  std::optional<double> device;
  // By a monitor; absent without one.
  std::optional<double> others_read_bytes_per_second;  // from the devices of the data, beside this process
  std::optional<double> read_again_bytes_per_second;   // files' pages that memory had had to give up before
  std::vector<Cause> named;                            // the largest share first
};

// Who shares the CPUs in force.
struct SharedCpus {
  std::size_t counted = 1;     // whose time it is that causes are shares of
  std::size_t of_process = 1;  // with the thread that pulls the batches, and those of a compute
  std::size_t cpus = 1;
};

// std::nullopt without trials. `device`: as Causes has it. `monitor`: what it recorded about the machine meanwhile;
// null: not monitored.
std::optional<Causes> causes_of(const CellResult& cell, const DatasetInfo& info, const SharedCpus& threads,
                                std::optional<double> device = std::nullopt, const MonitorRecord* monitor = nullptr);

// A sentence for each cause that is named, each with a space before it: what it took, and what to do.
// In: of which trials that was, as " in FULL"; empty: of all that there are.
std::string causes_text(const Causes& causes, std::string_view more_reads, std::size_t workers,
                        std::string_view in = "");

// By what a cell like this one, with data that is got at in this way, keeps more reads in flight.
std::string_view more_reads_of(const Cell& cell, Access access);

}  // namespace loadline
