// The contract every loader keeps, and the table of loaders.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "loaders/assemble.h"
#include "loaders/batch.h"
#include "loaders/sampler.h"

namespace loadline {

// Where a trial pulls its batches from.
class Feed {
 public:
  virtual ~Feed() = default;

  // Waits for the next batch. Empty at the end of the last epoch, and once closed. Rethrows what a worker threw while
  // it assembled this batch, after which the feed is closed. One consumer thread. The feed must outlive its batches.
  virtual Batch next() = 0;

  // Waits until next() need not wait, for `limit` at the most: for a consumer that has to look up now and then. Returns
  // whether it came to that; at once where batches are made as they are asked for. The consumer's thread.
  virtual bool wait(std::chrono::nanoseconds /*limit*/) { return true; }

  // How many batches are ready and were not taken yet. Absent where batches are made as they are asked for. The
  // consumer's thread.
  virtual std::optional<std::size_t> ready() const { return std::nullopt; }

  // Ends the feed: wakes a waiting next(), stops the workers after the batch in hand. Any thread, more than once.
  virtual void close() = 0;
};

struct LoaderOptions {
  std::size_t workers = 1;           // threads that assemble; a loader that works on the consumer's thread has none
  std::size_t prefetch = 8;          // batches ready or in the making beyond those the workers hold
  std::optional<Stores> stores;      // of workers; none: what each learns to be faster
  bool in_order = true;              // by sequence number; otherwise as they are completed
  std::size_t threads_in_force = 1;  // CPUs that the process may use, for itself and its workers
  std::vector<std::size_t> cpus;     // that the workers may run on; empty: wherever the caller may
  std::size_t held_batches = 0;      // how many batches the consumer keeps beyond the one it looks at
  StreamOptions stream;
};

// A loader is a schedule around Filler::fill() and a way to get at the samples, and nothing else: every row delivers
// the batches of the `serial` row bit for bit, at any number of workers, in the same order or, if asked, as they are
// completed.
//
struct LoaderKind {
  std::string_view name;
  std::string_view summary;
  bool has_workers;              // whether LoaderOptions::workers and prefetch mean anything to it
  std::optional<Access> access;  // how the dataset must be opened for it; none: as its format does by itself
  // The schedule behind make(), which several rows may share: `kind` is the one that was asked for.
  std::unique_ptr<Feed> (*engine)(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                  const LoaderOptions& options);

  // Allocates and faults in all slots and starts the workers, which begin at once; next() allocates nothing. The
  // borrowed assembler and sampler must outlive the feed. Throws usage Error for options that cannot be met.
  std::unique_ptr<Feed> make(const Assembler& assembler, const Sampler& sampler, const LoaderOptions& options) const {
    return engine(*this, assembler, sampler, options);
  }
};

std::span<const LoaderKind> loaders();

// By name; throws usage Error naming the known ones.
const LoaderKind& loader_named(std::string_view name);

// Slots that a loader allocates for these options.
std::size_t slots_of(const LoaderKind& kind, const LoaderOptions& options);

inline constexpr std::size_t kMostWorkers = 4096;

}  // namespace loadline
