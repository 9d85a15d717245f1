// The feed of SYNTHETIC and OVERHEAD trials: batches that are already there.
#pragma once

#include <cstddef>

#include "loaders/assemble.h"
#include "loaders/loader.h"
#include "loaders/sampler.h"

namespace loadline {

// Assembles `batches` batches once, in the constructor, and lends them again and again without end. No thread, nothing
// prefetched in the background. The consumer may hold all but one of them at a time.
class ResidentFeed final : public Feed {
 public:
  ResidentFeed(const Assembler& assembler, const Sampler& sampler, std::size_t batches);

  // Throws Error when the consumer holds all batches.
  Batch next() override;
  void close() override {}

 private:
  BatchPool pool_;
};

}  // namespace loadline
