#include "loaders/transforms/volume_transform.h"

#include <fmt/format.h>

#include <algorithm>

#include "loaders/error.h"
#include "loaders/random.h"

namespace loadline {
namespace {

constexpr std::size_t kRotations = 24;
constexpr std::size_t kLineValues = 64 / sizeof(float);

// Of the 48 ways to permute and reverse three axes, those with an odd number of swaps and reversals are mirror
// images.
constexpr std::array<Rotation, kRotations> all_rotations() {
  constexpr std::array<std::array<std::uint8_t, 3>, 6> kOrders{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  constexpr std::array<bool, 6> kOdd{false, true, true, false, false, true};
  std::array<Rotation, kRotations> all{};
  std::size_t count = 0;
  for (std::size_t order = 0; order < kOrders.size(); ++order) {
    for (unsigned bits = 0; bits < 8; ++bits) {
      const std::array<bool, 3> backwards{(bits & 4U) != 0, (bits & 2U) != 0, (bits & 1U) != 0};
      const unsigned reversed = backwards[0] + backwards[1] + backwards[2];
      if (kOdd[order] != (reversed % 2 == 1)) continue;
      all[count++] = {kOrders[order], backwards};
    }
  }
  return all;
}

constexpr auto kAllRotations = all_rotations();

// Rows of a plane are far apart, and the hardware's prefetcher stops at the end of each page. So while one plane is
// processed, the same values of the next plane are prefetched.
void prefetch(const float* first, std::size_t values) {
  for (std::size_t i = 0; i < values; i += kLineValues) __builtin_prefetch(first + i, 0, 2);
  __builtin_prefetch(first + values - 1, 0, 2);
}

// The place of value `at` along an axis after turning, or the other way round.
std::size_t mirrored(std::size_t at, bool backwards, std::size_t edge) {
  return backwards ? edge - 1 - at : at;
}

std::ptrdiff_t signed_of(std::size_t value) {
  return static_cast<std::ptrdiff_t>(value);
}

}  // namespace

std::span<const Rotation> rotations() {
  return kAllRotations;
}

VolumeTransform::VolumeTransform(const VolumeOptions& options, const Kernels& kernels)
    : options_(options), kernels_(kernels) {
  if (options_.dtype != DType::kF32 && options_.dtype != DType::kBF16) {
    throw usage_error(
        fmt::format("--dtype {}: the values of a volume are f32, want f32 or bf16", name(options_.dtype)));
  }
  if (options_.edge == 0) throw usage_error("--crop-edge 0: want at least one value");
}

Stores VolumeTransform::effective(Stores stores) const {
  const bool possible = kernels_.has_streaming && options_.dtype == DType::kF32 && options_.edge % kTile == 0;
  return possible ? stores : Stores::kCached;
}

CropPlace VolumeTransform::place(std::size_t volume_edge, std::uint64_t epoch, SampleIndex index) const {
  Random random(key_of(options_.seed, epoch, index));
  CropPlace place;
  const auto places = static_cast<std::uint32_t>(volume_edge - options_.edge + 1);
  for (std::size_t& at : place.origin) at = random.below(places);
  if (options_.rotate) place.rotation = kAllRotations[random.below(kRotations)];
  return place;
}

void VolumeTransform::apply(const VolumeView& crop, const Rotation& rotation, std::span<float> scratch, std::byte* out,
                            Stores stores) const {
  for (std::size_t c = 0; c < crop.channels; ++c, out += channel_bytes()) {
    VolumeView channel = crop;
    channel.first += signed_of(c) * crop.channel_stride;
    if (options_.dtype == DType::kF32) {
      turn(channel, rotation, reinterpret_cast<float*>(out), stores);
    } else {
      turn(channel, rotation, scratch.data(), Stores::kCached);
      kernels_.volume.round(scratch.data(), values(), reinterpret_cast<std::uint16_t*>(out));
    }
  }
}

void VolumeTransform::turn(const VolumeView& crop, const Rotation& rotation, float* out, Stores stores) const {
  if (rotation.from[2] == 2) {
    copy_rows(crop, rotation, out, stores);
  } else {
    transpose_planes(crop, rotation, out, stores);
  }
}

// Rows stay rows, in another order and perhaps reversed.
void VolumeTransform::copy_rows(const VolumeView& crop, const Rotation& rotation, float* out, Stores stores) const {
  const std::size_t edge = options_.edge;
  const auto row = [&](std::size_t first, std::size_t second) {
    const std::size_t at0 = mirrored(first, rotation.backwards[0], edge);
    const std::size_t at1 = mirrored(second, rotation.backwards[1], edge);
    return crop.first + signed_of(at0) * crop.stride[rotation.from[0]] + signed_of(at1) * crop.stride[rotation.from[1]];
  };
  for (std::size_t first = 0; first < edge; ++first) {
    for (std::size_t second = 0; second < edge; ++second, out += edge) {
      if (first + 1 < edge) prefetch(row(first + 1, second), edge);
      const float* in = row(first, second);
      if (rotation.backwards[2]) {
        kernels_.volume_loops(stores).reverse(in, edge, out);
      } else {
        kernels_.loops(stores).copy(reinterpret_cast<const std::uint8_t*>(in), edge * sizeof(float),
                                    reinterpret_cast<std::uint8_t*>(out));
      }
    }
  }
}

// The output's rows run across the crop's: works plane by plane along the crop's remaining axis, in square tiles.
void VolumeTransform::transpose_planes(const VolumeView& crop, const Rotation& rotation, float* out,
                                       Stores stores) const {
  const std::size_t edge = options_.edge;
  const std::size_t whole = edge / kTile * kTile;
  const std::array<std::ptrdiff_t, 2> out_stride{signed_of(edge * edge), signed_of(edge)};
  const std::size_t across = rotation.from[2];              // axis of the crop that the output's rows run along
  const std::size_t along = rotation.from[0] == 2 ? 0 : 1;  // output axis along which the crop's rows run
  const std::size_t plane_axis = 1 - along;                 // of the output, and of the crop `from` that
  const std::ptrdiff_t in_step = rotation.backwards[2] ? -crop.stride[across] : crop.stride[across];
  const std::ptrdiff_t out_step = rotation.backwards[along] ? -out_stride[along] : out_stride[along];
  const std::ptrdiff_t plane_step = crop.stride[rotation.from[plane_axis]];
  const auto& loops = kernels_.volume_loops(stores);

  for (std::size_t plane = 0; plane < edge; ++plane) {
    const std::size_t out_plane = mirrored(plane, rotation.backwards[plane_axis], edge);
    const float* in = crop.first + signed_of(plane) * plane_step +
                      signed_of(mirrored(0, rotation.backwards[2], edge)) * crop.stride[across];
    float* to = out + signed_of(out_plane) * out_stride[plane_axis] +
                signed_of(mirrored(0, rotation.backwards[along], edge)) * out_stride[along];
    const bool another = plane + 1 < edge;
    for (std::size_t z = 0; z < whole; z += kTile) {
      for (std::size_t i = 0; i < whole; i += kTile) {
        const float* tile = in + signed_of(i) * in_step + z;
        if (another) {
          for (std::size_t k = 0; k < kTile; ++k) prefetch(tile + signed_of(k) * in_step + plane_step, kTile);
        }
        loops.transpose(tile, in_step, to + signed_of(z) * out_step + i, out_step);
      }
    }
    for (std::size_t z = 0; z < edge; ++z) {  // the rest beyond whole tiles
      for (std::size_t i = z < whole ? whole : 0; i < edge; ++i) {
        to[signed_of(z) * out_step + signed_of(i)] = in[signed_of(i) * in_step + signed_of(z)];
      }
    }
  }
}

}  // namespace loadline
