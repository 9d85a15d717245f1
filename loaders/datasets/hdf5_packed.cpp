// Encoded samples of any size, packed into one row of bytes of an HDF5 file.
#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/hdf5_parts.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Where each sample begins, and the last one ends.
using Offsets = std::vector<std::uint64_t>;

class MappedPacked final : public AddressableDataset {
 public:
  MappedPacked(DatasetInfo info, Labels labels, std::unique_ptr<MappedFile> file, std::span<const std::byte> bytes,
               Offsets offsets)
      : AddressableDataset(std::move(info), std::move(labels)),
        file_(std::move(file)),
        bytes_(bytes),
        offsets_(std::move(offsets)) {}

  void check_intact() const override { file_->check_intact(); }
  void check_files() const override { file_->check_size(); }
  std::vector<MappedBytes> mapped_files() const override { return {file_->bytes()}; }

 private:
  void forget_samples() const override { file_->forget_pages(); }
  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::size_t begin = offsets_[indices[i]];
      out[i] = bytes_.subspan(begin, offsets_[indices[i] + 1] - begin);
    }
  }

  std::unique_ptr<MappedFile> file_;
  std::span<const std::byte> bytes_;
  Offsets offsets_;
};

// Reads through the library, one read per sample.
class LibraryPacked final : public Dataset {
 public:
  LibraryPacked(DatasetInfo info, Labels labels, std::unique_ptr<Hdf5Dataset> source, Offsets offsets)
      : Dataset(std::move(info), std::move(labels)), source_(std::move(source)), offsets_(std::move(offsets)) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override {
    return std::make_unique<Reader>(*this, most);
  }

 private:
  class Reader final : public SampleReader {
   public:
    Reader(const LibraryPacked& packed, std::size_t most) : packed_(packed), memory_(most) {}

    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::uint64_t begin = packed_.offsets_[indices[i]];
        const std::size_t bytes = packed_.offsets_[indices[i] + 1] - begin;
        auto& memory = memory_[i];
        if (memory.size() < bytes) memory.resize(bytes + bytes / 4);
        packed_.source_->read_rows(begin, bytes, memory);
        out[i] = std::span(memory).first(bytes);
      }
    }

   private:
    const LibraryPacked& packed_;
    std::vector<std::vector<std::byte>> memory_;
  };

  std::unique_ptr<Hdf5Dataset> source_;
  Offsets offsets_;
};

Offsets read_offsets(const fs::path& path, std::uint64_t bytes) {
  const Hdf5Dataset source(path, std::string(kPackedOffsets));
  const auto fail = [&](const std::string& why) {
    return hdf5_refusal(path, fmt::format("dataset '{}' {}", kPackedOffsets, why));
  };
  const auto& extents = source.facts().extents;
  if (extents.size() != 1 || extents[0] < 2) {
    throw fail(fmt::format("has extents {}, want one more than the number of samples", extents_text(extents)));
  }
  if (extents[0] > std::numeric_limits<SampleIndex>::max() || extents[0] - 1 > bytes) {
    throw fail(fmt::format("counts {} samples, '{}' has only {} bytes", extents[0] - 1, kPackedBytes, bytes));
  }
  Offsets offsets = source.read_offsets();
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] < offsets[i + 1] && offsets[i + 1] <= bytes) continue;
    throw fail(fmt::format("says that sample {} has bytes {} to {}, '{}' has {}", i, offsets[i], offsets[i + 1],
                           kPackedBytes, bytes));
  }
  return offsets;
}

}  // namespace

std::unique_ptr<Dataset> open_packed(const fs::path& path, const DatasetOptions& options) {
  auto source = std::make_unique<Hdf5Dataset>(path, std::string(kPackedBytes));
  const Hdf5Facts& facts = source->facts();
  if (facts.type != "u8" || facts.extents.size() != 1) {
    throw hdf5_refusal(path, fmt::format("dataset '{}' is {} with extents {}, want u8 in one row", kPackedBytes,
                                         facts.type, extents_text(facts.extents)));
  }
  const std::uint64_t bytes = source->checked_elements();
  Offsets offsets = read_offsets(path, bytes);
  DatasetInfo info{.format = "hdf5", .shape = {3, 0, 0}, .files = {path}, .encoded = true};
  info.samples = offsets.size() - 1;
  info.stored_bytes = fs::file_size(path);
  info.encoded_bytes = offsets.back() - offsets.front();
  add_sources(facts, info);
  auto labels = read_labels(path, options, info);
  const std::string why = hdf5_obstacle(facts);
  info.access = options.access.value_or(why.empty() ? Access::kMapped : Access::kRows);
  if (info.access == Access::kRows) {
    return std::make_unique<LibraryPacked>(std::move(info), std::move(labels), std::move(source), std::move(offsets));
  }
  if (info.access != Access::kMapped) {
    throw hdf5_refusal(path, "packed images differ in length: use --loader hdf5-mmap or hdf5");
  }
  if (!why.empty()) throw hdf5_refusal(path, fmt::format("dataset '{}': {}", kPackedBytes, why));
  auto file = std::make_unique<MappedFile>(path);
  const auto all = file->part(fmt::format("dataset '{}'", kPackedBytes), *facts.offset_bytes, bytes, 1);
  return std::make_unique<MappedPacked>(std::move(info), std::move(labels), std::move(file), all, std::move(offsets));
}

}  // namespace loadline
