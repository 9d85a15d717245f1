// Batches that a sampler draws, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/sampler.h"

namespace loadline::test {

using Indices = std::vector<SampleIndex>;

inline Indices permutation_of(const Sampler& sampler, std::uint64_t epoch) {
  Indices permutation(sampler.permutation_size());
  sampler.permute(epoch, permutation);
  return permutation;
}

inline std::vector<Indices> batches_of(const Sampler& sampler, std::uint64_t epoch) {
  const Indices permutation = permutation_of(sampler, epoch);
  std::vector<Indices> batches;
  for (std::size_t b = 0; b < sampler.batches_per_epoch(); ++b) {
    Indices& batch = batches.emplace_back(sampler.batch_size());
    batch.resize(sampler.batch(epoch, permutation, b, batch));
  }
  return batches;
}

}  // namespace loadline::test
