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

struct Duplicates {
  std::size_t count = 0;
  std::vector<Duplicate> first;  // the first kMostDuplicatesNamed, in order
};
inline constexpr std::size_t kMostDuplicatesNamed = 16;

struct Verification {
  std::vector<SampleFault> faults;         // samples or documents that cannot be read or decoded, in order
  Duplicates duplicate_samples;            // among images
  Duplicates duplicate_files;              // among files of samples that are not encoded
  std::vector<std::size_t> empty_classes;  // labels that no sample has
};

// Called now and then, on the calling thread, with `done` of `total` samples.
using VerifyProgress = std::function<void(std::size_t done, std::size_t total)>;

// Reads every image and decodes encoded ones completely, on as many threads as this process has CPUs. Looks for images
// and files that occur twice, by digests of 64 bits, and for classes without samples. Checks that documents are UTF-8,
// and their JSON. Does not read volumes and tokens; content_fingerprint() does. Takes 12 bytes per image. Returns
// nullopt if `stop` was requested before the end. Throws Error if storage vanishes; an image that cannot be read is a
// fault of that sample.
std::optional<Verification> verify(const Dataset& dataset, const VerifyProgress& progress = {},
                                   const std::stop_token& stop = {});

}  // namespace loadline
