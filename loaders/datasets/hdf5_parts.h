// What the ways to read an HDF5 dataset of samples share, and those that have their own files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "loaders/error.h"
#include "loaders/storage/hdf5.h"
#include "loaders/system/memory.h"

namespace loadline {

// "cannot open data.h5: why".
Error hdf5_refusal(const std::filesystem::path& path, const std::string& why);

// "3 x 32 x 32"; "one value" if there are no extents.
std::string extents_text(std::span<const std::uint64_t> extents);

// Adds the other files that hold samples: they belong to the dataset too.
void add_sources(const Hdf5Facts& facts, DatasetInfo& info);

// Reads the labels of `info`'s samples; sets info.classes and info.classes_stated. Throws Error if they do not fit.
Labels read_labels(const std::filesystem::path& path, const DatasetOptions& options, DatasetInfo& info);

// Why these samples cannot be mapped, and what reads them instead; empty if they can.
std::string hdf5_obstacle(const Hdf5Facts& facts);

// Where a sample of the current batch is stored, and its place in the batch.
struct WantedSample {
  SampleIndex index;
  std::uint32_t place;
};

// Reads into its own memory, with room for `most` samples.
class Hdf5Reader : public SampleReader {
 public:
  Hdf5Reader(const Hdf5Dataset& source, std::size_t most);

 protected:
  // The wanted samples, in storage order.
  std::span<const WantedSample> in_stored_order(std::span<const SampleIndex> indices);
  std::span<std::byte> memory(std::size_t place, std::size_t samples) {
    return memory_.bytes().subspan(place * sample_bytes_, samples * sample_bytes_);
  }
  std::size_t sample_bytes() const { return sample_bytes_; }
  const Hdf5Dataset& source() const { return source_; }

 private:
  const Hdf5Dataset& source_;
  const std::size_t sample_bytes_;
  HugeMemory memory_;  // as large as the file claims; pages exist only where samples were read into them
  std::vector<WantedSample> wants_;
};

// Why its chunks cannot be decoded here, and what reads them instead; empty if they can.
std::string chunk_obstacle(const Hdf5Facts& facts);

// Samples in whole chunks, for which chunk_obstacle() is empty.
std::unique_ptr<Dataset> open_chunks(DatasetInfo info, Labels labels, std::unique_ptr<Hdf5Dataset> source);

// Encoded samples of any size in one row of bytes.
std::unique_ptr<Dataset> open_packed(const std::filesystem::path& path, const DatasetOptions& options);

}  // namespace loadline
