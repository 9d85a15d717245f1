// Whether a whole dataset is what it should be.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/sample_index.h"

namespace loadline {

struct SampleFault {
  SampleIndex index = 0;
  std::string reason;  // "cannot decode photos/a/1.jpg: JPEG: 0 bytes"
};

struct Duplicate {
  std::string name;     // of a sample or file
  std::string same_as;  // an earlier one
};

struct Verification {
  std::vector<SampleFault> faults;         // encoded samples, or documents, that cannot be read or decoded, in order
  std::vector<Duplicate> duplicates;       // in order: of encoded samples, otherwise of files
  std::vector<std::size_t> empty_classes;  // labels that no sample has
};

// Told about `done` of `total` samples now and then, from the calling thread.
using VerifyProgress = std::function<void(std::size_t done, std::size_t total)>;

// Decodes every sample that is encoded, whole, by as many threads as there are CPUs for this process; looks for files
// or encoded samples that are there twice and for classes without samples. Checks that documents are UTF-8, and their
// JSON. What is stored as it is has nothing to be
// decoded: content_fingerprint() reads all of it. None when `stop` was requested before the end. Throws Error where
// storage fails but for a file of a sample, which is a fault of that.
std::optional<Verification> verify(const Dataset& dataset, const VerifyProgress& progress = {},
                                   const std::stop_token& stop = {});

}  // namespace loadline
