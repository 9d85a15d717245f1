// Takes a box of a volume to its place in a batch: crops it, turns it by right angles and converts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loaders/sample_index.h"
#include "loaders/tensor.h"
#include "loaders/transforms/kernels.h"

namespace loadline {

// One of the 24 ways to turn a cube onto itself. Axis i of the result is axis from[i] of the original, counted from
// its end if backwards[i].
struct Rotation {
  std::array<std::uint8_t, 3> from{0, 1, 2};
  std::array<bool, 3> backwards{};

  bool operator==(const Rotation&) const = default;
};

// All of them; the first changes nothing. Mirror images are not included.
std::span<const Rotation> rotations();

struct VolumeOptions {
  std::size_t edge = 64;  // values along each side of a crop
  bool rotate = true;     // apply one of the 24 rotations, drawn for each sample
  DType dtype = DType::kF32;
  std::uint64_t seed = 1;  // for place and rotation
};

// Where a crop is taken and how it is turned.
struct CropPlace {
  std::array<std::size_t, 3> origin{};
  Rotation rotation;
};

// Immutable: any thread may call any member. Place and rotation are a pure function of (seed, epoch, sample index).
// Vector components are ordinary values: they move with their place but are not themselves rotated.
class VolumeTransform {
 public:
  // Throws usage Error if dtype is u8 or the edge is 0.
  VolumeTransform(const VolumeOptions& options, const Kernels& kernels);

  std::size_t edge() const { return options_.edge; }
  DType dtype() const { return options_.dtype; }
  const Kernels& kernels() const { return kernels_; }
  // Bytes of one channel of a crop.
  std::size_t channel_bytes() const { return values() * size_bytes(options_.dtype); }
  // How many values of scratch one thread needs for apply().
  std::size_t scratch_values() const { return options_.dtype == DType::kF32 ? 0 : values(); }
  // The stores that are used when `stores` is requested: streaming ones need a kernel level that has them, f32, and
  // rows in whole cache lines.
  Stores effective(Stores stores) const;

  // For a volume of `volume_edge` values along each side, at least edge().
  CropPlace place(std::size_t volume_edge, std::uint64_t epoch, SampleIndex index) const;

  // Writes all channels of `crop`, edge() values along each side, turned, to `out`: [channels, edge, edge, edge].
  // After streaming stores, call kernels().fence() before another thread reads them.
  void apply(const VolumeView& crop, const Rotation& rotation, std::span<float> scratch, std::byte* out,
             Stores stores = Stores::kCached) const;

 private:
  std::size_t values() const { return options_.edge * options_.edge * options_.edge; }
  void turn(const VolumeView& crop, const Rotation& rotation, float* out, Stores stores) const;
  void copy_rows(const VolumeView& crop, const Rotation& rotation, float* out, Stores stores) const;
  void transpose_planes(const VolumeView& crop, const Rotation& rotation, float* out, Stores stores) const;

  VolumeOptions options_;
  const Kernels& kernels_;
};

}  // namespace loadline
