// Whether a loader delivers its dataset: for those that are not of the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/loader.h"

namespace loadline {

// How it was told which sample of the dataset a delivered one is.
enum class Recognition : std::uint8_t {
  kIndices,   // the loader says so
  kContents,  // by its values, but for brightness and contrast: of images that are stored as they are
  kLabels,    // not at all: its labels were counted
  kCounts,    // not at all: samples were counted
};

struct CheckedEpoch {
  std::size_t workers = 0;
  std::uint64_t epoch = 0;
  std::size_t batches = 0;
  std::size_t samples = 0;
};

struct LoaderCheck {
  std::vector<CheckedEpoch> epochs;  // of each number of workers one behind the other
  Recognition recognition = Recognition::kCounts;
  std::optional<DeliveredFormat> delivered;  // by an external loader
  std::vector<std::string> faults;           // sentences that name samples; empty: it passed
};

struct LoaderCheckOptions {
  std::vector<std::size_t> workers{1};  // numbers to check it with; one for a loader that has none
  std::uint64_t epochs = 2;             // with each
  LoaderOptions loader;                 // but for workers and stream
  std::stop_token stop;
};

// Loads epochs with each number of workers and holds what comes to the dataset: each sample of this rank's share comes
// once an epoch, with the label that belongs to it, and every epoch has as many samples and batches as every other. A
// failure of the loader is a fault. What a transform changes must be switched off: a sample that is cropped or flipped
// is not recognised by its contents. Throws Error where the dataset cannot be read, or a stop was requested.
LoaderCheck check_loader(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                         const LoaderCheckOptions& options);

}  // namespace loadline
