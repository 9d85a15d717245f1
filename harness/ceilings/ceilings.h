// The limits of this machine. They are measured in this process, with the affinity and in the rounds of the loaders
// that they are compared with.
//
// Each ceiling is a kernel: one part of a loader's work, without the loader around it. A cell is bounded by the
// ceilings whose work it cannot avoid. The lowest of them binds it, and the share of that one that the cell reaches
// is its efficiency. So a ceiling has to be an upper bound, a rate that no loader can exceed:
//
//   gather        as many threads as the cell has workers fill slots of their own, which nobody reads. Every loader
//                 fills its slots with these samples by this transform on that many threads, and also hands them over.
//                 The samples lie in memory or in a mapped file, wherever the cell reads them from. What is lost
//                 in reading another format is the format's and the loader's, not the machine's.
//   gather-drain  the same threads also read every cache line that they filled. Replaces `gather` where the
//                 sink reads (IO) and no CPU is free to do that meanwhile: for a loader without workers, and where
//                 every CPU has a worker. Reading then takes time from filling on every thread. Where a placement
//                 keeps workers off the sink's CPUs (split, numa, pin), it takes none, so gather-across applies.
//   gather-across the same threads fill, and one more reads every cache line, on a CPU that is left for it. For sinks
//                 that read (IO), where gather-drain does not apply. Written lines then travel from one CPU's caches to
//                 another's, or through memory, which no loader can avoid: where samples are small, that is a lower
//                 limit than `gather`. A state for each slot passes it on: there is no pool, ring or lock.
//   drain         one thread reads every cache line of slots that as many others as the cell has workers have just
//                 written; only its reading is timed. A sink that reads does so on one thread, however many threads
//                 fill, and finds the lines in the caches of others or in memory. There is a slot for each worker and
//                 one more, the fewest with which each worker fills a batch of its own. It is no strict bound where
//                 every CPU has a worker: a consumer that runs on the CPU which filled a batch finds it in that CPU's
//                 cache. It stays a bound there, because a consumer that limits IO does not sleep between batches, so
//                 it is not woken on other CPUs.
//   hand-off      empty batches go through pool and ring, from one thread to another.
//   device-read   the device reads the dataset's files past the page cache, with requests of the size, in the order and
//                 as many at a time as the loader's (requests.h). A cell that starts cold cannot get its samples
//                 faster than the device delivers their bytes. Which bytes it requests first, and whether a page serves
//                 several samples, makes no difference: every byte of an epoch has to be read once.
//   device-iops   the same for requests that serve a single sample: whole files, each opened and closed, or, for files
//                 that do not fit in memory, the pages of one sample at a random place.
//
// The others are measured to explain a bound, but are not bounds themselves:
//
//   memory-*      A sample's bytes over the memory's rate looks like a bound but is not: slots that circulate between
//                 worker and consumer stay in the last-level cache, and so does part of the dataset; how much of each
//                 is unknown. What does come from memory, `gather` reads as well, on as many threads, so
//                 this bound could only be looser.
//   page-cache    reads by system call copy, and a mapped dataset saves that copy: a mapped loader may well exceed it.
//   gather-exchange  the threads of gather-drain read the slots of all of them in turn, each slot once. For several
//                 workers where gather-drain applies: the difference is what it costs that batches pass from one CPU
//                 to another. A loader can avoid that: the scheduler may wake the consumer on the CPU that filled the
//                 batch.
//   device-*      for warm cells: what is in the page cache is not read again.
//
// If a loader exceeds an upper bound by more than noise, the kernel is too weak, and the result warns about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ceilings/pace.h"
#include "harness/ceilings/requests.h"
#include "harness/machine/machine.h"
#include "harness/plan/plan.h"
#include "loaders/assemble.h"
#include "loaders/datasets/dataset.h"
#include "loaders/sampler.h"

namespace loadline {

// One limit, ready to be measured: its memory is allocated and faulted in, its files are open.
class CeilingKernel {
 public:
  virtual ~CeilingKernel() = default;

  // Names of the ways to do the work, at least one. Which is fastest depends on the machine.
  virtual std::vector<std::string_view> ways() const { return {""}; }

  // Does the work in one of these ways. nullopt when stopped. Throws what the work throws.
  virtual std::optional<Pace> run(std::size_t way, const Durations& durations, const Clock& clock,
                                  const std::stop_token& stop) = 0;
};

// What a kernel is made for. Borrowed; it must outlive the kernel. The kernel's threads may run wherever the thread
// that runs it may.
struct CeilingSubject {
  const Assembler& assembler;
  const Sampler& sampler;
  const Machine& machine;
  const Kernels& kernels;  // those that write and copy memory
  std::size_t threads;
  std::span<const std::size_t> giver_cpus = {};      // for kTaking, kHandingOver: CPUs of the threads that give batches
  std::size_t request_bytes = std::size_t{1} << 20;  // for device ceilings: the largest request
  RequestOrder order = RequestOrder::kRandom;        // for device ceilings
};

enum class CeilingUnit : std::uint8_t { kBytes, kSamples, kBatches, kReads };

// "bytes/s", "samples/s", "batches/s", "reads/s".
std::string_view name(CeilingUnit unit);

// Whose work is measured: that of the threads that fill slots, of the thread that takes batches from others, or of
// both. kExchanging: threads that fill slots and also read one another's.
enum class CeilingRole : std::uint8_t { kFilling, kTaking, kHandingOver, kExchanging };

// What a ceiling depends on; each includes those before it.
enum class CeilingScope : std::uint8_t { kMachine, kDataset, kBatch };

struct CeilingKind {
  std::string_view name;
  std::string_view summary;
  CeilingUnit unit;
  CeilingScope scope;
  CeilingRole role;
  bool upper_bound;  // of cells, so it may bind them
  bool of_device;    // measured only for cells that start cold, or when no cells are measured
  // With how many threads it is measured for this cell, which has a loader; nullopt: it is not.
  std::optional<std::size_t> (*threads)(const Cell& cell, const DatasetInfo& dataset, const StorageRequests& requests);
  // Throws Error when memory or files are not available.
  std::unique_ptr<CeilingKernel> (*make)(const CeilingSubject& subject);
};

// The table of ceilings.
std::span<const CeilingKind> ceiling_kinds();

// By name; throws usage Error naming the known ones.
const CeilingKind& ceiling_kind_named(std::string_view name);

// One limit on this machine, and what it is measured for.
struct Ceiling {
  const CeilingKind* kind = nullptr;
  std::size_t threads = 1;
  std::string workload;                // empty if it depends on the machine alone
  std::optional<std::size_t> dataset;  // index of the one it is measured on; nullopt likewise
  std::size_t batch_size = 0;          // 0 if it does not depend on one
  std::string further;                 // axes that change the batches, such as "/dtype:u8"; empty likewise
  // CPUs that its threads are bound to, as the cell's placement binds the threads that do this work; empty: wherever
  // the process may run. For kTaking and kHandingOver, `cpus` are those of the thread that takes batches, `giver_cpus`
  // of those that give them.
  std::vector<std::size_t> cpus = {};
  std::vector<std::size_t> giver_cpus = {};
  // For device ceilings only: the size of one read, or the mean size of a file that is read, and the order.
  std::optional<std::size_t> request_bytes = {};
  std::optional<RequestOrder> request_order = {};  // nullopt also in results of older versions

  // "gather/cifar10/data:0/batch:512/dtype:u8/threads:2", "memory-read/threads:1", "hand-off/threads:2/cpus:0,1>2,3",
  // "device-read/cifar10/data:0/random:131072/threads:64":
  // names the ceiling in the result.
  std::string id() const;
  // How many samples of this cell, on this dataset, one unit stands for. For upper bounds only. `memory_bytes`: the
  // memory that the process may use; nullopt: not known.
  double samples_per_unit(const Cell& cell, const DatasetInfo& info,
                          std::optional<std::uint64_t> memory_bytes = {}) const;
  bool operator==(const Ceiling&) const = default;
};

// How many blocks of `block_bytes`, into which the files are divided, one sample touches on average. Crops of a volume
// count each of their layers, or their whole extent where several layers share a block.
double blocks_per_sample(const Cell& cell, const DatasetInfo& info, std::size_t block_bytes);

// The ceilings to measure for this cell on the dataset of this index, in the order of the table; empty if the cell
// has no loader. `memory_bytes`: as above. `alone`: no cells are measured, so device ceilings disturb nothing.
std::vector<Ceiling> ceilings_of(const Cell& cell, std::size_t dataset, const DatasetInfo& info,
                                 std::optional<std::uint64_t> memory_bytes = {}, bool alone = false);

// Whether this ceiling of the cell is a limit that the cell cannot exceed.
bool binds(const Ceiling& ceiling, const Cell& cell);

// One pass of a kernel.
struct CeilingTrial {
  std::size_t round = 0;
  std::size_t place = 0;       // in the order of all trials of the run, including those of cells
  double started_seconds = 0;  // after the start of the run
  double wall_seconds = 0;
  double amount = 0;  // of the ceiling's unit
  std::string way;    // the kernel's fastest way; empty: it has only one
  // CPU time of the threads that did that; nullopt where others helped them, and in results of older versions.
  std::optional<double> cpu_seconds = {};

  double per_second() const { return amount / wall_seconds; }
};

// How long a trial of a ceiling takes, without its set-up. A shared or rate-limited device delivers bytes in bursts
// of up to 0.1 s, and a device of 100 MB/s needs 0.6 s for the requests that are under way at a time. Two threads that
// exchange slots need some 40 ms until each has in its caches what it will have.
double ceiling_seconds(const CeilingKind& kind);

// Tries each way of the kernel briefly, then times the fastest; if it is then slower than another way was, times that
// one too, and keeps the faster. Takes `time` for that in all, or longer if one piece of work takes longer. nullopt
// when stopped. Throws what the kernel throws, and Error if no work was done.
std::optional<CeilingTrial> run_ceiling_trial(CeilingKernel& kernel, Time time, const Clock& clock,
                                              const std::stop_token& stop);

}  // namespace loadline
