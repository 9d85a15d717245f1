// The loader `replay:file=job.json`: batches that come when those of a recorded job came.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>

#include "loaders/loader.h"
#include "synthetic/clock.h"
#include "synthetic/recording/playback.h"

namespace loadline {

// Resident batches at the times of a recording. Of a batch that the job had to wait for it is known when it came; of
// the others only that it was not later than its step began, and so it comes then: what is played is the slowest loader
// that would have served the job like this. It works on the next batch from the moment that the one before is ready,
// and rests while `queue` batches wait to be taken. No thread of its own.
class ArrivalFeed final : public Feed {
 public:
  // `batches` gives one of `batch_size` samples at once; `clock` outlives the feed. The first batch is begun here.
  ArrivalFeed(std::unique_ptr<Feed> batches, std::size_t batch_size, Playback playback, std::size_t queue,
              Clock& clock);

  // Throws what `batches` throws.
  Batch next() override;
  std::optional<std::size_t> ready() const override;
  void close() override { closed_.request_stop(); }

 private:
  void begin_another(Time not_before);

  std::unique_ptr<Feed> batches_;
  Playback playback_;
  Clock& clock_;
  std::stop_source closed_;
  std::deque<Time> arrivals_;  // of the batches that are begun and not taken, in their order
  Time last_arrival_{};        // of the last one that was begun
  Time last_step_{};           // of the job, before the batch that is begun next
  const std::size_t batch_size_;
};

// The batches that a loader of this recording has ready at the most: what the job's own had, as far as it says.
std::size_t queue_of(const Recording& job);

// Opens words that begin with "replay:".
LoaderOpener replay_loader_opener();

}  // namespace loadline
