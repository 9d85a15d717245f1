// Volumes: two fields of values on one cubic grid, from which samples are cropped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/tensor.h"

namespace loadline {

enum class Field : std::uint8_t { kInput, kTarget };

inline constexpr std::array kFields{Field::kInput, Field::kTarget};

// "Nbody" and "Hydro": the names of the HDF5 datasets and of the .npy files.
std::string_view name(Field field);

constexpr std::size_t channels_of(const VolumeShape& shape, Field field) {
  return field == Field::kInput ? shape.input_channels : shape.target_channels;
}

// Reads crops of a volume for one thread. The volume must outlive it.
class CropReader {
 public:
  virtual ~CropReader() = default;

  // All channels of the cube whose lowest corner is `origin`, valid until the next read() of this field. Mapped
  // values are not touched yet. Throws Error naming file and place.
  virtual VolumeView read(Field field, const std::array<std::size_t, 3>& origin) = 0;
};

// A cube of f32 values for each of two fields; info().volume has its size. Samples are crops at places that the
// transform chooses; DatasetOptions::crops says how many an epoch has. Labels are 0.
class VolumeDataset : public Dataset {
 public:
  const VolumeDataset* as_volume() const final { return this; }
  // `edge`: values along each side of a crop, at most the volume's own.
  virtual std::unique_ptr<CropReader> make_crop_reader(std::size_t edge) const = 0;

  // Throws Error: its number alone does not determine a crop.
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const final;

  // Visits the planes [x, all y, all z] of each channel of both fields, in order.
  bool visit(const std::function<bool(StoredSample)>& visitor) const final;

 protected:
  explicit VolumeDataset(DatasetInfo info);

 private:
  // Values [all y, all z] of one x. Valid until `scratch` changes.
  virtual StoredSample plane(Field field, std::size_t channel, std::size_t x, std::vector<float>& scratch) const = 0;
};

}  // namespace loadline
