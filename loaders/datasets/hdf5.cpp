#include "loaders/storage/hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/error.h"
#include "loaders/storage/inflate.h"
#include "loaders/storage/memory.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

Error hdf5_refusal(const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot open {}: {}", path.string(), why));
}

std::string extents_text(std::span<const std::uint64_t> extents) {
  std::string text;
  for (const std::uint64_t extent : extents) text += fmt::format("{}{}", text.empty() ? "" : " x ", extent);
  return extents.empty() ? "one value" : text;
}

// Other files that hold samples belong to the dataset as much as its own.
void add_sources(const Hdf5Facts& facts, DatasetInfo& info) {
  for (const fs::path& source : facts.sources) {
    info.files.push_back(source);
    info.stored_bytes += fs::file_size(source);
  }
}

ImageShape shape_of(const fs::path& path, const std::string& name, const Hdf5Facts& facts) {
  const auto fail = [&](const std::string& why) {
    return hdf5_refusal(path, fmt::format("dataset '{}' {}", name, why));
  };
  if (facts.type != "u8") throw fail(fmt::format("is {}, want images of u8", facts.type));
  const auto& extents = facts.extents;
  if (extents.size() != 3 && extents.size() != 4) {
    throw fail(fmt::format("has extents {}, want samples x channels x height x width or samples x height x width",
                           extents_text(extents)));
  }
  double bytes = 1;  // does not wrap, whatever the file claims
  for (const std::uint64_t extent : extents) bytes *= static_cast<double>(extent);
  if (bytes == 0) throw fail("holds no samples");
  if (bytes > 0x1p48 || extents[0] >= std::numeric_limits<SampleIndex>::max()) {
    throw fail(fmt::format("has extents {}, more than can be read", extents_text(extents)));
  }
  const ImageShape shape =
      extents.size() == 3 ? ImageShape{1, extents[1], extents[2]} : ImageShape{extents[1], extents[2], extents[3]};
  if (extents.size() == 4 && shape.channels > 4 && shape.width <= 4) {
    throw fail(fmt::format("has extents {}: channels come last in it, want them before height and width",
                           extents_text(extents)));
  }
  return shape;
}

// ---- mapped

// Gathers from a mapping of the file, past the library, which has told where the samples begin and then is done.
class MappedHdf5 final : public AddressableDataset {
 public:
  MappedHdf5(DatasetInfo info, Labels labels, std::unique_ptr<MappedFile> file, const std::byte* first)
      : AddressableDataset(std::move(info), std::move(labels)),
        file_(std::move(file)),
        first_(first),
        stride_(this->info().sample_bytes()) {}

  void check_intact() const override { file_->check_intact(); }
  void check_files() const override { file_->check_size(); }
  void forget_pages() const override { file_->forget_pages(); }

 private:
  void locate(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override {
    for (std::size_t i = 0; i < indices.size(); ++i) out[i] = {first_ + indices[i] * stride_, stride_};
  }

  std::unique_ptr<MappedFile> file_;
  const std::byte* first_;
  std::size_t stride_;
};

// Why these samples cannot be mapped, and what reads them; empty where they can.
std::string hdf5_obstacle(const Hdf5Facts& facts) {
  if (facts.storage == Hdf5Storage::kChunked) {
    std::string filters;
    for (const std::string& filter : facts.filter_names) filters += fmt::format(", {}", filter);
    return fmt::format("it is stored in chunks of {}{}, which cannot be mapped: use --loader hdf5-chunk or hdf5",
                       extents_text(facts.chunk), filters);
  }
  if (facts.storage != Hdf5Storage::kContiguous) {
    return fmt::format("its storage is {}, which cannot be mapped: use --loader hdf5", name(facts.storage));
  }
  if (!facts.offset_bytes) return "no space was ever allocated for it in the file: nothing was written";
  return "";
}

std::unique_ptr<Dataset> map_samples(DatasetInfo info, Labels labels, const std::string& name, const Hdf5Facts& facts) {
  const fs::path path = info.files.front();
  if (const std::string why = hdf5_obstacle(facts); !why.empty()) {
    throw hdf5_refusal(path, fmt::format("dataset '{}': {}", name, why));
  }
  auto file = std::make_unique<MappedFile>(path);
  const std::byte* first =
      file->part(fmt::format("dataset '{}'", name), *facts.offset_bytes, info.samples, info.sample_bytes()).data();
  return std::make_unique<MappedHdf5>(std::move(info), std::move(labels), std::move(file), first);
}

// ---- through the library

// Where a sample of the batch in hand comes from, and where in the batch it goes.
struct Want {
  SampleIndex index;
  std::uint32_t place;
};

// Reads through the library into memory of its own, `most` samples long.
class LibraryReader : public SampleReader {
 public:
  LibraryReader(const Hdf5Dataset& source, std::size_t most)
      : source_(source),
        sample_bytes_(source.facts().row_bytes()),
        memory_(memory_bytes(most, sample_bytes_), Faults::kLater),
        wants_(most) {}

 protected:
  // The samples wanted, in the order they are stored in.
  std::span<const Want> in_stored_order(std::span<const SampleIndex> indices) {
    const auto wants = std::span(wants_).first(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) wants[i] = {indices[i], static_cast<std::uint32_t>(i)};
    std::ranges::sort(wants, {}, &Want::index);
    return wants;
  }
  std::span<std::byte> memory(std::size_t place, std::size_t samples) {
    return memory_.bytes().subspan(place * sample_bytes_, samples * sample_bytes_);
  }
  std::size_t sample_bytes() const { return sample_bytes_; }
  const Hdf5Dataset& source() const { return source_; }

 private:
  const Hdf5Dataset& source_;
  const std::size_t sample_bytes_;
  HugeMemory memory_;  // as large as the file says, and there as far as it is read into
  std::vector<Want> wants_;
};

class RowReader final : public LibraryReader {
 public:
  using LibraryReader::LibraryReader;

  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      source().read_rows(indices[i], 1, memory(i, 1));
      out[i] = memory(i, 1);
    }
  }
};

class BlockReader final : public LibraryReader {
 public:
  using LibraryReader::LibraryReader;

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

// HDF5's shuffle filter stores first the first byte of every element, then the second of every one, and so on.
void undo_shuffle(std::span<const std::byte> in, std::size_t element_bytes, std::span<std::byte> out) {
  const std::size_t elements = in.size() / element_bytes;
  for (std::size_t b = 0; b < element_bytes; ++b) {
    for (std::size_t i = 0; i < elements; ++i) out[i * element_bytes + b] = in[b * elements + i];
  }
  const std::size_t rest = elements * element_bytes;
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(rest), in.end(), out.begin() + static_cast<std::ptrdiff_t>(rest));
}

// The library hands over chunks as they are stored, one thread at a time; undoing the filters, which takes most of the
// time, is each thread's own affair. Each chunk is decoded once a batch.
class ChunkReader final : public LibraryReader {
 public:
  ChunkReader(const Hdf5Dataset& source, std::size_t most)
      : LibraryReader(source, most),
        chunk_samples_(source.facts().chunk.front()),
        chunk_bytes_(memory_bytes(chunk_samples_, sample_bytes())),
        buffers_{HugeMemory(stored_bytes(chunk_bytes_), Faults::kLater),
                 HugeMemory(stored_bytes(chunk_bytes_), Faults::kLater)} {}

  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
    const auto wants = in_stored_order(indices);
    for (std::size_t first = 0; first < wants.size();) {
      const std::size_t chunk = wants[first].index / chunk_samples_;
      const auto decoded = decode(chunk * chunk_samples_);
      for (; first < wants.size() && wants[first].index / chunk_samples_ == chunk; ++first) {
        const std::size_t offset = wants[first].index % chunk_samples_ * sample_bytes();
        std::memcpy(memory(first, 1).data(), decoded.data() + offset, sample_bytes());
        out[wants[first].place] = memory(first, 1);
      }
    }
  }

 private:
  // A block that deflate cannot make smaller grows a little: RFC 1951, and the header and checksum around it.
  static std::size_t stored_bytes(std::size_t chunk_bytes) {
    constexpr std::size_t kOverhead = 1024;
    return chunk_bytes + chunk_bytes / 1000 + kOverhead;
  }

  std::span<const std::byte> decode(std::uint64_t row) {
    const auto& facts = source().facts();
    const auto stored = source().read_chunk(row, buffers_[0].bytes());
    const std::size_t whole = chunk_bytes_;
    std::span<const std::byte> bytes = buffers_[0].bytes().first(stored.bytes);
    std::size_t next = 1;
    for (std::size_t i = facts.filters.size(); i-- > 0;) {
      if ((stored.skipped >> i & 1U) != 0) continue;
      const InStage inflating(WorkerStage::kInflate);
      const auto out = buffers_[next].bytes().first(whole);
      next = 1 - next;
      if (facts.filters[i] == Hdf5Filter::kShuffle && bytes.size() == whole) {
        undo_shuffle(bytes, facts.element_bytes, out);
      } else if (facts.filters[i] != Hdf5Filter::kDeflate || !inflater_.inflate(bytes, out)) {
        throw corrupt(row);
      }
      bytes = out;
    }
    if (bytes.size() != whole) throw corrupt(row);
    return bytes;
  }

  Error corrupt(std::uint64_t row) const {
    return Error(fmt::format("cannot read {}: the chunk at sample {} is corrupt", source().path().string(), row));
  }

  const std::size_t chunk_samples_;
  const std::size_t chunk_bytes_;
  std::array<HugeMemory, 2> buffers_;  // a filter reads one and writes the other
  Inflater inflater_;
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

// Why its chunks cannot be decoded here, and what reads them; empty where they can.
std::string chunk_obstacle(const Hdf5Facts& facts) {
  if (facts.storage != Hdf5Storage::kChunked) {
    return fmt::format("its storage is {}, not in chunks: use --loader hdf5-mmap or hdf5", name(facts.storage));
  }
  const bool whole = facts.chunk.size() == facts.extents.size() && facts.chunk.front() > 0 &&
                     std::equal(facts.chunk.begin() + 1, facts.chunk.end(), facts.extents.begin() + 1);
  if (!whole) {
    return fmt::format("its chunks of {} cut the samples of {} apart: use --loader hdf5", extents_text(facts.chunk),
                       extents_text(facts.extents));
  }
  for (std::size_t i = 0; i < facts.filters.size(); ++i) {
    if (facts.filters[i] != Hdf5Filter::kOther) continue;
    return fmt::format("its filter '{}' is neither deflate nor shuffle: use --loader hdf5", facts.filter_names[i]);
  }
  return "";
}

// Where they lie in one piece of numbers that can be read in place, of a file that says how many classes there are.
std::optional<Labels> stored_labels(const fs::path& path, const DatasetOptions& options, const Hdf5Dataset& source,
                                    std::size_t samples) {
  const Hdf5Facts& facts = source.facts();
  const bool whole = facts.storage == Hdf5Storage::kContiguous && facts.offset_bytes && facts.sources.empty();
  const std::array<std::string_view, 8> types{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"};
  if (samples <= kMostLabelsRead || !whole || std::ranges::find(types, facts.type) == types.end()) return std::nullopt;
  auto file = std::make_shared<const MappedFile>(path);
  const auto bytes =
      file->part(fmt::format("dataset '{}'", options.hdf5_labels), *facts.offset_bytes, samples, facts.element_bytes);
  const Labels::Layout layout{
      .bytes = facts.element_bytes, .stride = facts.element_bytes, .is_signed = facts.type.front() == 'i'};
  return Labels({{0, bytes.data()}}, layout, samples, {std::move(file)});
}

Labels read_labels(const fs::path& path, const DatasetOptions& options, DatasetInfo& info) {
  const Hdf5Dataset source(path, options.hdf5_labels);
  const auto& extents = source.facts().extents;
  if (extents.size() != 1 || extents[0] != info.samples) {
    throw hdf5_refusal(path,
                       fmt::format("dataset '{}' has extents {}, want one label for each of the {} samples of '{}'",
                                   options.hdf5_labels, extents_text(extents), info.samples,
                                   info.encoded ? kPackedBytes : options.hdf5_images));
  }
  if (const auto classes = source.attribute("classes"); classes && *classes > 0) {
    info.classes = *classes;
    if (auto stored = stored_labels(path, options, source, info.samples)) return std::move(*stored);
  }
  auto labels = source.read_integers();
  const auto highest = static_cast<std::size_t>(*std::ranges::max_element(labels));
  info.classes = source.attribute("classes").value_or(highest + 1);
  if (highest >= info.classes) {
    throw hdf5_refusal(path,
                       fmt::format("label {} is out of range, its attribute 'classes' says {}", highest, info.classes));
  }
  return labels;
}

// ---- packed: encoded samples of any size

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
  void forget_pages() const override { file_->forget_pages(); }

 private:
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

// Through the library, one read a sample.
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
    throw fail(fmt::format("has extents {}, want one more than there are samples", extents_text(extents)));
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
  add_sources(facts, info);
  auto labels = read_labels(path, options, info);
  const std::string why = hdf5_obstacle(facts);
  info.access = options.access.value_or(why.empty() ? Access::kMapped : Access::kRows);
  if (info.access == Access::kRows) {
    return std::make_unique<LibraryPacked>(std::move(info), std::move(labels), std::move(source), std::move(offsets));
  }
  if (info.access != Access::kMapped) {
    throw hdf5_refusal(path, "packed images are no rows of one length: use --loader hdf5-mmap or hdf5");
  }
  if (!why.empty()) throw hdf5_refusal(path, fmt::format("dataset '{}': {}", kPackedBytes, why));
  auto file = std::make_unique<MappedFile>(path);
  const auto all = file->part(fmt::format("dataset '{}'", kPackedBytes), *facts.offset_bytes, bytes, 1);
  return std::make_unique<MappedPacked>(std::move(info), std::move(labels), std::move(file), all, std::move(offsets));
}

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

bool recognises_hdf5(const fs::path& path) {
  return has_hdf5_name(path) && fs::is_regular_file(path);
}

std::unique_ptr<Dataset> open_hdf5(const fs::path& path, const DatasetOptions& options) {
  if (options.labels == LabelKind::kCoarse) {
    throw usage_error(fmt::format("coarse labels: {} has none, only cifar100 does", path.string()));
  }
  if (options.split != Split::kTrain) {
    throw usage_error(
        fmt::format("split test: {} is one file with one split; convert the other into its own", path.string()));
  }
  if (options.hdf5_images == DatasetOptions{}.hdf5_images && has_hdf5_dataset(path, std::string(kPackedBytes))) {
    return open_packed(path, options);
  }
  auto source = std::make_unique<Hdf5Dataset>(path, options.hdf5_images);
  const Hdf5Facts& facts = source->facts();
  DatasetInfo info{.format = "hdf5", .shape = shape_of(path, options.hdf5_images, facts), .files = {path}};
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
  return std::make_unique<LibraryHdf5<ChunkReader>>(std::move(info), std::move(labels), std::move(source));
}

}  // namespace loadline
