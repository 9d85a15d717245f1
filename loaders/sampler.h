// The order of an epoch, and the sequence of batches that follows from it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "loaders/sample_index.h"

namespace loadline {

struct Slot;

enum class Order : std::uint8_t {
  kSequential,   // as stored
  kShuffled,     // a fresh uniform permutation every epoch
  kPageShuffled  // pages of neighbours in random order, mixed within a window: random to a model, kind to storage
};

// The rule of kPageShuffled. Page k starts at sample k * page_samples; the last page has the samples that are left.
// Each epoch puts the pages in a new order; each window_samples / page_samples (rounded down) consecutive pages of
// that order form a window, and the last window has the pages that are left. Samples are mixed within a window, never
// across windows, so all samples of a page come within one window even if the sizes do not divide evenly. Ranks share
// an epoch by position, as in every order: each takes its part of every window.

// How a random order is produced. To a loader both methods are uniform; they produce different permutations.
enum class Shuffle : std::uint8_t {
  kNone,      // no shuffle: samples come as stored
  kInMemory,  // a permutation of all samples, drawn anew each epoch and held in memory with the next one
  kKeyed      // computed sample by sample (keyed_permutation.h): no memory, nothing to wait for
};

// "none", "in memory", "keyed".
std::string_view name(Shuffle shuffle);

// Larger datasets are shuffled by key, at 11 ns per sample. Up to this size, drawing a permutation costs about as
// much (3 ns up to a million samples, 13 ns at four million). Beyond it, every swap misses the caches: 20 ns at 16
// million samples; 30 ns at 100 million, which is three seconds per epoch and 800 MB for two permutations. With many
// ranks, each would draw the permutation for all of them, so the limit is lower.
inline constexpr std::size_t kMostShuffledInMemory = std::size_t{1} << 22;
inline constexpr std::size_t kManyRanks = 16;
inline constexpr std::size_t kMostShuffledByManyRanks = std::size_t{1} << 16;

Shuffle shuffle_of(Order order, std::size_t samples, std::size_t world_size);

struct SamplerOptions {
  std::size_t samples = 0;     // in the dataset, at least 1
  std::size_t batch_size = 1;  // samples
  std::uint64_t seed = 1;
  Order order = Order::kShuffled;
  std::size_t page_samples = 64;      // kPageShuffled: neighbours that stay in one window
  std::size_t window_samples = 4096;  // kPageShuffled: the most samples to mix with each other; at least page_samples
  std::size_t rank = 0;
  std::size_t world_size = 1;  // rank r takes positions r, r + world_size, ... of the epoch's order
  bool drop_last = false;      // omit the short last batch of an epoch
  // For samples of different lengths: sorts the samples of this many consecutive batches by length, so that each
  // batch has samples of similar length. These batches are then shuffled, except for a short last one. 0: no sorting.
  std::size_t bucket_batches = 0;
};

// A pure function of its options: any thread may ask for any epoch at any time.
//
// Shuffles are Fisher-Yates (Knuth, TAOCP 2, algorithm P) driven by Random or, for large datasets (shuffle_of()), a
// KeyedPermutation. Both are keyed by (seed, epoch), hence the same on every machine. Over all ranks each sample
// comes once per epoch; the ranks' shares differ by at most one sample. A keyed order computes only this rank's
// samples.
class Sampler {
 public:
  // Throws usage Error naming the option that cannot be met, such as a batch larger than this rank's share.
  // `lengths`: one per sample, must outlive the sampler; only buckets need them.
  explicit Sampler(const SamplerOptions& options, std::span<const std::uint32_t> lengths = {});

  const SamplerOptions& options() const { return options_; }
  std::size_t batch_size() const { return options_.batch_size; }
  std::size_t samples_per_epoch() const { return samples_per_epoch_; }  // for this rank, after drop_last
  std::size_t batches_per_epoch() const { return batches_per_epoch_; }

  Shuffle shuffle() const { return shuffle_; }

  // How many indices permute() writes: 0 if the order needs no memory.
  std::size_t permutation_size() const;
  // Writes the permutation of one epoch, in time linear in its size.
  void permute(std::uint64_t epoch, std::span<SampleIndex> permutation) const;
  // Writes the indices of batch `batch` of this epoch; returns how many. `permutation` must be that of the epoch.
  // Takes the same time for any batch; with buckets and no permutation, the time to sort one bucket.
  std::size_t batch(std::uint64_t epoch, std::span<const SampleIndex> permutation, std::size_t batch,
                    std::span<SampleIndex> out) const;

 private:
  void permute_pages(std::uint64_t key, std::span<SampleIndex> permutation) const;
  void place_in_pages(std::uint64_t key, std::span<SampleIndex> places) const;
  // Writes the samples at this rank's positions from `first` on, as many as `out` holds.
  void take(std::uint64_t epoch, std::span<const SampleIndex> permutation, std::size_t first,
            std::span<SampleIndex> out) const;
  // Puts the samples of a bucket into the order of their batches.
  void sort_bucket(std::uint64_t epoch, std::size_t bucket, std::span<SampleIndex> samples) const;
  void sort_buckets(std::uint64_t epoch, std::span<SampleIndex> permutation) const;

  SamplerOptions options_;
  std::span<const std::uint32_t> lengths_;
  Shuffle shuffle_;
  std::size_t samples_per_epoch_ = 0;
  std::size_t batches_per_epoch_ = 0;
};

struct StreamOptions {
  std::uint64_t first_epoch = 0;
  std::size_t first_batch = 0;          // of the first epoch
  std::optional<std::uint64_t> epochs;  // nullopt: endless
};

// Deals out the batches of successive epochs, in order. Thread-safe; no thread holds a lock that others wait for. If
// the order needs permutations, holds two: that of the current epoch and that of the next, which prepare_next()
// computes off the critical path so that no epoch boundary waits for its shuffle.
class BatchStream {
 public:
  // `sampler` must outlive the stream. Computes the first permutation.
  BatchStream(const Sampler& sampler, const StreamOptions& options);

  // Writes indices, count, sequence and epoch of the next batch into `slot`; false at the end of the last epoch. Throws
  // if memory is refused; `slot` then has the sequence and epoch of the batch, which is lost, and later calls may fail.
  bool next(Slot& slot);
  // Writes indices, count, sequence and epoch of batch `sequence` into `slot`, without dealing it out. False if the
  // stream ends before it, or if its order is not in memory: not yet, or no longer.
  bool look_at(std::uint64_t sequence, Slot& slot);
  // Computes the permutation of the next epoch unless it exists already. Call it between batches. If memory is
  // refused, does nothing: next() then computes it.
  void prepare_next();

 private:
  class Reading;

  // The permutations of every other epoch, one after another.
  struct alignas(64) Half {
    std::vector<SampleIndex> permutation;
    std::atomic<std::uint64_t> made{0};    // permutations so far; the last one is here
    std::atomic<std::uint64_t> unread{0};  // batches of it
    std::atomic<bool> making{false};
    std::atomic<std::uint32_t> changes{0};  // counts changes of the above, for threads that wait for one
  };

  Half& half_of(std::uint64_t turn) { return halves_[turn % halves_.size()]; }
  static bool is_made(const Half& half, std::uint64_t turn);
  bool make(std::uint64_t turn);
  void wait_for(std::uint64_t turn);
  static void announce(Half& half);
  std::size_t batches_of(std::uint64_t turn) const;

  const Sampler& sampler_;
  const std::uint64_t first_epoch_;
  const std::size_t first_batch_;
  const std::optional<std::uint64_t> epochs_;
  std::uint64_t end_;                               // sequence number after the last batch
  std::array<Half, 2> halves_;                      // epochs alternate between them
  std::atomic<bool> lost_any_{false};               // a batch whose permutation could not be computed
  alignas(64) std::atomic<std::uint64_t> next_{0};  // sequence number
};

}  // namespace loadline
