// Samples of a dataset, as values.
#pragma once

#include <cstdint>
#include <vector>

#include "loaders/datasets/dataset.h"

namespace loadline::test {

inline std::vector<std::uint8_t> sample_of(const Dataset& dataset, SampleIndex index) {
  const auto reader = dataset.make_reader(1);
  StoredSample stored;
  reader->read({&index, 1}, {&stored, 1});
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(stored.data());
  return {bytes, bytes + stored.size()};
}

inline std::vector<std::vector<std::uint8_t>> samples_of(const Dataset& dataset) {
  std::vector<std::vector<std::uint8_t>> all;
  for (SampleIndex index = 0; index < dataset.info().samples; ++index) all.push_back(sample_of(dataset, index));
  return all;
}

}  // namespace loadline::test
