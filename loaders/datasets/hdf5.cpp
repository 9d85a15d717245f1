// Samples of one size in an HDF5 file: mapped, or read through the library.
#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/hdf5_parts.h"
#include "loaders/datasets/image_extents.h"
#include "loaders/datasets/strided.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

ImageOrder order_of(const fs::path& path, const std::string& name, const Hdf5Facts& facts) {
  const auto fail = [&](const std::string& why) {
    return hdf5_refusal(path, fmt::format("dataset '{}' {}", name, why));
  };
  if (facts.type != "u8") throw fail(fmt::format("is {}, want images of u8", facts.type));
  const auto& extents = facts.extents;
  if (extents.size() != 3 && extents.size() != 4) {
    throw fail(
        fmt::format("has extents {}, want samples x channels x height x width, samples x height x width x channels or "
                    "samples x height x width",
                    extents_text(extents)));
  }
  if (no_images(extents)) throw fail("holds no samples");
  if (too_many_images(extents)) {
    throw fail(fmt::format("has extents {}, more than loadline can read", extents_text(extents)));
  }
  return image_order(extents);
}

// ---- mapped

// Bypasses the library, which only locates the samples.
std::unique_ptr<Dataset> map_samples(DatasetInfo info, Labels labels, const std::string& name, const Hdf5Facts& facts) {
  const fs::path path = info.files.front();
  if (const std::string why = hdf5_obstacle(facts); !why.empty()) {
    throw hdf5_refusal(path, fmt::format("dataset '{}': {}", name, why));
  }
  auto file = std::make_shared<const MappedFile>(path);
  const std::byte* first =
      file->part(fmt::format("dataset '{}'", name), *facts.offset_bytes, info.samples, info.sample_bytes()).data();
  return std::make_unique<StridedDataset>(std::move(info), std::move(labels), std::move(file), first);
}

// ---- through the library

class RowReader final : public Hdf5Reader {
 public:
  using Hdf5Reader::Hdf5Reader;

  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      source().read_rows(indices[i], 1, memory(i, 1));
      out[i] = memory(i, 1);
    }
  }
};

class BlockReader final : public Hdf5Reader {
 public:
  using Hdf5Reader::Hdf5Reader;

  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
    const auto wants = in_stored_order(indices);
    for (std::size_t first = 0; first < wants.size();) {
      std::size_t count = 1;
      while (first + count < wants.size() && wants[first + count].index == wants[first].index + count) ++count;
      source().read_rows(wants[first].index, count, memory(first, count));
      for (std::size_t i = first; i < first + count; ++i) out[wants[i].place] = memory(i, 1);
      first += count;
    }
  }
};

template <typename Reader>
class LibraryHdf5 final : public Dataset {
 public:
  LibraryHdf5(DatasetInfo info, Labels labels, std::unique_ptr<Hdf5Dataset> source)
      : Dataset(std::move(info), std::move(labels)), source_(std::move(source)) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override {
    return std::make_unique<Reader>(*source_, most);
  }

 private:
  std::unique_ptr<Hdf5Dataset> source_;
};

Access access_of(const DatasetOptions& options, const Hdf5Facts& facts) {
  if (options.access) return *options.access;
  if (facts.storage == Hdf5Storage::kContiguous) return Access::kMapped;
  return chunk_obstacle(facts).empty() ? Access::kChunks : Access::kRows;
}

}  // namespace

bool has_hdf5_name(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".h5" || extension == ".hdf5" || extension == ".hdf";
}

bool is_hdf5(const fs::path& path) {
  if (has_hdf5_name(path)) return true;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  // "HDF5 File Format Specification", its superblock. A file with a block of the user's own before it needs the name.
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::array<char, kSignature.size()> begin{};
  const std::size_t bytes = File::open(path).read_once(0, std::as_writable_bytes(std::span(begin)));
  return std::string_view(begin.data(), bytes) == kSignature;
}

bool recognises_hdf5(const fs::path& path) {
  return fs::is_regular_file(path) && is_hdf5(path);
}

std::unique_ptr<Dataset> open_hdf5(const fs::path& path, const DatasetOptions& options) {
  if (options.hdf5_images == DatasetOptions{}.hdf5_images && has_hdf5_dataset(path, std::string(kPackedBytes))) {
    return open_packed(path, options);
  }
  auto source = std::make_unique<Hdf5Dataset>(path, options.hdf5_images);
  const Hdf5Facts& facts = source->facts();
  const ImageOrder order = order_of(path, options.hdf5_images, facts);
  DatasetInfo info{.format = "hdf5", .shape = order.shape, .channels_last = order.channels_last, .files = {path}};
  info.samples = facts.extents[0];
  info.stored_bytes = fs::file_size(path);
  add_sources(facts, info);
  info.access = access_of(options, facts);
  auto labels = read_labels(path, options, info);
  switch (info.access) {
    case Access::kResident:
    case Access::kFiles:
    case Access::kUnknown:
    case Access::kMapped: return map_samples(std::move(info), std::move(labels), options.hdf5_images, facts);
    case Access::kRows:
      return std::make_unique<LibraryHdf5<RowReader>>(std::move(info), std::move(labels), std::move(source));
    case Access::kBlocks:
      return std::make_unique<LibraryHdf5<BlockReader>>(std::move(info), std::move(labels), std::move(source));
    case Access::kChunks: break;
  }
  if (const std::string why = chunk_obstacle(facts); !why.empty()) {
    throw hdf5_refusal(path, fmt::format("dataset '{}': {}", options.hdf5_images, why));
  }
  return open_chunks(std::move(info), std::move(labels), std::move(source));
}

}  // namespace loadline
