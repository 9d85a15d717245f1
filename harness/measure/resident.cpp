#include "harness/measure/resident.h"

#include <utility>
#include <vector>

#include "loaders/error.h"

namespace loadline {

ResidentFeed::ResidentFeed(const Assembler& assembler, const Sampler& sampler, std::size_t batches,
                           std::span<const std::size_t> nodes)
    : pool_(batches, sampler.batch_size(), assembler.sample_bytes(), nodes) {
  BatchStream stream(sampler, {});
  const auto filler = assembler.make_filler(sampler.batch_size());
  std::vector<Batch> filled;
  while (Batch batch = pool_.try_acquire()) {
    stream.next(*batch);
    filler->fill(*batch, Stores::kCached);
    filled.push_back(std::move(batch));
  }
}

KeptFeed::KeptFeed(std::unique_ptr<Feed> source, std::size_t batches) : source_(std::move(source)) {
  kept_.reserve(batches);
  free_.reserve(batches);
  while (kept_.size() < batches) {
    Batch batch = source_->next();
    if (!batch) throw Error("resident batches: the loader ended before it had delivered enough");
    free_.push_back(batch.get());
    kept_.push_back(std::move(batch));
  }
}

Batch KeptFeed::next() {
  if (free_.empty()) throw Error("resident batches: the consumer holds more batches than it announced");
  Slot* slot = free_.front();
  free_.erase(free_.begin());
  return Batch(slot, Return{this});
}

Batch ResidentFeed::next() {
  Batch batch = pool_.try_acquire();
  if (!batch) throw Error("resident batches: the consumer holds more batches than it announced");
  return batch;
}

}  // namespace loadline
