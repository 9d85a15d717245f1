#include "harness/measure/loop.h"

#include <utility>

namespace loadline {

Stretch run_loop(Feed& feed, Sink& sink, const Clock& clock, const Length& length, const std::stop_token& stop,
                 const Stretch& so_far) {
  // close() wakes a feed that waits.
  const std::stop_callback close_feed(stop, [&feed] { feed.close(); });

  Stretch stretch = so_far;
  stretch.complete = false;
  Time before = clock.now();
  const Time start = before - so_far.wall;
  const auto within = [&] {
    return stretch.batches < length.batches && stretch.wall < length.time && !(length.enough && length.enough(stretch));
  };
  while (stretch.batches % length.round != 0 || within()) {
    if (stop.stop_requested()) return stretch;
    if (length.enough_takes_time) before = clock.now();
    Batch batch = feed.next();
    if (!batch) return stretch;
    const Time pulled = clock.now();
    stretch.waits.add(pulled - before);
    if (stretch.batches == 0) stretch.first_wait = pulled - before;
    ++stretch.batches;
    stretch.samples += batch->count;
    stretch.bytes += batch->bytes().size();
    stretch.tokens += batch->tokens;
    stretch.token_places += batch->token_places;
    stretch.tokens_cut += batch->tokens_cut;
    stretch.stores = batch->stores;
    sink.consume(std::move(batch));
    before = clock.now();
    stretch.wall = before - start;
    if (sink.ended()) return stretch;
  }
  stretch.complete = true;
  return stretch;
}

void finish(Stretch& stretch, Sink& sink, const Clock& clock) {
  const Time before = clock.now();
  sink.finish();
  stretch.wall += clock.now() - before;
}

void run_down(Stretch& stretch, Sink& sink, const Clock& clock) {
  const Time before = clock.now();
  sink.run_down();
  stretch.wall += clock.now() - before;
}

}  // namespace loadline
