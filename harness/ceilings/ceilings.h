// What this machine can do at all: limits measured in the process, at the affinity and in the rounds of the loaders
// that are held against them.
//
// Each ceiling is a kernel: a part of a loader's work with nothing of a loader around it. A cell comes up against the
// ceilings whose work it cannot do without; the lowest of them binds it, and what it reaches of that one is its
// efficiency. For this a ceiling has to be an upper bound, a rate that no loader can pass:
//
//   gather        the threads that assemble, a worker each, fill slots of their own that nobody reads. Every loader
//                 fills its slots with these samples by this transform on as many threads; it also hands them over.
//                 The samples lie in memory or in a mapped file, whatever the cell reads them from: what is lost on
//                 the way from another format is the format's and the loader's, not the machine's.
//   gather-drain  the same threads also read every line of what they filled. It takes the place of `gather` where the
//                 sink reads (IO) and no CPU is left to do it meanwhile: for a loader without workers, and where every
//                 CPU has a worker. Reading then takes time from filling on every thread.
//   drain         the one consumer reads every line of a batch that stays where it is. Where the sink reads, it reads
//                 on one thread, however many there are to fill.
//   hand-off      empty batches through pool and ring, from one thread to another.
//   device-read   the device reads the dataset's files past the page cache, in requests as large, in the order and as
//                 many at a time as the loader's (requests.h). A cell that starts cold cannot get its samples any
//                 faster than their bytes come from there. Which of them it asks for first, and whether a page serves
//                 several samples, makes no difference: every byte that an epoch needs has to come once.
//   device-iops   likewise, of requests that serve one sample alone: whole files, each opened and closed, or, of files
//                 that memory cannot hold, the pages of a sample at random.
//
// Others are measured to tell why a bound lies where it lies, but are no bounds themselves:
//
//   memory-*      A sample's bytes over the memory's rate looks like a bound and is none: slots that go round between
//                 worker and consumer stay in the last-level cache, part of the dataset does too, and how much of each
//                 nobody knows. What does have to come from memory, `gather` reads as well, on as many threads, so that
//                 such a bound could only be looser.
//   page-cache    reads by system call copy, which a mapped dataset spares itself: a mapped loader may well pass it.
//   device-*      of warm cells: what is in the page cache is not read again.
//
// If a loader passes an upper bound by more than noise, the kernel is too weak, and the result warns about it.
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

  // The ways in which the work can be done, by name, at least one; which is the fastest depends on the machine.
  virtual std::vector<std::string_view> ways() const { return {""}; }

  // Does the work in one of these ways. None when stopped. Throws what the work throws.
  virtual std::optional<Pace> run(std::size_t way, const Stint& stint, const Clock& clock,
                                  const std::stop_token& stop) = 0;
};

// What a kernel is made for. Borrowed, and outlives it. Its threads run where the one may that runs it.
struct CeilingSubject {
  const Assembler& assembler;
  const Sampler& sampler;
  const Machine& machine;
  const Kernels& kernels;  // those that write and copy memory
  std::size_t threads;
  std::span<const std::size_t> giver_cpus = {};      // where batches are handed over: of the thread that gives them
  std::size_t request_bytes = std::size_t{1} << 20;  // of the device: what one request takes at the most
  RequestOrder order = RequestOrder::kRandom;        // likewise
};

enum class CeilingUnit : std::uint8_t { kBytes, kSamples, kBatches, kReads };

// "bytes/s", "samples/s", "batches/s", "reads/s".
std::string_view name(CeilingUnit unit);

// Whose work it is: that of the threads that fill slots, of the one that takes batches, or of one of either.
enum class CeilingRole : std::uint8_t { kFilling, kTaking, kHandingOver };

enum class CeilingScope : std::uint8_t { kMachine, kDataset, kBatch };  // what it depends on, each with those before

struct CeilingKind {
  std::string_view name;
  std::string_view summary;
  CeilingUnit unit;
  CeilingScope scope;
  CeilingRole role;
  bool upper_bound;  // of cells, so that it may bind them
  bool of_device;    // measured only for cells that start cold, and where no cells are measured
  // Number of threads at which it bounds this cell, which has a loader; absent: it does not bound the cell.
  std::optional<std::size_t> (*threads)(const Cell& cell, const DatasetInfo& dataset, const StorageRequests& requests);
  // Throws Error when memory or files cannot be had.
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
  std::string workload;                // empty where it depends on the machine alone
  std::optional<std::size_t> dataset;  // index of the one it is measured on; none likewise
  std::size_t batch_size = 0;          // 0 where it does not depend on it
  std::string further;                 // axes that make other batches, such as "/dtype:u8"; empty likewise
  // That its threads are kept on, as the cell's placement keeps those whose work it is; empty: wherever the process may
  // run. Where batches are handed over, of the thread that takes them and of the one that gives them.
  std::vector<std::size_t> cpus = {};
  std::vector<std::size_t> giver_cpus = {};
  // Of the device, what one read takes, or the mean file that is read, and in which order; none of the others.
  std::optional<std::size_t> request_bytes = {};
  std::optional<RequestOrder> request_order = {};  // none in results of older versions too

  // "gather/cifar10/data:0/batch:512/dtype:u8/threads:2", "memory-read/threads:1", "hand-off/threads:2/cpus:0,1>2,3",
  // "device-read/cifar10/data:0/random:131072/threads:64":
  // names the ceiling in the result.
  std::string id() const;
  // How many samples of this cell, on this dataset, one unit stands for. Upper bounds only. `memory_bytes`: in force on
  // the machine; std::nullopt: not known.
  double samples_per_unit(const Cell& cell, const DatasetInfo& info,
                          std::optional<std::uint64_t> memory_bytes = {}) const;
  bool operator==(const Ceiling&) const = default;
};

// How many blocks of `block_bytes`, into which the files are divided, one sample touches on average. Crops of a volume
// count each of their layers, or their whole extent where several layers share a block.
double blocks_per_sample(const Cell& cell, const DatasetInfo& info, std::size_t block_bytes);

// Those that are measured for this cell on the dataset of this index, in the order of the table; empty where the cell
// has no loader. `memory_bytes`: of this machine; std::nullopt where it is not known. `alone`: no cells are measured,
// so that those of the device are in nobody's way.
std::vector<Ceiling> ceilings_of(const Cell& cell, std::size_t dataset, const DatasetInfo& info,
                                 std::optional<std::uint64_t> memory_bytes = {}, bool alone = false);

// Whether the ceiling, one of those of the cell, is a limit that it cannot pass.
bool binds(const Ceiling& ceiling, const Cell& cell);

// One pass of a kernel.
struct CeilingTrial {
  std::size_t round = 0;
  std::size_t place = 0;       // in the order of all trials of the run, those of cells too
  double started_seconds = 0;  // after the start of the run
  double wall_seconds = 0;
  double amount = 0;  // of the ceiling's unit
  std::string way;    // of the kernel's that was the fastest; empty: it has only one

  double per_second() const { return amount / wall_seconds; }
};

// How long a trial of a ceiling takes, without its setting up. A device that is shared or held to a rate gives its
// bytes in bursts of up to 0.1 s, and one of 100 MB/s works through what is asked of it at a time in 0.6 s.
double ceiling_seconds(const CeilingKind& kind);

// Tries each way of the kernel for a moment, then times the fastest. Takes `time` in all, or longer where the pieces of
// work are long. None when stopped. Throws what the kernel throws, and Error where nothing could be done.
std::optional<CeilingTrial> run_ceiling_trial(CeilingKernel& kernel, Time time, const Clock& clock,
                                              const std::stop_token& stop);

}  // namespace loadline
