// What a trial hands its batches to, and the table of synthetic computes.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/batch.h"
#include "synthetic/clock.h"

namespace loadline {

class Sink {
 public:
  virtual ~Sink() = default;

  // Takes one batch, and may keep it for as long as a real step would need its memory. Blocks as a real step would.
  // One thread.
  virtual void consume(Batch batch) = 0;

  // How many batches the sink keeps, at the most, when consume() has returned.
  virtual std::size_t held_batches() const { return 0; }
  // How many calls of consume() it takes until they block as they do ever after.
  virtual std::size_t batches_to_steady_state() const { return 1; }
};

struct ComputeParameter {
  std::string_view name;
  std::string_view help;  // with its unit
  double standard;        // value when left out
  double least;
  bool whole;     // takes whole numbers only
  bool required;  // has no standard value
  double most = std::numeric_limits<double>::infinity();
};

struct ComputeContext {
  Clock& clock;          // outlives the sink
  std::stop_token stop;  // ends a waiting consume()
};

struct ComputeKind {
  std::string_view name;
  std::string_view summary;
  std::span<const ComputeParameter> parameters;
  std::unique_ptr<Sink> (*make)(std::span<const double> values, const ComputeContext& context);  // as parameters
};

std::span<const ComputeKind> computes();

// A compute with its parameters, as written in an option: "name" or "name:parameter=value,parameter=value".
struct ComputeSpec {
  const ComputeKind* kind = nullptr;
  std::vector<double> values;  // as kind->parameters

  std::unique_ptr<Sink> make(const ComputeContext& context) const { return kind->make(values, context); }
};

// Throws usage Error naming the part that is wrong and what is possible.
ComputeSpec parse_compute(std::string_view text);

}  // namespace loadline
