// Checks whether a loader delivers its dataset, for loaders outside the built-in table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/loader.h"

namespace loadline {

// How delivered samples were matched to those of the dataset.
enum class Recognition : std::uint8_t {
  kIndices,   // the loader says so
  kContents,  // by their values, ignoring brightness and contrast: for images stored without encoding
  kLabels,    // not matched: labels were counted
  kCounts,    // not matched: samples were counted
};

struct CheckedEpoch {
  std::size_t workers = 0;
  std::uint64_t epoch = 0;
  std::size_t batches = 0;
  std::size_t samples = 0;
};

struct LoaderCheck {
  std::vector<CheckedEpoch> epochs;  // grouped by number of workers
  Recognition recognition = Recognition::kCounts;
  std::optional<DeliveredFormat> delivered;  // set for external loaders
  std::vector<std::string> faults;           // sentences that name samples; empty if the loader passed
};

struct LoaderCheckOptions {
  std::vector<std::size_t> workers{1};  // numbers of workers to check; one entry for a loader without workers
  std::uint64_t epochs = 2;             // for each number of workers
  LoaderOptions loader;                 // workers and stream are ignored
  std::stop_token stop;
};

// Loads epochs with each number of workers and compares them with the dataset: each sample of this rank's share must
// come once per epoch with its own label, and every epoch must have the same number of samples and batches. A failure
// of the loader counts as a fault. Switch off cropping and flipping: a changed sample cannot be recognised by its
// contents. Throws Error if the dataset cannot be read or a stop was requested.
LoaderCheck check_loader(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                         const LoaderCheckOptions& options);

}  // namespace loadline
