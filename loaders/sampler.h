// The order of an epoch, and the run of batches that follows from it.
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
  kShuffled,     // a fresh uniform permutation an epoch
  kPageShuffled  // pages of neighbours in random order, mixed within a window: random to a model, kind to storage
};

// The rule of kPageShuffled. Page k is samples k * page_samples and so on, the last one as many as are left. An epoch
// has all pages in an order of its own, of which each window_samples / page_samples (rounded down) in a row are a
// window; the last window has those that are left. The samples of a window, and of no two, are mixed. Hence all samples
// of a page come within one window, whatever the number of samples is a multiple of. Ranks share an epoch by position,
// as in every order: each takes its part of every window.

// How an order that is random comes about. Both are uniform as far as a loader can tell, and differ in which one it is.
enum class Shuffle : std::uint8_t {
  kNone,      // the order is as stored
  kInMemory,  // a permutation of all samples, drawn anew each epoch and held in memory with the next one
  kKeyed      // computed sample by sample (keyed_permutation.h): no memory, nothing to wait for
};

// "none", "in memory", "keyed".
std::string_view name(Shuffle shuffle);

// Larger datasets are shuffled by key. Up to here drawing a permutation costs about as much a sample (3 ns up to a
// million, 13 ns at four, against 11); beyond, it misses the caches with each of its swaps (20 ns at 16 million; at 100
// million 30 ns, three seconds an epoch and 800 MB for two). Where many ranks share an epoch each would draw what all
// of them read, and few samples are enough.
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
  std::size_t window_samples = 4096;  // kPageShuffled: at most so many are mixed with each other; at least page_samples
  std::size_t rank = 0;
  std::size_t world_size = 1;  // rank r takes positions r, r + world_size, ... of the epoch's order
  bool drop_last = false;      // leave out the short last batch of an epoch
  // Of samples of different lengths: so many batches of the order in a row have their samples sorted by length, so that
  // a batch has samples of like length; the batches then come in an order of their own, but for a short last one. 0:
  // they stay as they are.
  std::size_t bucket_batches = 0;
};

// A pure function of its options: any thread may ask for any epoch at any time.
//
// Shuffles are Fisher-Yates (Knuth, TAOCP 2, algorithm P) driven by Random or, of large datasets (shuffle_of()), a
// KeyedPermutation; both keyed by (seed, epoch), hence the same on every machine. Over all ranks each sample comes once
// an epoch; the ranks' shares differ by at most one sample. A keyed order computes this rank's samples and no others.
class Sampler {
 public:
  // Throws usage Error naming the option that cannot be met, such as a batch larger than this rank's share. `lengths`:
  // one a sample, which outlive it; only buckets need them.
  explicit Sampler(const SamplerOptions& options, std::span<const std::uint32_t> lengths = {});

  const SamplerOptions& options() const { return options_; }
  std::size_t batch_size() const { return options_.batch_size; }
  std::size_t samples_per_epoch() const { return samples_per_epoch_; }  // of this rank, after drop_last
  std::size_t batches_per_epoch() const { return batches_per_epoch_; }

  Shuffle shuffle() const { return shuffle_; }

  // How many indices permute() writes: 0 where the order needs no memory.
  std::size_t permutation_size() const;
  // Writes the permutation of one epoch, in time linear in its size.
  void permute(std::uint64_t epoch, std::span<SampleIndex> permutation) const;
  // Writes the indices of batch `batch` of this epoch, which `permutation` was made for; returns how many. Constant
  // time for any batch; of buckets where there is no permutation, that of sorting one.
  std::size_t batch(std::uint64_t epoch, std::span<const SampleIndex> permutation, std::size_t batch,
                    std::span<SampleIndex> out) const;

 private:
  void permute_pages(std::uint64_t key, std::span<SampleIndex> permutation) const;
  void place_in_pages(std::uint64_t key, std::span<SampleIndex> places) const;
  // Positions of this rank from `first` on, as many as `out` is long.
  void take(std::uint64_t epoch, std::span<const SampleIndex> permutation, std::size_t first,
            std::span<SampleIndex> out) const;
  // The samples of a bucket, put into the order of their batches.
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
  std::optional<std::uint64_t> epochs;  // nullopt: without end
};

// Deals out the batches of successive epochs, in order. Thread-safe; no thread holds a lock that others wait for. Holds
// two permutations, where the order needs them: the epoch in use and the next, which prepare_next() computes off the
// critical path so that no epoch boundary waits for its shuffle.
class BatchStream {
 public:
  // `sampler` must outlive the stream. Computes the first permutation.
  BatchStream(const Sampler& sampler, const StreamOptions& options);

  // Writes indices, count, sequence and epoch of the next batch into `slot`; false at the end of the last epoch.
  bool next(Slot& slot);
  // Writes indices, count, sequence and epoch of batch `sequence` into `slot`, without dealing it out. False where the
  // stream ends before it, or its order is not there: not yet, or not any more.
  bool look_at(std::uint64_t sequence, Slot& slot);
  // Computes the permutation of the next epoch unless that is done already. Call it between batches.
  void prepare_next();

 private:
  // Permutations of every other epoch, one after the other.
  struct alignas(64) Half {
    std::vector<SampleIndex> permutation;
    std::atomic<std::uint64_t> made{0};    // permutations so far; the last one is here
    std::atomic<std::uint64_t> unread{0};  // batches of it
    std::atomic<bool> making{false};
    std::atomic<std::uint32_t> changes{0};  // of the above, for those who wait for one
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
  std::uint64_t end_;                               // sequence number behind the last batch
  std::array<Half, 2> halves_;                      // of epochs by turns, from the first on
  alignas(64) std::atomic<std::uint64_t> next_{0};  // sequence number
};

}  // namespace loadline
