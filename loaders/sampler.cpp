#include "loaders/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "loaders/error.h"
#include "loaders/random.h"

namespace loadline {
namespace {

void shuffle(std::span<SampleIndex> values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
  }
}

void check(const SamplerOptions& options) {
  if (options.samples == 0) throw usage_error("cannot sample from a dataset of 0 samples");
  if (options.samples >= std::numeric_limits<SampleIndex>::max()) {
    throw usage_error(fmt::format("cannot sample from {} samples: more than 2^32 - 2", options.samples));
  }
  if (options.batch_size == 0) throw usage_error("batch size: want at least 1 sample, got 0");
  if (options.world_size == 0 || options.rank >= options.world_size) {
    throw usage_error(
        fmt::format("rank {} of world size {}: want a rank below the world size", options.rank, options.world_size));
  }
  if (options.order == Order::kPageShuffled &&
      (options.page_samples == 0 || options.window_samples < options.page_samples)) {
    throw usage_error(fmt::format("page shuffle: want a window of at least one page, got {} samples for pages of {}",
                                  options.window_samples, options.page_samples));
  }
}

}  // namespace

Sampler::Sampler(const SamplerOptions& options) : options_(options) {
  check(options);
  const std::size_t share =
      options.samples / options.world_size + (options.rank < options.samples % options.world_size ? 1 : 0);
  if (options.batch_size > share) {
    throw usage_error(
        options.world_size == 1
            ? fmt::format("batch size {} is larger than the dataset of {} samples", options.batch_size, options.samples)
            : fmt::format("batch size {} is larger than rank {}'s share of {} samples", options.batch_size,
                          options.rank, share));
  }
  batches_per_epoch_ = share / options.batch_size;
  if (!options.drop_last && share % options.batch_size != 0) ++batches_per_epoch_;
  samples_per_epoch_ = std::min(share, batches_per_epoch_ * options.batch_size);
}

std::size_t Sampler::permutation_size() const {
  return options_.order == Order::kSequential ? 0 : options_.samples;
}

void Sampler::permute(std::uint64_t epoch, std::span<SampleIndex> permutation) const {
  const std::uint64_t key = key_of(options_.seed, epoch);
  switch (options_.order) {
    case Order::kSequential: return;
    case Order::kPageShuffled: return permute_pages(key, permutation);
    case Order::kShuffled: break;
  }
  std::iota(permutation.begin(), permutation.end(), SampleIndex{0});
  Random random(key);
  shuffle(permutation, random);
}

void Sampler::permute_pages(std::uint64_t key, std::span<SampleIndex> permutation) const {
  Random random(key);
  const std::size_t page = std::min(options_.page_samples, permutation.size());
  const std::size_t pages = (permutation.size() + page - 1) / page;
  // The front of the permutation holds the order of the pages until the samples are written from the back: the page
  // numbers not yet used stand before every sample written, since a page has at least one sample.
  const auto order = permutation.first(pages);
  std::iota(order.begin(), order.end(), SampleIndex{0});
  shuffle(order, random);
  const std::size_t missing = pages * page - permutation.size();  // samples of the last page that are not there
  const auto short_place = static_cast<std::size_t>(std::ranges::find(order, pages - 1) - order.begin());
  std::size_t end = permutation.size();
  for (std::size_t k = pages; k > 0; --k) {
    const std::size_t first = order[k - 1] * page;
    const std::size_t count = std::min(page, permutation.size() - first);
    end -= count;
    std::iota(permutation.begin() + static_cast<std::ptrdiff_t>(end),
              permutation.begin() + static_cast<std::ptrdiff_t>(end + count), static_cast<SampleIndex>(first));
  }
  // Windows are counted in pages: one with the short page in it is shorter by as much, and so none cuts a page.
  const std::size_t window_pages = options_.window_samples / page;
  const auto begin_of = [&](std::size_t place) { return place * page - (place > short_place ? missing : 0); };
  for (std::size_t first = 0; first < pages; first += window_pages) {
    const std::size_t begin = begin_of(first);
    const std::size_t window_end = begin_of(std::min(first + window_pages, pages));
    shuffle(permutation.subspan(begin, window_end - begin), random);
  }
}

std::size_t Sampler::batch(std::span<const SampleIndex> permutation, std::size_t batch,
                           std::span<SampleIndex> out) const {
  const std::size_t first = batch * options_.batch_size;
  const std::size_t count = std::min(options_.batch_size, samples_per_epoch_ - first);
  std::size_t position = options_.rank + first * options_.world_size;
  for (std::size_t i = 0; i < count; ++i, position += options_.world_size) {
    out[i] = permutation.empty() ? static_cast<SampleIndex>(position) : permutation[position];
  }
  return count;
}

BatchStream::BatchStream(const Sampler& sampler, const StreamOptions& options)
    : sampler_(sampler),
      end_epoch_(options.epochs ? std::optional(options.first_epoch + *options.epochs) : std::nullopt),
      current_(sampler.permutation_size()),
      spare_(sampler.permutation_size()),
      epoch_(options.first_epoch),
      batch_(options.first_batch) {
  if (options.epochs == 0) throw usage_error("epochs: want at least 1, got 0");
  if (batch_ >= sampler.batches_per_epoch()) {
    throw usage_error(fmt::format("first batch {}: an epoch has {} batches", batch_, sampler.batches_per_epoch()));
  }
  sampler_.permute(epoch_, current_);
}

bool BatchStream::next(Slot& slot) {
  std::unique_lock lock(mutex_);
  while (batch_ == sampler_.batches_per_epoch()) {
    if (end_epoch_ && epoch_ + 1 >= *end_epoch_) return false;
    begin_next_epoch(lock);
  }
  slot.count = sampler_.batch(current_, batch_++, slot.indices);
  slot.epoch = epoch_;
  slot.sequence = sequence_++;
  return true;
}

void BatchStream::begin_next_epoch(std::unique_lock<std::mutex>& lock) {
  // Others may pass the boundary, or a whole short epoch, while this thread waits for the permutation.
  const std::uint64_t finished = epoch_;
  spare_ready_.wait(lock, [&] { return spare_state_ != Spare::kBusy || epoch_ != finished; });
  if (epoch_ != finished) return;
  if (spare_state_ == Spare::kStale) sampler_.permute(epoch_ + 1, spare_);
  std::swap(current_, spare_);
  spare_state_ = Spare::kStale;
  ++epoch_;
  batch_ = 0;
}

void BatchStream::prepare_next() {
  std::unique_lock lock(mutex_);
  const bool last_epoch = end_epoch_ && epoch_ + 1 >= *end_epoch_;
  if (spare_state_ != Spare::kStale || spare_.empty() || last_epoch) return;
  spare_state_ = Spare::kBusy;
  const std::uint64_t epoch = epoch_ + 1;
  lock.unlock();
  // While the state is kBusy nobody swaps or writes the spare permutation.
  sampler_.permute(epoch, spare_);
  lock.lock();
  spare_state_ = Spare::kReady;
  spare_ready_.notify_all();
}

}  // namespace loadline
