// Checks a whole dataset.
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
  std::string name;     // name of a sample or file
  std::string same_as;  // the earlier one
};

struct Verification {
  std::vector<SampleFault> faults;         // encoded samples or documents that cannot be read or decoded, in order
  std::vector<Duplicate> duplicates;       // in order; among samples if they are encoded, otherwise among files
  std::vector<std::size_t> empty_classes;  // labels that no sample has
};

// Called now and then, on the calling thread, with `done` of `total` samples.
using VerifyProgress = std::function<void(std::size_t done, std::size_t total)>;

// Decodes every encoded sample completely, on as many threads as this process has CPUs. Looks for files or encoded
// samples that occur twice and for classes without samples. Checks that documents are UTF-8, and their JSON. Other
// samples need no decoding; content_fingerprint() reads them. Returns nullopt if `stop` was requested before the end.
// Throws Error if storage fails, except while it reads an encoded sample: that is a fault of the sample.
std::optional<Verification> verify(const Dataset& dataset, const VerifyProgress& progress = {},
                                   const std::stop_token& stop = {});

}  // namespace loadline
