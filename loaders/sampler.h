// The order of an epoch, and the run of batches that follows from it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "loaders/batch.h"

namespace loadline {

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
};

// A pure function of its options: any thread may ask for any epoch at any time.
//
// Shuffles are Fisher-Yates (Knuth, TAOCP 2, algorithm P) driven by Random, keyed by (seed, epoch), hence the same on
// every machine. Over all ranks each sample comes once an epoch; the ranks' shares differ by at most one sample.
class Sampler {
 public:
  // Throws usage Error naming the option that cannot be met, such as a batch larger than this rank's share.
  explicit Sampler(const SamplerOptions& options);

  const SamplerOptions& options() const { return options_; }
  std::size_t batch_size() const { return options_.batch_size; }
  std::size_t samples_per_epoch() const { return samples_per_epoch_; }  // of this rank, after drop_last
  std::size_t batches_per_epoch() const { return batches_per_epoch_; }

  // How many indices permute() writes: 0 where the order needs no memory.
  std::size_t permutation_size() const;
  // Writes the permutation of one epoch, in time linear in its size.
  void permute(std::uint64_t epoch, std::span<SampleIndex> permutation) const;
  // Writes the indices of batch `batch` of the epoch that `permutation` was made for; returns how many. Constant time
  // for any batch.
  std::size_t batch(std::span<const SampleIndex> permutation, std::size_t batch, std::span<SampleIndex> out) const;

 private:
  void permute_pages(std::uint64_t key, std::span<SampleIndex> permutation) const;

  SamplerOptions options_;
  std::size_t samples_per_epoch_ = 0;
  std::size_t batches_per_epoch_ = 0;
};

struct StreamOptions {
  std::uint64_t first_epoch = 0;
  std::size_t first_batch = 0;          // of the first epoch
  std::optional<std::uint64_t> epochs;  // none: without end
};

// Deals out the batches of successive epochs, in order. Thread-safe. Holds two permutations: the epoch in use and the
// next, which prepare_next() computes off the critical path so that no epoch boundary waits for its shuffle.
class BatchStream {
 public:
  // `sampler` must outlive the stream. Computes the first permutation.
  BatchStream(const Sampler& sampler, const StreamOptions& options);

  // Writes indices, count, sequence and epoch of the next batch into `slot`; false at the end of the last epoch.
  bool next(Slot& slot);
  // Computes the permutation of the next epoch if nobody has. Call it between batches.
  void prepare_next();

 private:
  enum class Spare : std::uint8_t { kStale, kBusy, kReady };

  void begin_next_epoch(std::unique_lock<std::mutex>& lock);

  const Sampler& sampler_;
  const std::optional<std::uint64_t> end_epoch_;
  std::mutex mutex_;
  std::condition_variable spare_ready_;
  std::vector<SampleIndex> current_;
  std::vector<SampleIndex> spare_;
  Spare spare_state_ = Spare::kStale;
  std::uint64_t epoch_;
  std::size_t batch_;  // next of epoch_
  std::uint64_t sequence_ = 0;
};

}  // namespace loadline
