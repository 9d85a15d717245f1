#include "harness/measure/trace.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "synthetic/compute/cuda_profiler.h"

namespace loadline {
namespace {

class ProfiledRange {
 public:
  ProfiledRange(const ProfilerHooks& hooks, const char* name) : hooks_(hooks) {
    if (hooks_.begin != nullptr) hooks_.begin(name);
  }
  ProfiledRange(const ProfiledRange&) = delete;
  ProfiledRange& operator=(const ProfiledRange&) = delete;
  ~ProfiledRange() {
    if (hooks_.end != nullptr) hooks_.end();
  }

 private:
  const ProfilerHooks& hooks_;
};

// Forwards to a feed, and notes when the trial requests a batch.
class TracedFeed final : public Feed {
 public:
  TracedFeed(std::unique_ptr<Feed> feed, ConsumerLog& log, const ProfilerHooks& profiler, const Clock& clock)
      : feed_(std::move(feed)), log_(log), profiler_(profiler), clock_(clock) {}

  Batch next() override {
    const Time asked = clock_.now();
    Batch batch = waited_for();
    if (!batch) return batch;
    const Time got = clock_.now();
    log_.got({.asked = asked,
              .got = got,
              .sequence = batch->sequence,
              .epoch = batch->epoch,
              .samples = batch->count,
              .ready = feed_->ready()});
    return batch;
  }
  bool wait(std::chrono::nanoseconds limit) override { return feed_->wait(limit); }
  std::optional<std::size_t> ready() const override { return feed_->ready(); }
  const DeliveredFormat* delivered() const override { return feed_->delivered(); }
  std::vector<WorkerTimes> worker_times() const override { return feed_->worker_times(); }
  Passes passes() const override { return feed_->passes(); }
  bool settling() const override { return feed_->settling(); }
  std::vector<std::span<const std::byte>> slot_memory() const override { return feed_->slot_memory(); }
  void close() override { feed_->close(); }

 private:
  Batch waited_for() {
    const ProfiledRange range(profiler_, "wait");
    return feed_->next();
  }

  std::unique_ptr<Feed> feed_;
  ConsumerLog& log_;
  const ProfilerHooks& profiler_;
  const Clock& clock_;
};

class TracedSink final : public Sink {
 public:
  TracedSink(std::unique_ptr<Sink> sink, ConsumerLog& log, const ProfilerHooks& profiler, const Clock& clock)
      : sink_(std::move(sink)), log_(log), profiler_(profiler), clock_(clock) {}

  void consume(Batch batch) override {
    const Time taken = clock_.now();
    {
      const ProfiledRange range(profiler_, "take");
      sink_->consume(std::move(batch));
    }
    log_.consumed(taken, clock_.now());
  }
  void finish() override { sink_->finish(); }
  void run_down() override { sink_->run_down(); }
  void resume() override { sink_->resume(); }
  std::span<const StageTime> stages() const override { return sink_->stages(); }
  std::string description() const override { return sink_->description(); }
  std::size_t batches_to_steady_state() const override { return sink_->batches_to_steady_state(); }
  std::size_t batches_per_round() const override { return sink_->batches_per_round(); }

 private:
  std::unique_ptr<Sink> sink_;
  ConsumerLog& log_;
  const ProfilerHooks& profiler_;
  const Clock& clock_;
};

// Gives a trial feeds and sinks that are traced.
class TracedRig final : public Rig {
 public:
  TracedRig(const Rig& rig, TrialTrace& trace, const ProfilerHooks& profiler, Clock& clock)
      : rig_(rig), trace_(trace), profiler_(profiler), clock_(clock) {}

  const Cell& cell() const override { return rig_.cell(); }
  const SlotPlan& slots() const override { return rig_.slots(); }
  std::uint64_t batches_per_epoch() const override { return rig_.batches_per_epoch(); }
  bool ends_epochs_short() const override { return rig_.ends_epochs_short(); }
  std::unique_ptr<Sink> make_sink(Clock& clock, const std::stop_token& stop) const override {
    return std::make_unique<TracedSink>(rig_.make_logged_sink(clock, stop, trace_.steps), trace_.consumer, profiler_,
                                        clock_);
  }
  std::unique_ptr<Feed> make_feed(std::uint64_t first_epoch) const override {
    auto feed = rig_.make_logged_feed(first_epoch, trace_.workers);
    trace_.made = clock_.now();
    return std::make_unique<TracedFeed>(std::move(feed), trace_.consumer, profiler_, clock_);
  }
  void check_files() const override { rig_.check_files(); }
  std::map<SampleIndex, std::string> skipped() const override { return rig_.skipped(); }
  UsageReading usage() const override { return rig_.usage(); }

 private:
  const Rig& rig_;
  TrialTrace& trace_;
  const ProfilerHooks& profiler_;
  Clock& clock_;
};

// A loader without its own threads works on the consumer's.
std::size_t logs_of(const Cell& cell) {
  return cell.loader ? std::max<std::size_t>(1, cell.workers) : 0;
}

}  // namespace

void ConsumerLog::got(const TracedBatch& batch) {
  latest_kept_ = batches_.size() < batches_.capacity();
  if (latest_kept_) {
    batches_.push_back(batch);
  } else {
    ++lost_;
  }
}

void ConsumerLog::consumed(Time taken, Time done) {
  last_done_ = done;
  if (!latest_kept_) return;
  batches_.back().taken = taken;
  batches_.back().done = done;
  batches_.back().consumed = true;
}

TraceLimits limits_of_tracks(std::size_t tracks) {
  // At least four: half of the consumer's are the compute's.
  const std::size_t share = TraceLimits::kMostOfAll / std::max<std::size_t>(1, tracks);
  return {.of_track = std::clamp<std::size_t>(share, 4, TraceLimits::kMostOfTrack)};
}

std::size_t tracks_of(const Cell& cell) {
  return logs_of(cell) + 1;
}

std::optional<TrialTrace> trace_trial(const Rig& rig, const TrialOptions& options, const TraceLimits& limits,
                                      Clock& clock, const std::stop_token& stop) {
  const ProfilerHooks profiler = profiler_hooks();
  // A batch is two slices of the consumer, its wait and its take; the compute has the other half.
  TrialTrace trace{.cell = rig.cell().name(),
                   .steps = StepLog(limits.of_track / 2),
                   .consumer = ConsumerLog(limits.of_track / 4),
                   .limits = limits};
  const std::size_t logs = logs_of(rig.cell());
  trace.workers.reserve(logs);
  for (std::size_t i = 0; i < logs; ++i) trace.workers.emplace_back(limits.of_track, profiler);
  const TracedRig traced(rig, trace, profiler, clock);
  const std::string name = rig.cell().name();
  const ProfiledRange range(profiler, name.c_str());
  trace.begin = clock.now();
  TrialOptions without_fill = options;
  without_fill.fill = false;  // it is a measurement of its own
  auto trial = run_trial(traced, without_fill, clock, stop);
  if (!trial) return std::nullopt;
  trace.trial = std::move(*trial);
  return trace;
}

}  // namespace loadline
