#include "harness/measure/attempt.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "harness/measure/resident.h"
#include "harness/measure/schedule.h"
#include "loaders/batch_pool.h"
#include "loaders/error.h"
#include "loaders/loader.h"
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

// The second time, so that memory is faulted in and libraries are set up.
double seconds_of_sample(const Assembler& assembler, std::size_t most, const Clock& clock) {
  constexpr std::size_t kSamples = 4;
  const std::size_t all = assembler.dataset().info().samples;
  const std::size_t count = std::min({kSamples, most, all});
  BatchPool pool(1, count, assembler.sample_bytes());
  const auto filler = assembler.make_filler(count);
  const Batch batch = pool.acquire();
  batch->count = count;
  for (std::size_t i = 0; i < count; ++i) batch->indices[i] = static_cast<SampleIndex>(i * all / count);
  filler->fill(*batch, Stores::kCached);
  const Time begin = clock.now();
  filler->fill(*batch, Stores::kCached);
  return seconds(clock.now() - begin) / static_cast<double>(count);
}

}  // namespace

void try_compute(const CellRig& rig, bool may_read, RunContext& context) {
  const Cell& cell = rig.cell();
  const std::string key = compute_key(cell);
  // The trials of a cell report what is wrong with an external step.
  if (!takes_steps(cell.mode) || rig.compute().kind->external) return;
  TriedCell& tried = context.tried[key];
  if (tried.setup_seconds > 0) return;
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

void try_filling(const CellRig& rig, RunContext& context) {
  const Cell& cell = rig.cell();
  if (!cell.loader || loader_named(*cell.loader).external) return;
  TriedCell& tried = context.tried[compute_key(cell)];
  if (tried.fill_seconds > 0) return;
  const std::size_t batch = rig.sampler().batch_size();
  try {
    tried.fill_seconds = static_cast<double>(batch) * seconds_of_sample(rig.assembler(), batch, context.clock);
  } catch (const Error&) {
    // The trials of the cell report it.
  }
}

}  // namespace loadline
