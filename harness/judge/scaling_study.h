// A scaling study: one configuration measured with several numbers of ranks. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/judgement.h"
#include "harness/judge/scaling.h"
#include "harness/judge/statistics.h"
#include "harness/result/result.h"

namespace loadline {

// What stays as it is when ranks are added.
enum class ScalingKind : std::uint8_t {
  kWeak,    // the batch per rank
  kStrong,  // the batch of all ranks together
};

// "weak", "strong".
constexpr std::string_view name(ScalingKind kind) {
  return kind == ScalingKind::kWeak ? "weak" : "strong";
}

// How much of a rank's time is lost compared with the fewest ranks of the study, and to what: shares of a rank's
// time. With c = ranks x time / samples, the time that a rank spends on a sample, each share is the rise of its part
// of c, divided by c, in arithmetic means over the trials. Waiting for batches is what FULL takes beyond SYNTHETIC,
// since a device computes while its host waits; without SYNTHETIC it is the host's waiting. They add up to 1 -
// c(fewest) / c, and noise can make them negative.
struct LostTime {
  double loading = 0;     // waiting for batches
  double gradients = 0;   // waiting for the gradients of others; 0 where no stage reports it
  double stragglers = 0;  // waiting for the slowest rank
  double step = 0;        // all else: the step itself, and in IO the sink

  double all() const { return loading + gradients + stragglers + step; }
};

// One configuration at one number of ranks.
struct RankPoint {
  std::size_t ranks = 1;
  std::size_t hosts = 1;
  std::size_t devices = 1;     // of all ranks
  std::size_t cpus = 1;        // of the rank with the fewest
  bool shared = false;         // all ranks of a host may use the same CPUs
  std::size_t batch_size = 0;  // samples per rank
  std::size_t global_batch = 0;
  std::size_t trials = 0;
  Estimate samples_per_second{0, std::nullopt};   // of all ranks, in the mode of the curve
  Estimate efficiency{1, std::nullopt};           // samples per second per rank, relative to the fewest ranks
  std::optional<Estimate> io;                     // samples per second of all ranks
  std::optional<Estimate> synthetic;              // likewise
  std::optional<Estimate> step_efficiency;        // efficiency of SYNTHETIC: of the step alone
  std::optional<Estimate> stall;                  // as in a verdict
  std::optional<Estimate> gradients;              // share of the time that a step waits for other ranks' gradients
  std::optional<Estimate> held;                   // share of the time that the others wait for the slowest rank
  std::optional<double> read_bytes_per_second;    // stored bytes of the samples of all ranks; nullopt: not known
  bool from_storage = false;                      // they came from storage rather than from the page cache
  std::optional<double> device_bytes_per_second;  // of these, the part that came from disks of the hosts
  std::optional<double> cpu_share;                // share of time that all ranks' CPUs were busy; nullopt: not known
  double read_seconds = 0;                        // a worker's time to open and read a sample; 0: not known
  LostTime lost;                                  // 0 for the fewest ranks
};

// The points by ascending ranks, at least two.
struct RankCurve {
  std::string workload;
  std::string configuration;  // "thread-pool x 2", and its further axes
  Mode mode = Mode::kFull;    // FULL, or IO where not all counts have FULL
  std::vector<RankPoint> points;

  // The rate per rank at the fewest ranks, through which the ideal line goes.
  double per_rank() const {
    return points.front().samples_per_second.value / static_cast<double>(points.front().ranks);
  }
  // Fits of throughput over ranks (scaling.h); std::nullopt for fewer than three counts. The second is min(ranks x
  // rate, cap): the bounds of a closed network whose stations are the ranks and one that they share, such as the
  // storage (Muntz and Wong, Asymptotic properties of closed queueing network models, 1974; Denning and Buzen, The
  // operational analysis of queueing network models, 1978).
  std::optional<ScalabilityFit> scalability() const;
  std::optional<CappedLinearFit> capped() const;
};

// One of the results in a study.
struct ScalingSource {
  std::string file;
  std::string run_id;
  std::size_t ranks = 1;
  bool complete = true;
};

struct ScalingStudy {
  ScalingKind kind = ScalingKind::kWeak;
  double efficiency = 0.9;             // from which a point counts as scaling
  bool complete = true;                // all requested counts were measured
  std::vector<ScalingSource> sources;  // by ascending ranks
  std::vector<RankCurve> curves;       // in the order of the first result
  std::vector<std::string> notes;      // what was left out, how the results differ, and their warnings
};

// A result with its judgement and the file that it came from. Borrows them.
struct ScalingPart {
  std::string file;
  const Result& result;
  const Judgement& judgement;
};

// Results of runs with different numbers of ranks, in any order. There is a curve for each configuration that all of
// them have, equal except for the ranks and, in strong scaling, the batch per rank. Without a `kind` the study is
// weak where the results have the same batch per rank, and strong where they have the same batch of all ranks
// together. Throws usage Error for fewer than two counts or two results of one count, and Error naming files for
// results that do not belong together: different data, no configuration in common, merged results, and results of one
// rank of several.
ScalingStudy scaling_study(std::span<const ScalingPart> parts, std::optional<ScalingKind> kind, double efficiency);

// Number of ranks that a result was measured with.
std::size_t ranks_of(const Result& result);

}  // namespace loadline
