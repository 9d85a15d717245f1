#include "harness/measure/coverage.h"

#include <fmt/format.h>

#include <utility>

#include "harness/machine/kernel_text.h"
#include "loaders/random.h"

namespace loadline {
namespace {

class TallyingFeed final : public Feed {
 public:
  TallyingFeed(std::unique_ptr<Feed> feed, EpochTallies& tallies) : feed_(std::move(feed)), tallies_(tallies) {}

  Batch next() override {
    Batch batch = feed_->next();
    if (batch && !batch->indices.empty()) {
      EpochTally& tally = tallies_[batch->epoch];
      for (const SampleIndex index : batch->indices.first(batch->count)) tally.add(index);
    }
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
  std::unique_ptr<Feed> feed_;
  EpochTallies& tallies_;
};

}  // namespace

void EpochTally::add(std::uint64_t index) {
  ++samples;
  sum += key_of(index);
}

EpochTally whole_epoch(std::uint64_t samples) {
  EpochTally tally;
  for (std::uint64_t index = 0; index < samples; ++index) tally.add(index);
  return tally;
}

std::string text_of(const EpochTallies& tallies) {
  std::string text;
  for (const auto& [epoch, tally] : tallies) text += fmt::format("{} {} {};", epoch, tally.samples, tally.sum);
  return text;
}

EpochTallies tallies_of(const std::string& text) {
  EpochTallies tallies;
  for (const std::string_view part : split(text, ';')) {
    const auto fields = split(part, ' ');
    if (fields.size() != 3) continue;
    tallies[parse_whole(fields[0]).value_or(0)] = {.samples = parse_whole(fields[1]).value_or(0),
                                                   .sum = parse_whole(fields[2]).value_or(0)};
  }
  return tallies;
}

RankCoverage coverage_of(std::span<const EpochTallies> of_ranks, std::uint64_t dataset_samples) {
  EpochTallies all;
  for (const EpochTallies& tallies : of_ranks) {
    for (const auto& [epoch, tally] : tallies) all[epoch].add(tally);
  }
  RankCoverage coverage;
  std::optional<EpochTally> whole;
  for (const auto& [epoch, tally] : all) {
    if (tally.samples < dataset_samples) {
      ++coverage.partial_epochs;
      continue;
    }
    if (!whole) whole = whole_epoch(dataset_samples);
    ++(tally == *whole ? coverage.proved_epochs : coverage.wrong_epochs);
  }
  return coverage;
}

std::unique_ptr<Feed> tallied(std::unique_ptr<Feed> feed, EpochTallies& tallies) {
  return std::make_unique<TallyingFeed>(std::move(feed), tallies);
}

}  // namespace loadline
