#include "harness/measure/attempt.h"

#include <chrono>
#include <memory>
#include <string>

#include "harness/measure/resident.h"
#include "harness/measure/schedule.h"
#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

bool takes_steps(Mode mode) {
  return mode == Mode::kSynthetic || mode == Mode::kFull;
}

// Enough steps for an estimate, or as many as fit this time.
const Length kSteps(Batches{5}, std::chrono::milliseconds(100));

double seconds_of_step(Feed& feed, Sink& sink, const RunContext& context) {
  run_loop(feed, sink, context.clock, Batches{sink.batches_to_steady_state()}, context.stop);
  Length length = kSteps;
  length.round = sink.batches_per_round();
  const Stretch steps = run_loop(feed, sink, context.clock, length, context.stop);
  return steps.batches == 0 ? 0 : seconds(steps.wall) / static_cast<double>(steps.batches);
}

}  // namespace

void try_compute(const CellRig& rig, bool may_read, RunContext& context) {
  const Cell& cell = rig.cell();
  const std::string key = compute_key(cell);
  // The trials of a cell report what is wrong with an external step.
  if (!takes_steps(cell.mode) || context.tried.contains(key) || rig.compute().kind->external) return;
  TriedCompute& tried = context.tried[key];
  std::unique_ptr<Feed> feed;  // outlives the sink
  const PinnedThread pinned(cell.placement.compute_cpus);
  const Time begin = context.clock.now();
  const auto sink = rig.make_sink(context.clock, context.stop);
  tried.setup_seconds = seconds(context.clock.now() - begin);
  if (!may_read || known_step_seconds(cell, rig.slots().slot_bytes)) return;
  try {
    feed = std::make_unique<ResidentFeed>(rig.assembler(), rig.sampler(), rig.slots().held_batches + 1);
    tried.step_seconds = seconds_of_step(*feed, *sink, context);
  } catch (const Error&) {
    // The trials of the cell report what is wrong with a sample or a step.
  }
}

}  // namespace loadline
