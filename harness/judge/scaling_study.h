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
  kWeak,    // the batch of a rank
  kStrong,  // the batch of all ranks together
};

// "weak", "strong".
constexpr std::string_view name(ScalingKind kind) {
  return kind == ScalingKind::kWeak ? "weak" : "strong";
}

// How much of a rank's time is lost, against the fewest ranks of the study, and to what: shares of a rank's time. With
// c = ranks x time / samples, the time that a rank spends on a sample, each is the rise of its part of c over c, of
// arithmetic means over the trials. Waiting for batches is what FULL takes beyond SYNTHETIC, since a device computes
// while its host waits; without SYNTHETIC it is the host's waiting. They add up to 1 - c(fewest) / c, and noise can
// make them negative.
struct LostTime {
  double loading = 0;     // waiting for batches
  double gradients = 0;   // waiting for the gradients of others; 0 where no stage tells
  double stragglers = 0;  // waiting for the slowest rank
  double step = 0;        // all else: the step itself, and in IO the sink

  double all() const { return loading + gradients + stragglers + step; }
};

// One configuration with one number of ranks.
struct RankPoint {
  std::size_t ranks = 1;
  std::size_t hosts = 1;
  std::size_t devices = 1;     // of all ranks
  std::size_t cpus = 1;        // of the rank that has the fewest
  bool shared = false;         // ranks of a host share the CPUs that it gave to each
  std::size_t batch_size = 0;  // of a rank: samples
  std::size_t global_batch = 0;
  std::size_t trials = 0;
  Estimate samples_per_second{0, std::nullopt};   // of all ranks, in the mode of the curve
  Estimate efficiency{1, std::nullopt};           // over ranks, against the same of the fewest ranks
  std::optional<Estimate> io;                     // samples per second of all ranks
  std::optional<Estimate> synthetic;              // likewise
  std::optional<Estimate> step_efficiency;        // efficiency of SYNTHETIC: of the step alone
  std::optional<Estimate> stall;                  // as of a verdict
  std::optional<Estimate> gradients;              // share of the time that a step waits for other ranks' gradients
  std::optional<Estimate> held;                   // share of the time that the others wait for the slowest rank
  std::optional<double> read_bytes_per_second;    // stored bytes of the samples of all ranks; nullopt: not known
  bool from_storage = false;                      // they came from there, rather than from the page cache
  std::optional<double> device_bytes_per_second;  // of these, what came from disks of the hosts
  std::optional<double> cpu_share;                // share of time that all ranks' CPUs were busy; nullopt: not known
  double read_seconds = 0;                        // of a worker, opening and reading a sample; 0: not known
  LostTime lost;                                  // of the fewest ranks: nothing
};

// The points by ascending ranks, at least two.
struct RankCurve {
  std::string workload;
  std::string configuration;  // "thread-pool x 2", and its further axes
  Mode mode = Mode::kFull;    // FULL, or IO where not all counts have FULL
  std::vector<RankPoint> points;

  // The rate of one rank where there are fewest, which the ideal line goes through.
  double per_rank() const {
    return points.front().samples_per_second.value / static_cast<double>(points.front().ranks);
  }
  // Throughput over ranks, as scaling.h has it: none of fewer than three counts. The second is min(ranks x rate, cap),
  // piecewise: the bounds of a closed network whose stations are the ranks and one that they share, such as the storage
  // (Muntz and Wong, Asymptotic properties of closed queueing network models, 1974; Denning and Buzen, The operational
  // analysis of queueing network models, 1978).
  std::optional<ScalabilityFit> scalability() const;
  std::optional<CappedLinearFit> capped() const;
};

// One of the results that a study is made of.
struct ScalingSource {
  std::string file;
  std::string run_id;
  std::size_t ranks = 1;
  bool complete = true;
};

struct ScalingStudy {
  ScalingKind kind = ScalingKind::kWeak;
  double efficiency = 0.9;             // that counts as scaling
  bool complete = true;                // all counts that were asked for
  std::vector<ScalingSource> sources;  // by ascending ranks
  std::vector<RankCurve> curves;       // in the order of the first result
  std::vector<std::string> notes;      // sentences: what was left out, and what sets the results apart
};

// A result with its judgement and the file that it came from. Borrows them.
struct ScalingPart {
  std::string file;
  const Result& result;
  const Judgement& judgement;
};

// Results of runs with different numbers of ranks, in any order. Curves are of configurations that all of them have,
// equal but for ranks, and in strong scaling for the batch of a rank. Without a kind it is weak where the results have
// the same batches, and strong where they have the same batches of all ranks together.
// Throws usage Error for fewer than two counts or two results of one count, and Error naming files for results that do
// not belong together: other data, no configuration in common, merged ones, and those of one rank of several.
ScalingStudy scaling_study(std::span<const ScalingPart> parts, std::optional<ScalingKind> kind, double efficiency);

// Ranks that a result was measured with.
std::size_t ranks_of(const Result& result);

}  // namespace loadline
