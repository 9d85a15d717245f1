// Volumes: two fields of values on one cubic grid, of which samples are crops.
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

// "Nbody" and "Hydro": names of the datasets, and of the .npy files.
std::string_view name(Field field);

constexpr std::size_t channels_of(const VolumeShape& shape, Field field) {
  return field == Field::kInput ? shape.input_channels : shape.target_channels;
}

// One thread's way to the crops of a volume, which must outlive it.
class CropReader {
 public:
  virtual ~CropReader() = default;

  // All channels of the cube whose lowest corner is `origin`, for as long as the reader is not asked for this field
  // again. Of what is mapped nothing is touched yet. Throws Error naming file and place.
  virtual VolumeView read(Field field, const std::array<std::size_t, 3>& origin) = 0;
};

// A cube of f32 values for each of two fields; info().volume says how large. Its samples are crops, as many an epoch as
// was asked for, each at a place that the transform chooses; their labels are 0.
class VolumeDataset : public Dataset {
 public:
  const VolumeDataset* as_volume() const final { return this; }
  // For crops with this many values along each side, at most the volume's own.
  virtual std::unique_ptr<CropReader> make_crop_reader(std::size_t edge) const = 0;

  // A crop cannot be told by its number alone. Throws Error.
  std::unique_ptr<SampleReader> make_reader(std::size_t most) const final;

  // Planes [x, all y, all z] of each channel of both fields, in order.
  bool visit(const std::function<bool(StoredSample)>& visitor) const final;

 protected:
  explicit VolumeDataset(DatasetInfo info);

 private:
  // Values [all y, all z] of one x. Valid until `scratch` changes.
  virtual StoredSample plane(Field field, std::size_t channel, std::size_t x, std::vector<float>& scratch) const = 0;
};

}  // namespace loadline
