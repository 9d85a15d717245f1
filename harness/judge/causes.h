// Where the threads of one configuration lost time, and which losses are worth mentioning: a pure function of its
// trials, safe from any thread. cause_words.h says it in words.
//
// A thread that does not run is either blocked, or runnable while something else has its CPU. So a thread that is
// seldom on a CPU need not be waiting for storage: that takes evidence of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/judge/storage_remedy.h"
#include "harness/result/result.h"

namespace loadline {

enum class Cause : std::uint8_t {
  kLatency,     // threads are blocked on storage while no thread computes, and the device has more to give
  kStorage,     // the same, and the device has no more to give, as far as is known
  kContention,  // processes that are not ranks of the run have the CPUs
  kThrottling,  // the CPU quota of the control group is used up
  kSteal,       // a hypervisor runs something else
  kReaders,     // other processes read from the device of the data
  kReclaim,     // memory is short, and the system evicts pages of the data
};

// "latency", "storage", "contention", "throttling", "steal", "readers", "reclaim".
std::string_view name(Cause cause);

// A share of the time of all trials, with the smallest and the largest share of any one trial.
struct TimeShare {
  double mean = 0;
  double least = 0;
  double most = 0;
};

// The same of one of several ranks.
struct RankShareOfTime {
  std::size_t rank = 0;
  TimeShare share;
  double others = 0;  // the mean of the other ranks
};

// From this share of a device's rate on, the reads under way keep it busy, and further reads would wait for it. A
// device is rarely so steady that its ceiling and the trials next to it got the same rate.
inline constexpr double kBusyDevice = 0.75;

// The share of a device's rate for such reads that trials used. For samples at random places a device reads more than
// they hold.
struct DeviceShare {
  double used = 0;
  // The unit of the rate with the highest share: bytes or reads. nullopt: the device's rates in both allow about as
  // many samples, as where each read is a whole file, so they cannot tell.
  std::optional<CeilingUnit> limit = CeilingUnit::kBytes;
  // The rate was measured with no more reads in flight than the trials had: it may be higher for more.
  bool of_few_reads = false;
  // The highest share is of what the device allows with the filling that comes behind it, which more workers may speed
  // up.
  bool with_filling = false;
  // The run shows that its rate is higher: more workers of the same loader were clearly faster.
  bool more_gained = false;

  bool busy() const { return used >= kBusyDevice && !more_gained; }
};

// Shares of the time that the threads could have spent on CPUs: the wall time of the trials, times the number of
// threads or of CPUs, whichever is smaller. Of a CPU that ranks share, each has its part. A share is absent where the
// system does not report it, or an older version did not record it.
struct Causes {
  std::size_t threads = 1;  // of the process: those that load, take the batches and compute
  TimeShare cpu;            // the process was on a CPU
  TimeShare wait;           // of the wall time: the consumer waited for a batch
  // Of the same time of all threads of the process, because the system does not tell which of them waited: they were
  // runnable, while processes that are not ranks of the run had the CPU. A lower bound.
  std::optional<TimeShare> contention;
  // The same of the rank that lost most, of its own time. Absent for one rank, where ranks share CPUs, so that one may
  // take more of them than another, and where fewer than two ranks report it.
  std::optional<RankShareOfTime> contended_rank;
  std::optional<TimeShare> throttling;
  std::optional<TimeShare> steal;
  std::optional<TimeShare> blocked;  // on storage, as the kernel counts it
  // Absent where no ceiling of the device was measured with them.
  std::optional<DeviceShare> device;
  StorageRemedy storage_remedy = StorageRemedy::kFewerReadsOrBytes;
  // Bytes that the device gave over those that the samples take in the files: a block may hold samples that the trials
  // did not deliver.
  double read_over_stored = 0;
  // From a monitor; absent without one. The former is absent for several ranks too.
  std::optional<double> others_read_bytes_per_second;  // from the devices of the data, not by this process
  std::optional<double> read_again_bytes_per_second;   // pages of files that had been evicted before
  std::vector<Cause> named;                            // the largest share first

  // Whether other processes have the CPUs of `contended_rank`, and hardly those of the others.
  bool of_one_rank() const;
};

// Who shares the CPUs in force.
struct SharedCpus {
  std::size_t counted = 1;     // the threads whose time the causes are shares of
  std::size_t of_process = 1;  // with the thread that pulls the batches, and those of a compute
  std::size_t cpus = 1;
  std::size_t ranks = 1;  // of the run that have the same CPU, at most
};

// std::nullopt without trials. `device`: as in Causes. `monitor`: its record of the machine during the trials; null:
// not monitored.
std::optional<Causes> causes_of(const CellResult& cell, const DatasetInfo& info, const SharedCpus& threads,
                                const std::optional<DeviceShare>& device = std::nullopt,
                                const MonitorRecord* monitor = nullptr);

}  // namespace loadline
