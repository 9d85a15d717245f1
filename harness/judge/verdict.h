// What limits one configuration, said with its uncertainty: a pure function of its trials, safe from any thread. The
// formulas and rules, with their assumptions, are in results/README.md, "Formulas".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/judge/statistics.h"
#include "harness/judge/storage_remedy.h"
#include "harness/judge/tried.h"

namespace loadline {

// Why a mode of one configuration has no trials, or no more of them.
enum class Ending : std::uint8_t {
  kAsked,    // no more were requested
  kStopped,  // the run ended before it had all
  kFailed,
};

// What takes most of the time of the loader's threads, as far as they report it.
enum class LoaderWork : std::uint8_t {
  kOther,
  kReading,        // opening files and reading them
  kDecoding,       // photographs
  kDecodingFully,  // the same, with --scaled-dct left to try
};

// The trials of one configuration: samples per second, one rate per trial. A mode that was not run is empty. Borrows
// the rates.
//
// FULL is bounded by SYNTHETIC and by L, what the loader fills for a sink that reads nothing. IO pays for the drain,
// so it does not bound FULL. L is `fill` where that was measured. Otherwise it lies between what IO and FULL reached
// and `fill_at_most`: IO takes T_io per batch, of which its consumer waits T_wait for the loader and drains during
// the rest. Without the drain the loader is faster by no more than that rest, since its threads had all of T_wait
// without it.
struct Evidence {
  std::string loader;
  std::size_t workers = 0;     // 0 for a loader without workers, such as the serial one
  bool takes_workers = false;  // whether the loader accepts more
  std::string compute;
  std::size_t batch_size = 0;  // samples; needed where the overhead is given
  double synthetic_batch = 0;  // samples of a batch of SYNTHETIC on average; 0: not known
  double full_batch = 0;       // the same of FULL
  std::span<const double> io = {};
  std::span<const double> synthetic = {};
  std::span<const double> full = {};
  std::span<const double> fill = {};          // L itself; empty: not measured
  std::span<const double> fill_at_most = {};  // samples over the consumer's waiting time in IO; empty: no upper bound
  std::span<const double> overhead = {};      // seconds per batch of OVERHEAD; empty: not measured
  std::size_t threads_in_force = 0;           // CPUs that workers may use; 0: unknown
  std::optional<Estimate> ceiling_efficiency = {};  // IO over the lowest ceiling of the machine
  bool drain_binds = false;                         // this ceiling is what IO's one consumer can read
  bool device_binds = false;                        // this ceiling is what the storage of the data delivers
  bool waits_for_device = false;  // the loader waits for storage, which has no more to give (Cause::kStorage)
  bool few_reads = false;         // what storage gives for more reads in flight than the loader has is not known
  // By the limit of storage that binds.
  StorageRemedy storage_remedy = StorageRemedy::kFewerReadsOrBytes;
  std::size_t compute_threads = 0;  // on CPUs that the workers may use too; 0: none
  bool lacks_core = false;          // the compute takes CPU time and has no CPUs of its own
  bool needs_compute = false;       // the workload has none of its own, and none was named: without it there is only IO
  std::optional<double> au = {};    // accelerator utilisation that was requested
  Alternatives tried = {};          // by the same run
  LoaderWork work = LoaderWork::kOther;
  bool waits_for_slots = false;  // its workers spend much of their time waiting for free slots
  Ending io_ending = Ending::kAsked;
  Ending synthetic_ending = Ending::kAsked;
  Ending full_ending = Ending::kAsked;
  bool resumable = false;  // --resume can continue the run
  bool own_loop = false;   // the trials are passes of a program's own loop, with which they end
};

enum class Bound : std::uint8_t {
  kCompute,       // the compute hardly waits and loading alone is faster: faster loading gains next to nothing
  kLoader,        // the compute waits, and loading alone is the slower of the two
  kBalanced,      // the two are equally fast and overlap well: neither alone is the limit
  kInterference,  // loading alone keeps up, yet together they are slower than the slower one alone
  kHarness,     // the step is too short for this harness to measure; for IO alone: its one consumer can read no faster
  kUnclear,     // the trials are too few or too noisy to say, or contradict each other
  kIncomplete,  // not all of IO, SYNTHETIC and FULL were measured
};

// "compute", "loader", "balanced", "interference", "harness", "unclear", "incomplete".
std::string_view name(Bound bound);

enum class Standing : std::uint8_t { kMet, kMissed, kUnclear };

// "met", "missed", "unclear".
std::string_view name(Standing standing);

// How the interval of an accelerator utilisation compares with the requested one: met if its lower end is there or
// above, missed if its upper end is below. Unclear where it contains the requested one, and without an interval.
Standing standing_of(const Estimate& utilisation, double asked);

// Accelerator utilisation compared with the requested one.
struct UtilisationGoal {
  double asked;
  Standing standing;
};

// With T = 1 / throughput. Each figure is absent where a trial it needs was not run; its interval is absent where one
// of those modes has a single trial. No figure is clamped: noise can push stall below 0 and utilisation above 1.
struct Verdict {
  Bound bound;
  std::optional<Estimate> stall;                    // 1 - T_synthetic / T_full
  std::optional<Estimate> accelerator_utilisation;  // T_synthetic / T_full
  std::optional<Estimate> overlap_efficiency;       // (T_L + T_synthetic - T_full) / min(T_L, T_synthetic)
  // T_synthetic / T_L: what loading alone supplies, as a share of what the compute takes. Where L was not measured,
  // this is a lower bound from the faster of IO and FULL, and `supply_at_most` is the upper bound if known.
  std::optional<Estimate> supply;
  bool supply_measured = false;
  std::optional<Estimate> supply_at_most;
  std::optional<Estimate> of_bound;     // FULL over the slower of SYNTHETIC and L; absent where L was not measured
  std::optional<UtilisationGoal> goal;  // where one was requested
  bool storage_binds = false;           // loading is bound by storage, so no more reads in flight are advised
  std::string sentence;                 // one to four sentences to act on
  std::string brief;                    // only what limits it and what to do
  std::string briefest;                 // the same with fewer figures
};

// A difference below this share is not worth acting on: in stall, of L against SYNTHETIC, of FULL against the slower.
inline constexpr double kNoticeable = 0.05;

// From this share on a stall is worth acting on; between kNoticeable and this, either answer is right.
inline constexpr double kTooWide = 0.10;

// Below this overlap efficiency loading and compute spend more of the shorter one's time in turn than side by side.
inline constexpr double kMostlyInTurn = 0.5;

// A step of FULL shorter than this many times the harness's own cost per batch is not a measurement: at 20 the cost
// is 5 % of the step, so it can move a stall by as much as is noticeable.
inline constexpr double kOverheadMargin = 20;

// 1 - T_without / T_with: the share of the time of `with` that `without` saves. From rates, one per trial; nullopt
// where either has none. Throws Error on a rate that is not positive and finite.
std::optional<Estimate> stall_between(std::span<const double> without, std::span<const double> with);

// Throws Error on a rate that is not positive and finite, an overhead that is negative or not finite, or an overhead
// without a batch size.
Verdict judge(const Evidence& evidence);

}  // namespace loadline
