#include "loaders/datasets/volume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/memory.h"
#include "loaders/error.h"
#include "loaders/storage/hdf5.h"
#include "loaders/storage/mapping.h"
#include "loaders/storage/npy.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

Error volume_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

std::string dataset_name(Field field) {
  return std::string(name(field));
}

fs::path npy_path(const fs::path& directory, Field field) {
  return directory / fmt::format("{}.npy", name(field));
}

template <typename T>
struct OfFields {
  T input{};
  T target{};

  T& operator[](Field field) { return field == Field::kInput ? input : target; }
  const T& operator[](Field field) const { return field == Field::kInput ? input : target; }
};

// A file's description of one field.
struct Source {
  fs::path path;
  std::string what;  // for messages: "dataset 'Nbody'", "its array"
  std::vector<std::uint64_t> extents;
  std::size_t offset_bytes = 0;  // of the first value, if it can be mapped
};

void check_extents(const Source& source) {
  const auto& extents = source.extents;
  const bool cubic = extents.size() == 4 && extents[1] == extents[2] && extents[2] == extents[3];
  if (!cubic || extents[0] == 0 || extents[1] == 0) {
    throw volume_refusal(source.path,
                         fmt::format("{} has extents {}, want channels x N x N x N", source.what,
                                     extents.empty() ? "of one value" : fmt::format("{}", fmt::join(extents, " x "))));
  }
  // Keeps place and size of a crop far below where sums of bytes would wrap.
  if (extents[0] > 1024 || extents[1] > std::uint64_t{1} << 14U) {
    throw volume_refusal(source.path, fmt::format("{} has extents {}, more than loadline can read", source.what,
                                                  fmt::join(extents, " x ")));
  }
}

std::size_t values_in(const Source& source) {
  return source.extents[0] * source.extents[1] * source.extents[2] * source.extents[3];
}

VolumeShape shape_of(const OfFields<Source>& sources) {
  check_extents(sources.input);
  check_extents(sources.target);
  const VolumeShape shape{.edge = sources.input.extents[1],
                          .input_channels = sources.input.extents[0],
                          .target_channels = sources.target.extents[0]};
  if (sources.target.extents[1] != shape.edge) {
    throw volume_refusal(sources.target.path,
                         fmt::format("{} has {} values along each side, that of {} has {}", sources.target.what,
                                     sources.target.extents[1], name(Field::kInput), shape.edge));
  }
  return shape;
}

// ---- in the address space

// Crops in place, in mapped files or in memory.
class AddressableVolume final : public VolumeDataset {
 public:
  AddressableVolume(DatasetInfo info, std::vector<std::unique_ptr<MappedFile>> files, OfFields<const float*> first)
      : VolumeDataset(std::move(info)), files_(std::move(files)), first_(first) {}
  AddressableVolume(DatasetInfo info, NodeMemory memory, OfFields<const float*> first)
      : VolumeDataset(std::move(info)), memory_(std::move(memory)), first_(first) {}

  void check_intact() const override {
    for (const auto& file : files_) file->check_intact();
  }
  void check_files() const override {
    for (const auto& file : files_) file->check_size();
  }
  std::vector<MappedBytes> mapped_files() const override {
    std::vector<MappedBytes> mapped;
    for (const auto& file : files_) mapped.push_back(file->bytes());
    return mapped;
  }

  std::vector<std::span<const std::byte>> memory() const override {
    return memory_ ? memory_->all() : std::vector<std::span<const std::byte>>();
  }

  std::unique_ptr<CropReader> make_crop_reader(std::size_t /*edge*/) const override {
    return std::make_unique<Locator>(*this);
  }

 private:
  void forget_samples() const override {
    for (const auto& file : files_) file->forget_pages();
  }

  class Locator final : public CropReader {
   public:
    explicit Locator(const AddressableVolume& volume) : volume_(volume) {}
    VolumeView read(Field field, const std::array<std::size_t, 3>& origin) override {
      const VolumeShape& shape = *volume_.info().volume;
      const std::size_t edge = shape.edge;
      const float* const first = volume_.memory_ ? volume_.memory_->here(volume_.first_[field]) : volume_.first_[field];
      return {.first = first + (origin[0] * edge + origin[1]) * edge + origin[2],
              .channels = channels_of(shape, field),
              .channel_stride = static_cast<std::ptrdiff_t>(edge * edge * edge),
              .stride = {static_cast<std::ptrdiff_t>(edge * edge), static_cast<std::ptrdiff_t>(edge)}};
    }

   private:
    const AddressableVolume& volume_;
  };

  StoredSample plane(Field field, std::size_t channel, std::size_t x, std::vector<float>& /*scratch*/) const override {
    const std::size_t edge = info().volume->edge;
    return std::as_bytes(std::span(first_[field] + (channel * edge + x) * edge * edge, edge * edge));
  }

  std::vector<std::unique_ptr<MappedFile>> files_;
  std::optional<NodeMemory> memory_;
  OfFields<const float*> first_;
};

const float* first_value(const MappedFile& file, const Source& source) {
  const auto values = file.part(source.what, source.offset_bytes, values_in(source), sizeof(float));
  if (source.offset_bytes % sizeof(float) != 0) {
    throw volume_refusal(source.path,
                         fmt::format("the values of {} begin at byte {}, not a multiple of 4, so they cannot be mapped",
                                     source.what, source.offset_bytes));
  }
  return reinterpret_cast<const float*>(values.data());
}

std::unique_ptr<VolumeDataset> map_volume(DatasetInfo info, const OfFields<Source>& sources) {
  std::vector<std::unique_ptr<MappedFile>> files;
  for (const fs::path& path : info.files) files.push_back(std::make_unique<MappedFile>(path));
  const OfFields<const float*> first{first_value(*files.front(), sources.input),
                                     first_value(*files.back(), sources.target)};
  return std::make_unique<AddressableVolume>(std::move(info), std::move(files), first);
}

std::unique_ptr<VolumeDataset> copy_volume(const VolumeDataset& volume, const MemoryPlace& place) {
  NodeMemory memory = copy_bytes(volume, place);
  const VolumeShape& shape = *volume.info().volume;
  const auto* begin = reinterpret_cast<const float*>(memory.first().data());
  const OfFields<const float*> first{begin, begin + shape.input_channels * shape.edge * shape.edge * shape.edge};
  return std::make_unique<AddressableVolume>(resident(volume.info()), std::move(memory), first);
}

// ---- through the library

// Reads one box per field of a sample, like a training script.
class LibraryVolume final : public VolumeDataset {
 public:
  LibraryVolume(DatasetInfo info, OfFields<std::unique_ptr<Hdf5Dataset>> sources)
      : VolumeDataset(std::move(info)), sources_(std::move(sources)) {}

  std::unique_ptr<CropReader> make_crop_reader(std::size_t edge) const override {
    return std::make_unique<BoxReader>(*this, edge);
  }

 private:
  class BoxReader final : public CropReader {
   public:
    BoxReader(const LibraryVolume& volume, std::size_t edge) : volume_(volume), edge_(edge) {
      const VolumeShape& shape = *volume.info().volume;
      for (const Field field : kFields) values_[field].resize(channels_of(shape, field) * edge * edge * edge);
    }

    VolumeView read(Field field, const std::array<std::size_t, 3>& origin) override {
      auto& values = values_[field];
      const std::size_t channels = channels_of(*volume_.info().volume, field);
      const std::array<std::uint64_t, 4> from{0, origin[0], origin[1], origin[2]};
      const std::array<std::uint64_t, 4> extents{channels, edge_, edge_, edge_};
      volume_.sources_[field]->read_box(from, extents, std::as_writable_bytes(std::span(values)));
      const auto edge = static_cast<std::ptrdiff_t>(edge_);
      return {.first = values.data(),
              .channels = channels,
              .channel_stride = edge * edge * edge,
              .stride = {edge * edge, edge}};
    }

   private:
    const LibraryVolume& volume_;
    std::size_t edge_;
    OfFields<std::vector<float>> values_;
  };

  StoredSample plane(Field field, std::size_t channel, std::size_t x, std::vector<float>& scratch) const override {
    const std::uint64_t edge = info().volume->edge;
    scratch.resize(edge * edge);
    const auto bytes = std::as_writable_bytes(std::span(scratch));
    sources_[field]->read_box(std::array<std::uint64_t, 4>{channel, x, 0, 0},
                              std::array<std::uint64_t, 4>{1, 1, edge, edge}, bytes);
    return bytes;
  }

  OfFields<std::unique_ptr<Hdf5Dataset>> sources_;
};

// ---- opening

// Why these values cannot be mapped, and what reads them instead; empty if they can.
std::string volume_obstacle(const Hdf5Facts& facts) {
  if (facts.storage != Hdf5Storage::kContiguous || !facts.filters.empty()) {
    return fmt::format("its storage is {}, which cannot be mapped: use --loader hdf5", name(facts.storage));
  }
  if (!facts.offset_bytes) return "the file has no space allocated for it: nothing was written";
  return "";
}

std::unique_ptr<VolumeDataset> open_hdf5_volume(DatasetInfo info, const fs::path& path, const DatasetOptions& options) {
  OfFields<std::unique_ptr<Hdf5Dataset>> datasets;
  OfFields<Source> sources;
  std::string why;
  for (const Field field : kFields) {
    datasets[field] = std::make_unique<Hdf5Dataset>(path, dataset_name(field));
    const Hdf5Facts& facts = datasets[field]->facts();
    const std::string what = fmt::format("dataset '{}'", name(field));
    if (facts.type != "f32") throw volume_refusal(path, fmt::format("{} is {}, want values of f32", what, facts.type));
    sources[field] = {path, what, facts.extents, facts.offset_bytes.value_or(0)};
    if (const std::string own = volume_obstacle(facts); why.empty() && !own.empty())
      why = fmt::format("{}: {}", what, own);
  }
  info.files = {path};
  for (const Field field : kFields) {
    for (const fs::path& source : datasets[field]->facts().sources) {
      if (std::ranges::find(info.files, source) == info.files.end()) info.files.push_back(source);
    }
  }
  for (const fs::path& file : info.files) info.stored_bytes += fs::file_size(file);
  info.volume = shape_of(sources);
  info.access = options.access.value_or(why.empty() ? Access::kMapped : Access::kRows);
  if (info.access == Access::kMapped) {
    if (!why.empty()) throw volume_refusal(path, why);
    return map_volume(std::move(info), sources);
  }
  return std::make_unique<LibraryVolume>(std::move(info), std::move(datasets));
}

std::unique_ptr<VolumeDataset> open_npy_volume(DatasetInfo info, const fs::path& directory) {
  OfFields<Source> sources;
  for (const Field field : kFields) {
    const fs::path path = npy_path(directory, field);
    const NpyFacts facts = read_npy_facts(path);
    if (facts.dtype != "<f4") {
      throw volume_refusal(path, fmt::format("its values are '{}', want '<f4' (f32, little-endian)", facts.dtype));
    }
    if (facts.column_major) throw volume_refusal(path, "its array is in column-major (Fortran) order, want row-major");
    sources[field] = {path, "its array", facts.extents, facts.offset_bytes};
    info.files.push_back(path);
    info.stored_bytes += fs::file_size(path);
  }
  info.volume = shape_of(sources);
  return map_volume(std::move(info), sources);
}

}  // namespace

std::string_view name(Field field) {
  return field == Field::kInput ? "Nbody" : "Hydro";
}

// There may be any number of crops, and labels would be their only memory.
VolumeDataset::VolumeDataset(DatasetInfo info) : Dataset(std::move(info), {}) {}

std::unique_ptr<SampleReader> VolumeDataset::make_reader(std::size_t /*most*/) const {
  throw Error(fmt::format("cannot read samples of {}: they are crops of a volume", info().files.front().string()));
}

bool VolumeDataset::visit(const std::function<bool(StoredSample)>& visitor) const {
  std::vector<float> scratch;
  for (const Field field : kFields) {
    for (std::size_t channel = 0; channel < channels_of(*info().volume, field); ++channel) {
      for (std::size_t x = 0; x < info().volume->edge; ++x) {
        if (!visitor(plane(field, channel, x, scratch))) return false;
        check_intact();
      }
    }
  }
  return true;
}

bool recognises_volume(const fs::path& path) {
  if (fs::is_directory(path)) return fs::is_regular_file(npy_path(path, Field::kInput));
  return fs::is_regular_file(path) && is_hdf5(path) && has_hdf5_dataset(path, dataset_name(Field::kInput));
}

std::unique_ptr<Dataset> open_volume(const fs::path& path, const DatasetOptions& options) {
  if (options.crops == 0 || options.crops >= std::numeric_limits<SampleIndex>::max()) {
    throw usage_error(fmt::format("--crops {}: want at least 1 and fewer than 2^32 - 1", options.crops));
  }
  DatasetInfo info{.format = "volume", .samples = options.crops, .classes = 1};
  auto volume = fs::is_directory(path) ? open_npy_volume(std::move(info), path)
                                       : open_hdf5_volume(std::move(info), path, options);
  const std::size_t edge = volume->info().volume->edge;
  if (options.crop_edge == 0 || options.crop_edge > edge) {
    throw usage_error(fmt::format("--crop-edge {}: {} has {} values along each side; want an edge from 1 to that",
                                  options.crop_edge, path.string(), edge));
  }
  if (options.in_memory) return copy_volume(*volume, options.memory);
  return volume;
}

}  // namespace loadline
