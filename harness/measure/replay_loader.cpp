#include "harness/measure/replay_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "harness/measure/resident.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::string_view kPrefix = "replay:";
constexpr std::string_view kFile = "file=";

std::string file_of(std::string_view word) {
  const std::string_view rest = word.substr(kPrefix.size());
  if (!rest.starts_with(kFile) || rest.size() == kFile.size()) {
    throw usage_error(fmt::format("loader {}: want replay:file=JOB, a file that `loadline.record` wrote", word));
  }
  return std::string(rest.substr(kFile.size()));
}

// The clock by which its feed waits.
struct Timed final : Feed {
  Timed(std::unique_ptr<Feed> batches, std::size_t batch_size, Playback playback, std::size_t queue)
      : feed(std::move(batches), batch_size, std::move(playback), queue, clock) {}
  Batch next() override { return feed.next(); }
  std::optional<std::size_t> ready() const override { return feed.ready(); }
  void close() override { feed.close(); }

  SteadyClock clock;
  ArrivalFeed feed;
};

}  // namespace

ArrivalFeed::ArrivalFeed(std::unique_ptr<Feed> batches, std::size_t batch_size, Playback playback, std::size_t queue,
                         Clock& clock)
    : batches_(std::move(batches)),
      playback_(std::move(playback)),
      clock_(clock),
      last_arrival_(clock.now()),
      batch_size_(batch_size) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, queue); ++i) begin_another(last_arrival_);
}

// The job's loop requested a batch when its previous step had ended, and got it after a wait.
void ArrivalFeed::begin_another(Time not_before) {
  const Playback::Batch recorded = playback_.next();
  const Time takes = recorded.scaled(last_step_ + recorded.wait, batch_size_);
  last_step_ = recorded.step;
  last_arrival_ = std::max(last_arrival_, not_before) + takes;
  arrivals_.push_back(last_arrival_);
}

Batch ArrivalFeed::next() {
  if (closed_.stop_requested()) return {};
  if (arrivals_.front() > clock_.now()) clock_.sleep_until(arrivals_.front(), closed_.get_token());
  if (closed_.stop_requested()) return {};
  arrivals_.pop_front();
  Batch batch = batches_->next();
  if (!batch) return batch;
  begin_another(clock_.now());
  return batch;
}

std::optional<std::size_t> ArrivalFeed::ready() const {
  return static_cast<std::size_t>(std::ranges::upper_bound(arrivals_, clock_.now()) - arrivals_.begin());
}

std::size_t queue_of(const Recording& job) {
  return std::max<std::size_t>(1, std::max<std::size_t>(1, job.workers) * job.prefetch.value_or(1));
}

LoaderOpener replay_loader_opener() {
  return {.recognises = [](std::string_view word) { return word.starts_with(kPrefix); },
          .open =
              [](std::string_view word) {
                const Playback playback = load_playback(file_of(word));
                const Recording& job = playback.recording();
                return LoaderKind{
                    .name = std::string(word),
                    .summary = fmt::format("batches at the recorded times of {} batches", job.batches),
                    .engine = [playback](const LoaderKind& /*kind*/, const Assembler& assembler, const Sampler& sampler,
                                         const LoaderOptions& options) -> std::unique_ptr<Feed> {
                      auto batches = std::make_unique<ResidentFeed>(assembler, sampler, options.held_batches + 2);
                      return std::make_unique<Timed>(std::move(batches), sampler.batch_size(), playback,
                                                     queue_of(playback.recording()));
                    },
                    .external = true,
                    .origin = {.name = job.loader, .version = {}, .path = file_of(word)}};
              }};
}

}  // namespace loadline
