// The loader `replay:file=job.json`: batches that arrive when those of a recorded job did.
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

// Resident batches at the times of a recording. If the job waited for a batch, its arrival is known. Any other batch
// arrived no later than its step began, and arrives then here. So this replays the slowest loader that would have
// served the job in the same way. It starts the next batch when the previous one is ready, and pauses while `queue`
// batches wait to be taken. No thread of its own.
class ArrivalFeed final : public Feed {
 public:
  // `batches` must deliver batches of `batch_size` samples without delay; `clock` must outlive the feed. Starts the
  // first batch.
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
  std::deque<Time> arrivals_;  // of the batches started but not taken, in order
  Time last_arrival_{};        // of the batch started last
  Time last_step_{};           // of the job, before the batch to start next
  const std::size_t batch_size_;
};

// The most batches that a loader of this recording may have ready: as many as the job's own loader had, if recorded.
std::size_t queue_of(const Recording& job);

// Opens words that begin with "replay:".
LoaderOpener replay_loader_opener();

}  // namespace loadline
