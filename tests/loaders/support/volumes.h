// Small volumes whose every value is known, and files that hold them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "loaders/datasets/volume.h"
#include "loaders/storage/hdf5_writer.h"
#include "loaders/storage/npy.h"
#include "tests/loaders/support/files.h"

namespace loadline::test {

// Returns a value that differs in every place of both fields.
inline float volume_value(Field field, std::size_t channel, std::size_t x, std::size_t y, std::size_t z) {
  const std::size_t place = ((channel * 64 + x) * 64 + y) * 64 + z;
  return static_cast<float>(place) + (field == Field::kInput ? 0.25F : 0.5F);
}

inline std::vector<float> field_values(Field field, const VolumeShape& shape) {
  std::vector<float> values;
  for (std::size_t c = 0; c < channels_of(shape, field); ++c) {
    for (std::size_t x = 0; x < shape.edge; ++x) {
      for (std::size_t y = 0; y < shape.edge; ++y) {
        for (std::size_t z = 0; z < shape.edge; ++z) values.push_back(volume_value(field, c, x, y, z));
      }
    }
  }
  return values;
}

inline std::array<std::uint64_t, 4> field_extents(Field field, const VolumeShape& shape) {
  return {channels_of(shape, field), shape.edge, shape.edge, shape.edge};
}

inline void write_volume(const std::filesystem::path& path, const VolumeShape& shape, Hdf5Layout layout = {}) {
  layout.element = Hdf5Element::kF32;
  Hdf5Writer writer(path, path);
  for (const Field field : kFields) {
    writer.begin(std::string(name(field)), field_extents(field, shape), layout);
    const auto values = field_values(field, shape);
    writer.append(std::as_bytes(std::span(values)));
  }
  writer.close();
}

// Returns one field as the bytes of a .npy file.
inline std::string npy_bytes(Field field, const VolumeShape& shape) {
  const auto values = field_values(field, shape);
  std::string bytes = npy_header(field_extents(field, shape));
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

inline void write_npy_volume(const std::filesystem::path& directory, const VolumeShape& shape) {
  for (const Field field : kFields) write(directory / (std::string(name(field)) + ".npy"), npy_bytes(field, shape));
}

}  // namespace loadline::test
