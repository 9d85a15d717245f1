#include "loaders/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "loaders/batch.h"
#include "loaders/error.h"
#include "loaders/keyed_permutation.h"
#include "loaders/random.h"

namespace loadline {
namespace {

void fisher_yates(std::span<SampleIndex> values, Random& random) {
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

std::string_view name(Shuffle shuffle) {
  switch (shuffle) {
    case Shuffle::kNone: return "none";
    case Shuffle::kInMemory: return "in memory";
    case Shuffle::kKeyed: return "keyed";
  }
  return "";
}

Shuffle shuffle_of(Order order, std::size_t samples, std::size_t world_size) {
  if (order == Order::kSequential) return Shuffle::kNone;
  const std::size_t most = world_size < kManyRanks ? kMostShuffledInMemory : kMostShuffledByManyRanks;
  return samples > most ? Shuffle::kKeyed : Shuffle::kInMemory;
}

Sampler::Sampler(const SamplerOptions& options, std::span<const std::uint32_t> lengths)
    : options_(options), lengths_(lengths), shuffle_(shuffle_of(options.order, options.samples, options.world_size)) {
  check(options);
  if (options.bucket_batches > 0 && lengths.size() != options.samples) {
    throw usage_error(
        fmt::format("--bucket-batches {}: the samples have no lengths of their own, only those of padded text do",
                    options.bucket_batches));
  }
  const std::size_t share =
      options.samples / options.world_size + (options.rank < options.samples % options.world_size ? 1 : 0);
  if (options.batch_size > share) {
    const std::string whole = options.world_size == 1 ? "the dataset" : fmt::format("rank {}'s share", options.rank);
    throw usage_error(fmt::format("--batch-size {} is larger than {} of {} sample{}{}", options.batch_size, whole,
                                  share, share == 1 ? "" : "s",
                                  share == 0 ? "" : fmt::format("; use --batch-size {} or less", share)));
  }
  batches_per_epoch_ = share / options.batch_size;
  if (!options.drop_last && share % options.batch_size != 0) ++batches_per_epoch_;
  samples_per_epoch_ = std::min(share, batches_per_epoch_ * options.batch_size);
}

std::size_t Sampler::permutation_size() const {
  return shuffle_ == Shuffle::kInMemory ? options_.samples : 0;
}

void Sampler::permute(std::uint64_t epoch, std::span<SampleIndex> permutation) const {
  if (shuffle_ != Shuffle::kInMemory) return;
  const std::uint64_t key = key_of(options_.seed, epoch);
  if (options_.order == Order::kPageShuffled) {
    permute_pages(key, permutation);
  } else {
    std::iota(permutation.begin(), permutation.end(), SampleIndex{0});
    Random random(key);
    fisher_yates(permutation, random);
  }
  if (options_.bucket_batches > 0) sort_buckets(epoch, permutation);
}

void Sampler::sort_bucket(std::uint64_t epoch, std::size_t bucket, std::span<SampleIndex> samples) const {
  // Samples of equal length by index, so that the order does not depend on the sort algorithm.
  std::ranges::sort(samples, {}, [this](SampleIndex sample) { return std::pair(lengths_[sample], sample); });
  const std::size_t size = options_.batch_size;
  std::vector<SampleIndex> order(samples.size() / size);
  std::iota(order.begin(), order.end(), SampleIndex{0});
  Random random(key_of(options_.seed, epoch, bucket));
  fisher_yates(order, random);
  const std::vector<SampleIndex> sorted(samples.begin(), samples.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::ranges::copy(std::span(sorted).subspan(order[i] * size, size),
                      samples.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
}

void Sampler::sort_buckets(std::uint64_t epoch, std::span<SampleIndex> permutation) const {
  const std::size_t bucket = options_.bucket_batches * options_.batch_size;
  std::vector<SampleIndex> samples;
  for (std::size_t first = 0; first < samples_per_epoch_; first += bucket) {
    samples.resize(std::min(bucket, samples_per_epoch_ - first));
    take(epoch, permutation, first, samples);
    sort_bucket(epoch, first / bucket, samples);
    std::size_t position = options_.rank + first * options_.world_size;
    for (std::size_t i = 0; i < samples.size(); ++i, position += options_.world_size) {
      permutation[position] = samples[i];
    }
  }
}

void Sampler::permute_pages(std::uint64_t key, std::span<SampleIndex> permutation) const {
  Random random(key);
  const std::size_t page = std::min(options_.page_samples, permutation.size());
  const std::size_t pages = (permutation.size() + page - 1) / page;
  // The front of the permutation holds the order of the pages until the samples are written from the back: the page
  // numbers not yet used are before every sample written, since a page has at least one sample.
  const auto order = permutation.first(pages);
  std::iota(order.begin(), order.end(), SampleIndex{0});
  fisher_yates(order, random);
  const std::size_t missing = pages * page - permutation.size();  // samples that the last page lacks
  const auto short_place = static_cast<std::size_t>(std::ranges::find(order, pages - 1) - order.begin());
  std::size_t end = permutation.size();
  for (std::size_t k = pages; k > 0; --k) {
    const std::size_t first = order[k - 1] * page;
    const std::size_t count = std::min(page, permutation.size() - first);
    end -= count;
    std::iota(permutation.begin() + static_cast<std::ptrdiff_t>(end),
              permutation.begin() + static_cast<std::ptrdiff_t>(end + count), static_cast<SampleIndex>(first));
  }
  // Windows are counted in pages: the one with the short page is shorter, so no window cuts a page.
  const std::size_t window_pages = options_.window_samples / page;
  const auto begin_of = [&](std::size_t place) { return place * page - (place > short_place ? missing : 0); };
  for (std::size_t first = 0; first < pages; first += window_pages) {
    const std::size_t begin = begin_of(first);
    const std::size_t window_end = begin_of(std::min(first + window_pages, pages));
    fisher_yates(permutation.subspan(begin, window_end - begin), random);
  }
}

// The same rule as permute_pages(), place by place.
void Sampler::place_in_pages(std::uint64_t key, std::span<SampleIndex> places) const {
  const std::size_t samples = options_.samples;
  const std::size_t page = std::min(options_.page_samples, samples);
  const std::size_t pages = (samples + page - 1) / page;
  const std::size_t missing = pages * page - samples;
  const KeyedPermutation order(static_cast<SampleIndex>(pages), key_of(key, 0));
  const std::size_t short_place = order.place_of(static_cast<SampleIndex>(pages - 1));
  const std::size_t window_pages = options_.window_samples / page;
  const auto begin_of = [&](std::size_t place) { return place * page - (place > short_place ? missing : 0); };
  // Where places after the short page would be if that page were whole.
  const auto as_if_whole = [&](std::size_t place) {
    return place >= begin_of(short_place) + page - missing ? place + missing : place;
  };
  std::optional<KeyedPermutation> mix;
  std::size_t begin = 0;
  std::size_t end = 0;  // end of the window that `mix` covers
  for (SampleIndex& at : places) {
    if (at < begin || at >= end) {
      const std::size_t window = as_if_whole(at) / page / window_pages;
      begin = begin_of(window * window_pages);
      end = begin_of(std::min((window + 1) * window_pages, pages));
      mix.emplace(static_cast<SampleIndex>(end - begin), key_of(key, 1, window));
    }
    const std::size_t mixed = as_if_whole(begin + (*mix)(static_cast<SampleIndex>(at - begin)));
    at = static_cast<SampleIndex>(order(static_cast<SampleIndex>(mixed / page)) * page + mixed % page);
  }
}

std::size_t Sampler::batch(std::uint64_t epoch, std::span<const SampleIndex> permutation, std::size_t batch,
                           std::span<SampleIndex> out) const {
  const std::size_t first = batch * options_.batch_size;
  const std::size_t count = std::min(options_.batch_size, samples_per_epoch_ - first);
  if (options_.bucket_batches == 0 || shuffle_ == Shuffle::kInMemory) {
    take(epoch, permutation, first, out.first(count));
    return count;
  }
  const std::size_t bucket = batch / options_.bucket_batches;
  const std::size_t bucket_first = bucket * options_.bucket_batches * options_.batch_size;
  std::vector<SampleIndex> samples(
      std::min(options_.bucket_batches * options_.batch_size, samples_per_epoch_ - bucket_first));
  take(epoch, permutation, bucket_first, samples);
  sort_bucket(epoch, bucket, samples);
  std::ranges::copy(std::span(samples).subspan(first - bucket_first, count), out.begin());
  return count;
}

void Sampler::take(std::uint64_t epoch, std::span<const SampleIndex> permutation, std::size_t first,
                   std::span<SampleIndex> out) const {
  std::size_t position = options_.rank + first * options_.world_size;
  for (SampleIndex& index : out) {
    index = permutation.empty() ? static_cast<SampleIndex>(position) : permutation[position];
    position += options_.world_size;
  }
  if (shuffle_ != Shuffle::kKeyed) return;
  const std::uint64_t key = key_of(options_.seed, epoch);
  if (options_.order == Order::kPageShuffled) {
    place_in_pages(key, out);
  } else {
    KeyedPermutation(static_cast<SampleIndex>(options_.samples), key).apply(out);
  }
}

BatchStream::BatchStream(const Sampler& sampler, const StreamOptions& options)
    : sampler_(sampler),
      first_epoch_(options.first_epoch),
      first_batch_(options.first_batch),
      epochs_(options.epochs),
      end_(std::numeric_limits<std::uint64_t>::max()) {
  if (options.epochs == 0) throw usage_error("epochs: want at least 1, got 0");
  const std::uint64_t an_epoch = sampler.batches_per_epoch();
  if (first_batch_ >= an_epoch) {
    throw usage_error(fmt::format("first batch {}: an epoch has {} batches", first_batch_, an_epoch));
  }
  if (epochs_ && *epochs_ <= end_ / an_epoch) end_ = *epochs_ * an_epoch - first_batch_;
  for (Half& half : halves_) half.permutation.resize(sampler.permutation_size());
  make(0);
}

// One of a permutation's unread batches. The thread that has read the last one releases the memory to the epoch after
// the next.
class BatchStream::Reading {
 public:
  explicit Reading(Half& half) : half_(half.permutation.empty() ? nullptr : &half) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    if (half_ != nullptr && half_->unread.fetch_sub(1, std::memory_order_acq_rel) == 1) announce(*half_);
  }

 private:
  Half* half_;  // null if there is no permutation
};

bool BatchStream::next(Slot& slot) {
  const std::uint64_t sequence = next_.fetch_add(1, std::memory_order_relaxed);
  if (sequence >= end_) return false;
  const std::uint64_t an_epoch = sampler_.batches_per_epoch();
  const std::uint64_t turn = (first_batch_ + sequence) / an_epoch;
  // First, because everything else may throw.
  slot.epoch = first_epoch_ + turn;
  slot.sequence = sequence;
  Half& half = half_of(turn);
  if (!half.permutation.empty()) wait_for(turn);
  const Reading reading(half);
  slot.count = sampler_.batch(slot.epoch, half.permutation, (first_batch_ + sequence) % an_epoch, slot.indices);
  return true;
}

bool BatchStream::look_at(std::uint64_t sequence, Slot& slot) {
  if (sequence >= end_) return false;
  const std::uint64_t an_epoch = sampler_.batches_per_epoch();
  const std::uint64_t turn = (first_batch_ + sequence) / an_epoch;
  Half& half = half_of(turn);
  const bool computed = half.permutation.empty();
  if (!computed) {
    // Counts as one more unread batch, so that nobody overwrites the permutation meanwhile.
    std::uint64_t unread = half.unread.load(std::memory_order_acquire);
    do {
      if (unread == 0) return false;
    } while (!half.unread.compare_exchange_weak(unread, unread + 1, std::memory_order_acq_rel));
  }
  const Reading reading(half);
  const bool settled = !half.making.load(std::memory_order_acquire);
  const bool there = computed || (settled && half.made.load(std::memory_order_acquire) == turn / 2 + 1);
  if (there) {
    slot.epoch = first_epoch_ + turn;
    slot.sequence = sequence;
    slot.count = sampler_.batch(slot.epoch, half.permutation, (first_batch_ + sequence) % an_epoch, slot.indices);
  }
  return there;
}

bool BatchStream::is_made(const Half& half, std::uint64_t turn) {
  return half.made.load(std::memory_order_acquire) > turn / 2;
}

// Returns whether the permutation of this turn exists.
bool BatchStream::make(std::uint64_t turn) {
  Half& half = half_of(turn);
  if (is_made(half, turn)) return true;
  if (half.unread.load(std::memory_order_acquire) > 0) return false;
  if (half.making.exchange(true, std::memory_order_acq_rel)) return false;
  // Since this thread looked, others may have made it, and all of it may have been read.
  if (half.made.load(std::memory_order_acquire) == turn / 2 && half.unread.load(std::memory_order_acquire) == 0) {
    try {
      sampler_.permute(first_epoch_ + turn, half.permutation);
    } catch (...) {
      half.making.store(false, std::memory_order_release);
      announce(half);
      throw;
    }
    half.unread.store(batches_of(turn), std::memory_order_release);  // look_at() then checks `making`
    half.made.store(turn / 2 + 1, std::memory_order_release);
  }
  half.making.store(false, std::memory_order_release);
  announce(half);
  return is_made(half, turn);
}

// A lost batch counts as unread for ever, so later epochs would wait for it without end.
void BatchStream::wait_for(std::uint64_t turn) {
  Half& half = half_of(turn);
  while (!is_made(half, turn)) {
    const std::uint32_t seen = half.changes.load();
    try {
      if (make(turn)) return;
    } catch (...) {
      lost_any_.store(true);
      for (Half& each : halves_) announce(each);
      throw;
    }
    if (lost_any_.load()) throw Error("cannot compute the order of an epoch: an earlier one could not be computed");
    half.changes.wait(seen);
  }
}

void BatchStream::announce(Half& half) {
  half.changes.fetch_add(1);
  half.changes.notify_all();
}

std::size_t BatchStream::batches_of(std::uint64_t turn) const {
  return sampler_.batches_per_epoch() - (turn == 0 ? first_batch_ : 0);
}

void BatchStream::prepare_next() {
  if (halves_[0].permutation.empty()) return;
  const std::uint64_t an_epoch = sampler_.batches_per_epoch();
  // Of a batch that was dealt out: its permutation stays until it is read.
  const std::uint64_t given = std::max<std::uint64_t>(next_.load(std::memory_order_relaxed), 1) - 1;
  const std::uint64_t turn = (first_batch_ + std::min(given, end_ - 1)) / an_epoch + 1;
  if (epochs_ && turn >= *epochs_) return;
  try {
    make(turn);
  } catch (const std::bad_alloc&) {  // whoever needs the permutation tries again, and reports it
  }
}

}  // namespace loadline
