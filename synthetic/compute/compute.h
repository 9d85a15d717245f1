// What a trial hands its batches to, and the table of synthetic computes.
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

// A part of what a sink does with its batches, added up since the sink was made.
struct StageTime {
  std::string_view name;  // "copy", "forward", ...
  std::uint64_t hits = 0;
  Time total{};  // of the thread that calls consume()
};

class Sink {
 public:
  virtual ~Sink() = default;

  // Takes one batch, and may keep it for as long as a real step would need its memory. Blocks as a real step would.
  // One thread.
  virtual void consume(Batch batch) = 0;
  // Waits until all that consume() has launched has ended, or a stop is requested. consume() may be called again. The
  // same thread.
  virtual void finish() {}

  // The parts that consume() is made of: always the same ones, in the order of a step. Empty where it has no parts.
  virtual std::span<const StageTime> stages() const { return {}; }
  // What it turned out to be, for the result; empty where its options say it all.
  virtual std::string description() const { return {}; }
  // How many calls of consume() it takes until they block as they do ever after.
  virtual std::size_t batches_to_steady_state() const { return 1; }
  // After how many calls they block again as they did: over fewer, one may have waited for what others did not.
  virtual std::size_t batches_per_round() const { return 1; }
  // Of a sink that steps together with those of other ranks, each of which is to be given as many batches. None: it
  // steps alone.
  virtual std::optional<SummedGradients> summed() { return std::nullopt; }
  // Whether another rank has left such steps, so that what consume() does has no meaning any more.
  virtual bool ended() const { return false; }
};

// How well the samples of some batches were met.
struct Score {
  std::uint64_t samples = 0;
  double loss_sum = 0;        // of the mean loss of a sample; not finite where a loss was not
  std::uint64_t correct = 0;  // that were given their own label; 0 where the target is none

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
  // Of the batches consumed since the last call, each before it was learned from.
  virtual Score take_score() = 0;
  // Of a batch that is not learned from. Same thread as consume().
  virtual Score evaluate(const Slot& batch) = 0;
  // Whether the target is a label, so that Score::correct says something.
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
  std::span<const std::string_view> words = {};  // where there are any, it takes one of them; its value is their index
  // Of a required one: the parameter of words that may be given in its place, but not with it. Its first word is as
  // none.
  std::string_view stand_in = {};
  bool text = false;  // it takes any text, such as a path; its value is that of keep_text()
};

// A number for a text, and the text of such a number: values of parameters are numbers. Any thread; texts are kept to
// the end of the process.
double keep_text(std::string_view text);
std::string kept_text(double value);

// Element type that a training step computes in.
enum class Precision : std::uint8_t { kF32, kBF16 };

constexpr std::string_view name(Precision precision) {
  return precision == Precision::kF32 ? "f32" : "bf16";
}

// What a training step receives, and how to do it.
struct StepSetting {
  SampleFormat sample;
  std::size_t batch_size = 0;  // samples, at the most
  std::size_t classes = 0;     // labels are below it
  Precision precision = Precision::kF32;
  bool fusion = true;             // operations that can be done in one pass over memory are
  std::size_t threads = 1;        // that the step computes with, the caller's among them
  std::vector<std::size_t> cpus;  // that these threads may run on; empty: wherever the caller may
  std::uint64_t seed = 1;         // of the weights
};

class StepLog;

struct ComputeContext {
  Clock& clock;          // outlives the sink
  std::stop_token stop;  // ends a waiting consume()
  StepSetting setting = {};
  StepLog* log = nullptr;            // receives what the sink does, and outlives it; null: no tracing
  GradientSum* gradients = nullptr;  // of the ranks of the run, and outlives the sink; null: this process steps alone
};

struct ComputeKind {
  std::string_view name;
  std::string_view summary;
  std::span<const ComputeParameter> parameters;
  std::unique_ptr<Sink> (*make)(std::span<const double> values, const ComputeContext& context);  // as parameters
  // How many batches the sink keeps, at the most, when consume() has returned; null: none.
  std::size_t (*held_batches)(std::span<const double> values) = nullptr;
  // About how much memory make() takes. Throws usage Error where the setting is one that it cannot have. Null: next to
  // none, and anything goes.
  std::size_t (*memory_bytes)(std::span<const double> values, const StepSetting& setting) = nullptr;
  // As make(), for a compute that learns; null for the others.
  std::unique_ptr<Trainer> (*make_trainer)(std::span<const double> values, const ComputeContext& context) = nullptr;
  bool real = false;          // it does the arithmetic of a training step; false: it takes as long, or next to no time
  bool needs_labels = false;  // it looks at samples, of the setting's format, and at labels; false: it takes any batch
  bool heeds_precision = false;  // precision and fusion mean something to it
  bool heeds_threads = false;    // threads do; false: it computes with the caller's alone
  // What it takes from a host that costs no time, in the steady state. Null: that is not known beforehand.
  double (*samples_per_second)(std::span<const double> values, std::size_t batch_size,
                               std::size_t batch_bytes) = nullptr;
  bool external = false;  // from outside: takes any batch, and those of external loaders unchanged
};

std::span<const ComputeKind> computes();

// A compute that could be there, had this build what it needs.
struct LeftOut {
  std::string_view name;
  std::string_view reason;  // and how to get it
};

std::span<const LeftOut> computes_left_out();

// The compute of a program's own loop, as results name it. It can be parsed, and not be made.
inline constexpr std::string_view kProgramStep = "step";

// Where a parameter stands among those of a compute, and so its value. Does not compile where there is no such one.
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
  std::optional<double> samples_per_second(std::size_t batch_size, std::size_t batch_bytes) const {
    if (kind->samples_per_second == nullptr) return std::nullopt;
    return kind->samples_per_second(values, batch_size, batch_bytes);
  }
};

// Throws usage Error naming the part that is wrong and what is possible, or why the compute was left out. Of an
// external one that this process does not open, as in a result from elsewhere, one that cannot be made.
ComputeSpec parse_compute(std::string_view text);

// Whether the text may name a compute that is not in the table: "train.py:make_step".
bool may_name_external_compute(std::string_view text);

// Opens such computes; what it gives stays valid. Throws Error.
using ComputeOpener = std::function<ComputeSpec(std::string_view text)>;

// Asked in place of the one before it. Not while others parse.
void set_compute_opener(ComputeOpener opener);

}  // namespace loadline
