// The interface that consumes a trial's batches, and the table of synthetic computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/batch.h"
#include "loaders/tensor.h"
#include "synthetic/clock.h"
#include "synthetic/compute/gradient_sum.h"

namespace loadline {

// The total time of one part of a sink's work since the sink was made.
struct StageTime {
  std::string_view name;  // "copy", "forward", ...
  std::uint64_t hits = 0;
  Time total{};  // of the thread that calls consume()
};

class Sink {
 public:
  virtual ~Sink() = default;

  // Takes one batch, and may keep it as long as a real step would need its memory. Blocks like a real step. One
  // thread.
  virtual void consume(Batch batch) = 0;
  // Waits until everything that consume() launched has ended, or a stop is requested. consume() may be called again.
  // The same thread.
  virtual void finish() {}
  // Waits until nothing that consume() launched is queued behind other work: at most the last step of each device is
  // under way. A trial starts and ends like that; otherwise steps launched at its end, and run after it, would count.
  // The same thread.
  virtual void run_down() {}
  // After run_down(), before consume(): what is still under way goes on from where it was when run_down() returned. A
  // sink that emulates time stands still in between, because a trial's clock does. The same thread.
  virtual void resume() {}

  // The parts of consume(): always the same, in the order of a step. Empty if it has no parts.
  virtual std::span<const StageTime> stages() const { return {}; }
  // What it turned out to be, for the result; empty if its options say everything.
  virtual std::string description() const { return {}; }
  // How many calls of consume() it takes until they block as in the steady state.
  virtual std::size_t batches_to_steady_state() const { return 1; }
  // The period of blocking: over fewer calls, one may have waited for what others did not.
  virtual std::size_t batches_per_round() const { return 1; }
  // For a sink that steps together with those of other ranks, each of which must get the same number of batches.
  // nullopt: it steps alone.
  virtual std::optional<SummedGradients> summed() { return std::nullopt; }
  // Whether another rank has left such steps, so that consume() has no meaning any more.
  virtual bool ended() const { return false; }
};

// How well the samples of some batches were predicted.
struct Score {
  std::uint64_t samples = 0;
  double loss_sum = 0;        // sum over samples of their mean loss; not finite if a loss was not
  std::uint64_t correct = 0;  // samples predicted with their own label; 0 if the target is not a label

  void add(const Score& other) {
    samples += other.samples;
    loss_sum += other.loss_sum;
    correct += other.correct;
  }
  double loss() const { return loss_sum / static_cast<double>(samples); }
};

// A sink that learns from what it consumes.
class Trainer : public Sink {
 public:
  // The score of the batches consumed since the last call, each before training on it.
  virtual Score take_score() = 0;
  // The score of a batch without training on it. Same thread as consume().
  virtual Score evaluate(const Slot& batch) = 0;
  // Whether the target is a label, so that Score::correct has a meaning.
  virtual bool classifies() const = 0;
};

struct ComputeParameter {
  std::string_view name;
  std::string_view help;  // with its unit
  double standard;        // value when left out
  double least;
  bool whole;     // takes whole numbers only
  bool required;  // has no standard value
  double most = std::numeric_limits<double>::infinity();
  std::span<const std::string_view> words = {};  // if not empty, it takes one of them; its value is that word's index
  // For a required parameter: another one that may be given instead of it, but not with it. That one takes words, and
  // its first word means that it is not given: `device` needs samples_per_second, or a profile other than "none".
  std::string_view stand_in = {};
  bool text = false;  // it takes any text, such as a path; its value is from keep_text()
};

// Turn a text into a number and back, because values of parameters are numbers. Any thread; texts are kept until the
// process ends.
double keep_text(std::string_view text);
std::string kept_text(double value);

// The element type in which a training step computes.
enum class Precision : std::uint8_t { kF32, kBF16 };

constexpr std::string_view name(Precision precision) {
  return precision == Precision::kF32 ? "f32" : "bf16";
}

// What a training step receives, and how to do it.
struct StepSetting {
  SampleFormat sample;
  std::size_t batch_size = 0;  // samples, at most
  std::size_t classes = 0;     // labels are below it
  Precision precision = Precision::kF32;
  bool fusion = true;             // combine operations into one pass over memory where possible
  std::size_t threads = 1;        // for the step, including the caller's
  std::vector<std::size_t> cpus;  // where these threads may run; empty: wherever the caller may
  std::uint64_t seed = 1;         // for the initial weights
};

class StepLog;

struct ComputeContext {
  Clock& clock;          // outlives the sink
  std::stop_token stop;  // ends a waiting consume()
  StepSetting setting = {};
  StepLog* log = nullptr;            // receives the sink's spans and outlives it; null: no tracing
  GradientSum* gradients = nullptr;  // sums over the ranks of the run, and outlives the sink; null: this process
                                     // steps alone
};

struct ComputeKind {
  std::string_view name;
  std::string_view summary;
  std::span<const ComputeParameter> parameters;
  std::unique_ptr<Sink> (*make)(std::span<const double> values, const ComputeContext& context);  // as parameters
  // The most batches that the sink keeps after consume() returns; null: it keeps none.
  std::size_t (*held_batches)(std::span<const double> values) = nullptr;
  // About how many bytes of memory make() takes. Throws usage Error if the setting does not suit it. Null: next to no
  // memory, and any setting is fine.
  std::size_t (*memory_bytes)(std::span<const double> values, const StepSetting& setting) = nullptr;
  // Like make(), for a compute that learns; null for others.
  std::unique_ptr<Trainer> (*make_trainer)(std::span<const double> values, const ComputeContext& context) = nullptr;
  bool needs_samples = false;    // takes only samples of the setting's format, with their labels; false: any batch
  bool heeds_precision = false;  // computes in the setting's precision
  bool heeds_fusion = false;     // combines operations, or not, as the setting says
  bool heeds_threads = false;    // uses the setting's threads; false: only the caller's thread
  bool only_reads = false;       // reads every cache line of the batch and does nothing else
  // Its steady rate with a host that takes no time. Null: not known beforehand.
  double (*samples_per_second)(std::span<const double> values, std::size_t batch_size,
                               std::size_t batch_bytes) = nullptr;
  // Whether steps continue after consume() has returned. Null: each has ended by then, unless it is external, which may
  // do either.
  bool (*launches_ahead)(std::span<const double> values) = nullptr;
  bool external = false;       // from outside: takes any batch, also those of external loaders, unchanged
  std::string_view file = {};  // of an external one: its program; empty: not known
};

std::span<const ComputeKind> computes();

// A compute that this build lacks, because something that it needs was missing.
struct LeftOut {
  std::string_view name;
  std::string_view reason;  // with advice on how to get it
};

std::span<const LeftOut> computes_left_out();

// The name in results for a program's own loop. It can be parsed but not made.
inline constexpr std::string_view kProgramStep = "step";

// The index of a parameter, and so of its value. Does not compile if there is no such parameter.
consteval std::size_t parameter_index(std::span<const ComputeParameter> parameters, std::string_view name) {
  std::size_t index = 0;
  while (parameters[index].name != name) ++index;
  return index;
}

// A compute with its parameters, as written in an option: "name" or "name:parameter=value,parameter=value".
struct ComputeSpec {
  const ComputeKind* kind = nullptr;
  std::vector<double> values;  // as kind->parameters

  std::unique_ptr<Sink> make(const ComputeContext& context) const { return kind->make(values, context); }
  std::size_t held_batches() const { return kind->held_batches == nullptr ? 0 : kind->held_batches(values); }
  std::size_t memory_bytes(const StepSetting& setting) const {
    return kind->memory_bytes == nullptr ? 0 : kind->memory_bytes(values, setting);
  }
  bool launches_ahead() const {
    return kind->external || (kind->launches_ahead != nullptr && kind->launches_ahead(values));
  }
  std::optional<double> samples_per_second(std::size_t batch_size, std::size_t batch_bytes) const {
    if (kind->samples_per_second == nullptr) return std::nullopt;
    return kind->samples_per_second(values, batch_size, batch_bytes);
  }
};

// Throws usage Error naming the wrong part and what is possible, or why the compute was left out. For an external
// compute that this process does not open, as in a result from another machine, returns one that cannot be made.
ComputeSpec parse_compute(std::string_view text);

// Whether the text may name a compute outside the table: "train.py:make_step".
bool may_name_external_compute(std::string_view text);

// Opens such computes; its results stay valid. Throws Error.
using ComputeOpener = std::function<ComputeSpec(std::string_view text)>;

// Replaces the opener set before. Must not run while other threads parse.
void set_compute_opener(ComputeOpener opener);

}  // namespace loadline
