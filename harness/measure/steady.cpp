#include "harness/measure/steady.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace loadline {
namespace {

constexpr double kNoticeableChange = 0.01;

// A loader's rate without a drain.
class HandBack final : public Sink {
 public:
  void consume(Batch batch) override { batch.reset(); }
};

}  // namespace

bool moved_by_queue(const Stretch& stretch, const QueueLevels& queue) {
  const double noticeable = kNoticeableChange * static_cast<double>(stretch.batches);
  const double drained = static_cast<double>(queue.ready_at_start) - static_cast<double>(queue.ready_at_end);
  // Levels are whole batches, so the true difference may be one larger.
  if (drained == 0 || std::abs(drained) + 1 <= noticeable) return false;
  return drained > 0 || seconds(stretch.waits.total()) > kNoticeableChange * seconds(stretch.wall);
}

TimedPart run_part(Feed& feed, Sink& sink, const Clock& clock, const Length& length, const std::stop_token& stop) {
  const auto start = feed.ready();
  TimedPart part{.stretch = run_loop(feed, sink, clock, length, stop)};
  run_down(part.stretch, sink, clock);
  if (start) part.queue = {.ready_at_start = *start, .ready_at_end = *feed.ready()};
  return part;
}

TimedPart run_balanced_part(Feed& feed, Sink& sink, const Clock& clock, const Length& length,
                            const std::stop_token& stop) {
  TimedPart part = run_part(feed, sink, clock, length, stop);
  const bool may_go_on = part.stretch.complete && part.queue && length.time < Time::max() / 2;
  if (!may_go_on || !moved_by_queue(part.stretch, *part.queue)) return part;
  Length longer = length;
  longer.time *= 2;
  longer.enough = [&](const Stretch& stretch) {
    part.queue->ready_at_end = *feed.ready();
    return !moved_by_queue(stretch, *part.queue);
  };
  part.stretch = run_loop(feed, sink, clock, longer, stop, part.stretch);
  run_down(part.stretch, sink, clock);
  part.queue->ready_at_end = *feed.ready();
  return part;
}

void empty_queue(Feed& feed, const Clock& clock, const std::stop_token& stop) {
  HandBack unread;
  run_loop(feed, unread, clock, Batches{feed.ready().value_or(0)}, stop);
}

double fill_share(double timed_batches) {
  constexpr double kEnoughBatches = 100;
  return std::max(0.5, std::min(1.0, kEnoughBatches / timed_batches));
}

std::uint64_t round_of(const Cycles& cycles, const Stretch& before, const Length& length) {
  if (before.batches == 0 || length.time >= Time::max() / 2) return 1;
  const auto parts = [&](std::uint64_t batches) {
    const double per_batch = seconds(before.wall) / static_cast<double>(before.batches);
    return per_batch * static_cast<double>(batches) / seconds(length.time);
  };
  const std::uint64_t burst = std::max<std::uint64_t>(1, cycles.workers);
  const std::uint64_t bursts = parts(burst) <= 0.5 ? burst : 1;
  const std::uint64_t epochs = parts(cycles.epoch) <= 2 ? std::max<std::uint64_t>(1, cycles.epoch) : 1;
  const std::uint64_t both = std::lcm(bursts, epochs);
  return parts(both) <= 2 ? both : epochs * std::max<std::uint64_t>(1, bursts / epochs);
}

std::optional<Fill> measure_fill(Feed& feed, const Stretch& timed, std::size_t slots, const Cycles& cycles,
                                 const Clock& clock, const std::stop_token& stop) {
  HandBack unread;
  const double share = fill_share(static_cast<double>(timed.batches));
  Length length(Time(std::llround(share * static_cast<double>(timed.wall.count()))));
  Stretch filled;
  for (const bool again : {false, true}) {
    const Stretch warm_up = run_loop(feed, unread, clock, Batches{slots}, stop);
    if (!warm_up.complete) return std::nullopt;
    if (again && 2 * filled.batches + slots > feed.passes().batches) length = Batches{feed.passes().batches};
    length.round = round_of(cycles, warm_up, length);
    const std::uint64_t passes = feed.passes().ended;
    filled = run_balanced_part(feed, unread, clock, length, stop).stretch;
    if (feed.passes().ended == passes) break;
  }
  // A short fill may find only samples that are left out.
  if (!filled.complete || filled.wall <= Time(0) || filled.samples == 0) return std::nullopt;
  return Fill{.wall_seconds = seconds(filled.wall), .batches = filled.batches, .samples = filled.samples};
}

}  // namespace loadline
