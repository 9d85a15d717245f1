// HDF5 files, sound and odd.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/storage/hdf5.h"

namespace loadline::test {

// The samples of `dataset` as `images` and `labels`.
inline void write_hdf5(const std::filesystem::path& path, const Dataset& dataset, const Hdf5Layout& layout = {}) {
  const DatasetInfo& info = dataset.info();
  const std::array<std::uint64_t, 4> extents{info.samples, info.shape.channels, info.shape.height, info.shape.width};
  Hdf5Writer writer(path, path);
  writer.begin("images", extents, layout);
  dataset.visit([&](StoredSample sample) {
    writer.append(sample);
    return true;
  });
  writer.write_labels("labels", dataset.labels(), info.classes);
  writer.close();
}

// Encoded samples, packed into one file.
inline void write_packed(const std::filesystem::path& path, const Dataset& dataset) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::byte> bytes;
  dataset.visit([&](StoredSample sample) {
    bytes.insert(bytes.end(), sample.begin(), sample.end());
    offsets.push_back(bytes.size());
    return true;
  });
  Hdf5Writer writer(path, path);
  writer.begin("encoded", std::array{offsets.back()}, {});
  writer.append(bytes);
  writer.write_offsets("offsets", offsets);
  writer.write_labels("labels", dataset.labels(), dataset.info().classes);
  writer.close();
}

}  // namespace loadline::test
