#include "synthetic/generate/nbody.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/storage/file.h"
#include "loaders/storage/hdf5.h"
#include "loaders/storage/hdf5_writer.h"
#include "synthetic/generate/destination.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

enum class MadeField : std::uint8_t { kInput, kTarget };

// A dataset of the file.
struct FieldPlan {
  MadeField field;
  const char* name;
  std::size_t channels;
};

constexpr std::array kPlan{FieldPlan{MadeField::kInput, "Nbody", 4}, FieldPlan{MadeField::kTarget, "Hydro", 5}};
constexpr std::size_t kChannels = kPlan[0].channels + kPlan[1].channels;
constexpr std::size_t kLeastSize = 8;
constexpr std::size_t kMostSize = std::size_t{1} << 14U;

// Values at the corners of a periodic lattice and, between them, a smooth step: one scale of a field.
class Octave {
 public:
  Octave(std::uint64_t key, std::size_t cells, std::size_t size, float strength)
      : cells_(cells), corners_(cells * cells * cells), places_(size), slab_(cells * cells), row_(cells + 1) {
    Random random(key);
    for (float& corner : corners_) corner = strength * static_cast<float>(2 * random.unit() - 1);
    for (std::size_t i = 0; i < size; ++i) {
      const float t = static_cast<float>(i * cells % size) / static_cast<float>(size);
      places_[i] = {.cell = i * cells / size, .weight = t * t * (3 - 2 * t)};
    }
  }

  // Adds the values of plane x to `out` [all y, all z].
  void add_plane(std::size_t x, std::span<float> out) {
    const Place& at_x = places_[x];
    const std::size_t area = cells_ * cells_;
    const float* near = corners_.data() + at_x.cell * area;
    const float* far = corners_.data() + (at_x.cell + 1) % cells_ * area;
    for (std::size_t i = 0; i < area; ++i) slab_[i] = near[i] + (far[i] - near[i]) * at_x.weight;
    for (const Place& at_y : places_) {
      const float* left = slab_.data() + at_y.cell * cells_;
      const float* right = slab_.data() + (at_y.cell + 1) % cells_ * cells_;
      for (std::size_t i = 0; i < cells_; ++i) row_[i] = left[i] + (right[i] - left[i]) * at_y.weight;
      row_[cells_] = row_[0];
      for (std::size_t z = 0; z < places_.size(); ++z) {
        const Place& at_z = places_[z];
        out[z] += row_[at_z.cell] + (row_[at_z.cell + 1] - row_[at_z.cell]) * at_z.weight;
      }
      out = out.subspan(places_.size());
    }
  }

 private:
  struct Place {
    std::size_t cell = 0;
    float weight = 0;  // of the next corner
  };

  std::size_t cells_;           // along each side
  std::vector<float> corners_;  // [x, y, z]
  std::vector<Place> places_;
  std::vector<float> slab_;  // corners [y, z] of a plane
  std::vector<float> row_;   // corners [z] of a row, and the first again
};

// A field of several scales, each half as strong as the one before. Values lie in (-2, 2).
class SmoothField {
 public:
  SmoothField(std::uint64_t key, std::size_t size) : plane_(size * size) {
    constexpr std::size_t kMostCells = 64;  // more would be all noise and take memory
    float strength = 1;
    for (std::size_t cells = 4; cells <= std::min(kMostCells, size / 2); cells *= 2, strength /= 2) {
      octaves_.emplace_back(key_of(key, cells), cells, size, strength);
    }
  }

  // [all y, all z] of plane x, until the next call.
  std::span<const float> plane(std::size_t x) {
    if (x == at_) return plane_;
    std::ranges::fill(plane_, 0.0F);
    for (Octave& octave : octaves_) octave.add_plane(x, plane_);
    at_ = x;
    return plane_;
  }

 private:
  std::vector<Octave> octaves_;
  std::vector<float> plane_;
  std::size_t at_ = ~std::size_t{0};
};

class Simulation {
 public:
  explicit Simulation(const NbodyOptions& options)
      : seed_(options.seed),
        density_(key_of(options.seed, 1), options.size),
        velocity_{SmoothField(key_of(options.seed, 2), options.size),
                  SmoothField(key_of(options.seed, 3), options.size),
                  SmoothField(key_of(options.seed, 4), options.size)} {}

  // Values [all y, all z] of one plane.
  void plane(MadeField field, std::size_t channel, std::size_t x, std::span<float> out) {
    const std::size_t first_velocity = field == MadeField::kInput ? 1 : 2;
    if (channel >= first_velocity) {
      const auto speeds = velocity_[channel - first_velocity].plane(x);
      const float share = field == MadeField::kInput ? 1.0F : 0.9F;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = share * speeds[i];
    } else {
      const auto depths = density_.plane(x);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const float density = (1 + 0.5F * depths[i]) * (1 + 0.5F * depths[i]);  // never below 0
        const bool hot = field == MadeField::kTarget && channel == 1;
        out[i] = field == MadeField::kInput ? density : hot ? density * density : 0.16F * density;
      }
    }
    add_noise(field, channel, x, out);
  }

 private:
  void add_noise(MadeField field, std::size_t channel, std::size_t x, std::span<float> out) const {
    constexpr float kStrength = 0.05F;
    Random random(key_of(seed_, 5, field == MadeField::kInput ? 0 : 1, channel, x));
    for (float& value : out) value += kStrength * static_cast<float>(random.unit() - 0.5);
  }

  std::uint64_t seed_;
  SmoothField density_;
  std::array<SmoothField, 3> velocity_;
};

using VolumeExtents = std::array<std::uint64_t, 4>;

VolumeExtents extents_of(const FieldPlan& plan, std::uint64_t size) {
  return {plan.channels, size, size, size};
}

// Passes every plane to `consume` in file order until that returns false. Returns whether it reached the end.
template <typename Consume>
bool for_each_plane(const NbodyOptions& options, const std::stop_token& stop, const Consume& consume) {
  Simulation simulation(options);
  std::vector<float> values(options.size * options.size);
  for (const FieldPlan& plan : kPlan) {
    for (std::size_t channel = 0; channel < plan.channels; ++channel) {
      for (std::size_t x = 0; x < options.size; ++x) {
        if (stop.stop_requested()) return false;
        simulation.plane(plan.field, channel, x, values);
        if (!consume(plan, VolumeExtents{channel, x, 0, 0}, std::as_bytes(std::span(values)))) return false;
      }
    }
  }
  return true;
}

// False, with nothing written, if another process has made something there in the meantime.
bool write(const fs::path& path, const NbodyOptions& options, const GenerateProgress& progress,
           const std::stop_token& stop) {
  const fs::path target = end_of_links("make", path);
  Parents parents(target, path);
  parents.make();
  AtomicFile made(target);
  Hdf5Writer writer(made.temporary(), path);
  const VolumeExtents one_plane{1, 1, options.size, options.size};
  std::size_t done = 0;
  const auto write_plane = [&](const FieldPlan& plan, const VolumeExtents& origin, std::span<const std::byte> values) {
    if (origin == VolumeExtents{})
      writer.begin(plan.name, extents_of(plan, options.size), {.element = Hdf5Element::kF32});
    writer.write_box(origin, one_plane, values);
    if (progress) progress(++done, kChannels * options.size);
    return true;
  };
  if (!for_each_plane(options, stop, write_plane)) {
    throw Error(fmt::format("making {} was interrupted; nothing was left behind", path.string()));
  }
  writer.close();
  const bool is_ours = commit_unless_taken(made, target);
  parents.keep();
  return is_ours;
}

bool holds_the_same(const fs::path& path, const NbodyOptions& options, const std::stop_token& stop) {
  std::vector<std::unique_ptr<Hdf5Dataset>> there;
  for (const FieldPlan& plan : kPlan) {
    const auto& facts = there.emplace_back(std::make_unique<Hdf5Dataset>(path, plan.name))->facts();
    if (facts.type != "f32" || !std::ranges::equal(facts.extents, extents_of(plan, options.size))) return false;
  }
  const VolumeExtents one_plane{1, 1, options.size, options.size};
  std::vector<std::byte> plane(options.size * options.size * sizeof(float));
  return for_each_plane(options, stop, [&](const FieldPlan& plan, const VolumeExtents& origin, auto values) {
    there[plan.field == MadeField::kInput ? 0 : 1]->read_box(origin, one_plane, plane);
    return std::ranges::equal(plane, values);
  });
}

}  // namespace

Generated make_nbody(const fs::path& path, const NbodyOptions& options, const GenerateProgress& progress,
                     const std::stop_token& stop) {
  if (options.size < kLeastSize || options.size > kMostSize) {
    throw usage_error(
        fmt::format("--size {}: want from {} to {} values along each side", options.size, kLeastSize, kMostSize));
  }
  std::error_code ignored;
  if (!fs::exists(path, ignored) && write(path, options, progress, stop)) return Generated::kMade;
  bool same = false;
  try {
    same = holds_the_same(path, options, stop);
  } catch (const Error&) {  // if it cannot be read, it is something else
  }
  if (stop.stop_requested()) throw Error(fmt::format("making {} was interrupted; nothing changed", path.string()));
  if (same) return Generated::kAlreadyThere;
  throw Error(
      fmt::format("cannot make {}: something else is there; name another file or remove this one", path.string()));
}

}  // namespace loadline
