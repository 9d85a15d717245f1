#include "harness/measure/resident.h"

#include <vector>

#include "loaders/error.h"

namespace loadline {

ResidentFeed::ResidentFeed(const Assembler& assembler, const Sampler& sampler, std::size_t batches)
    : pool_(batches, sampler.batch_size(), assembler.sample_bytes()) {
  BatchStream stream(sampler, {});
  const auto filler = assembler.make_filler(sampler.batch_size(), Stores::kCached);
  std::vector<Batch> filled;
  while (Batch batch = pool_.try_acquire()) {
    stream.next(*batch);
    filler->fill(*batch);
    filled.push_back(std::move(batch));
  }
}

Batch ResidentFeed::next() {
  Batch batch = pool_.try_acquire();
  if (!batch) throw Error("resident batches: the consumer holds more batches than it announced");
  return batch;
}

}  // namespace loadline
