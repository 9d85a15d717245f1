// The feed of SYNTHETIC and OVERHEAD trials: batches that are already in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/loader.h"
#include "loaders/sampler.h"

namespace loadline {

// Assembles `batches` batches once, in the constructor, and lends them over and over, without end. Has no thread and
// prefetches nothing. The consumer may hold all but one of them at a time. close() has no effect: next() never waits,
// so its caller notices a stop by itself.
class ResidentFeed final : public Feed {
 public:
  // `nodes`: the NUMA nodes for the batches; empty: any.
  ResidentFeed(const Assembler& assembler, const Sampler& sampler, std::size_t batches,
               std::span<const std::size_t> nodes = {});

  // Throws Error when the consumer holds all batches.
  Batch next() override;
  std::vector<std::span<const std::byte>> slot_memory() const override { return pool_.slot_memory(); }
  void close() override {}

 private:
  BatchPool pool_;
};

// The same with batches that another feed has delivered. That feed stays open so that its batches stay valid. The
// consumer destroys the lent batches on its own thread.
class KeptFeed final : public Feed, private SlotHome {
 public:
  // Waits for `batches` batches of `source`. Throws Error if `source` ends before, and what it throws.
  KeptFeed(std::unique_ptr<Feed> source, std::size_t batches);

  // Throws Error when the consumer holds all batches.
  Batch next() override;
  void close() override { source_->close(); }

 private:
  void put(Slot* slot) override { free_.push_back(slot); }

  std::unique_ptr<Feed> source_;
  std::vector<Batch> kept_;  // go back to the source
  std::vector<Slot*> free_;  // those not lent out; the latest last
};

}  // namespace loadline
