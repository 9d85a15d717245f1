// HDF5 files, sound and odd.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/storage/hdf5.h"
#include "loaders/storage/hdf5_writer.h"
#include "tests/loaders/support/files.h"

namespace loadline::test {

// Writes the samples of `dataset` as `images` and `labels`, in the order of their channels.
inline void write_hdf5(const std::filesystem::path& path, const Dataset& dataset, const Hdf5Layout& layout = {}) {
  const DatasetInfo& info = dataset.info();
  const auto [channels, height, width] = info.shape;
  const auto extents = info.channels_last ? std::array<std::uint64_t, 4>{info.samples, height, width, channels}
                                          : std::array<std::uint64_t, 4>{info.samples, channels, height, width};
  Hdf5Writer writer(path, path);
  writer.begin("images", extents, layout);
  dataset.visit([&](StoredSample sample) {
    writer.append(sample);
    return true;
  });
  writer.write_labels("labels", dataset.labels().all(), info.classes);
  writer.close();
}

// Packs encoded samples into one file.
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
  writer.write_labels("labels", dataset.labels().all(), dataset.info().classes);
  writer.close();
}

// Returns a number of 64 bits as the file stores it.
inline std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

// Makes the file claim that a contiguous dataset begins at byte `address`.
inline void claim_address(const std::filesystem::path& path, const std::string& name, std::uint64_t address) {
  const Hdf5Facts facts = Hdf5Dataset(path, name).facts();
  // Address and length are adjacent in the layout message of the object header.
  std::string bytes = bytes_of(path);
  const std::string length = little_endian(facts.extents.front() * facts.row_bytes());
  const std::size_t at = bytes.find(little_endian(facts.offset_bytes.value()) + length);
  if (at == std::string::npos) throw std::runtime_error("no address of dataset " + name + " in " + path.string());
  write(path, bytes.replace(at, 8, little_endian(address)));
}

}  // namespace loadline::test
