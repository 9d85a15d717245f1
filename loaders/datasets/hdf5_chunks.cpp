// Samples in the chunks of an HDF5 file, whose filters are undone here.
//
// The library undoes them under its lock, one thread at a time. Here it only locates each chunk, once. Each thread
// finds the chunk in a mapping of the file, inflates it without the library and keeps it for others (chunk_cache.h).
// So a chunk is inflated once for all its samples if these are requested close together: in storage order, or in
// shuffled pages (Order::kPageShuffled).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "loaders/datasets/formats.h"
#include "loaders/datasets/hdf5_parts.h"
#include "loaders/storage/chunk_cache.h"
#include "loaders/storage/fletcher32.h"
#include "loaders/storage/inflate.h"
#include "loaders/storage/mapping.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

// How many inflated chunks are kept: not the whole dataset, which would then no longer be read (--in-memory does
// that), but a few chunks for readers of neighbours.
constexpr std::size_t kLeastKept = 8;
constexpr std::size_t kPartKept = 8;

std::size_t kept_chunks(std::size_t chunks, std::size_t chunk_bytes) {
  const std::size_t kept = std::max(kLeastKept, chunks / kPartKept);
  return std::min({chunks, kept, kInflatedChunksBytes / chunk_bytes});
}

// A block that deflate cannot make smaller grows a little: RFC 1951, and the header and checksums around it.
std::size_t most_stored_bytes(std::size_t chunk_bytes) {
  constexpr std::size_t kOverhead = 1024;
  return chunk_bytes + chunk_bytes / 1000 + kOverhead;
}

// Shuffling leaves samples unchanged, because their elements are single bytes.
bool is_shuffle(Hdf5Filter filter) {
  return filter == Hdf5Filter::kShuffle;
}

// The places of a file's chunks, each requested from the library once. Any thread.
class ChunkPlaces {
 public:
  ChunkPlaces(const Hdf5Dataset& source, std::size_t chunks, std::size_t chunk_rows)
      : source_(source), chunk_rows_(chunk_rows), memory_(memory_bytes(chunks, sizeof(Place)), Faults::kLater) {}

  Hdf5Dataset::StoredChunk find(std::size_t chunk) {
    Place& place = reinterpret_cast<Place*>(memory_.bytes().data())[chunk];
    const std::atomic_ref bytes(place.bytes);
    const std::atomic_ref skipped(place.skipped);
    const std::atomic_ref offset(place.offset);
    if (const std::uint64_t known = offset.load(std::memory_order_acquire); known != 0) {
      return {bytes.load(std::memory_order_relaxed), skipped.load(std::memory_order_relaxed), known};
    }
    // Threads that ask at the same time write the same values.
    const auto found = source_.find_chunk(chunk * chunk_rows_);
    bytes.store(static_cast<std::uint32_t>(found.bytes), std::memory_order_relaxed);
    skipped.store(found.skipped, std::memory_order_relaxed);
    offset.store(found.offset_bytes, std::memory_order_release);  // never 0, because the file's header is there
    return found;
  }

 private:
  struct Place {  // all zero: not known
    std::uint64_t offset;
    std::uint32_t bytes;  // HDF5 chunks are below 4 GiB
    std::uint32_t skipped;
  };

  const Hdf5Dataset& source_;
  std::size_t chunk_rows_;
  HugeMemory memory_;
};

class ChunkedDataset final : public Dataset {
 public:
  ChunkedDataset(DatasetInfo info, Labels labels, std::unique_ptr<Hdf5Dataset> source)
      : Dataset(std::move(info), std::move(labels)),
        source_(std::move(source)),
        file_(source_->path()),
        chunk_samples_(source_->facts().chunk.front()),
        chunk_bytes_(memory_bytes(chunk_samples_, this->info().sample_bytes())),
        chunks_((this->info().samples + chunk_samples_ - 1) / chunk_samples_),
        in_place_(source_->finds_chunks() && std::ranges::all_of(source_->facts().filters, is_shuffle)),
        places_(*source_, chunks_, chunk_samples_),
        inflated_(chunks_, chunk_bytes_, in_place_ ? 0 : kept_chunks(chunks_, chunk_bytes_)) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t most) const override;

  void check_intact() const override { file_.check_intact(); }
  void check_files() const override { file_.check_size(); }

 private:
  class Reader;

  void forget_samples() const override {
    file_.forget_pages();
    inflated_.forget();
  }

  struct Stored {
    std::span<const std::byte> bytes;
    std::uint32_t skipped;
  };

  Error corrupt(std::size_t chunk, const std::string& why) const {
    return Error(fmt::format("cannot read {}: the chunk at sample {} is corrupt{}", file_.path().string(),
                             chunk * chunk_samples_, why));
  }

  // `memory`: for reading the chunk if it cannot be located.
  Stored stored(std::size_t chunk, std::span<std::byte> memory) const {
    if (!source_->finds_chunks()) {
      const auto read = source_->read_chunk(chunk * chunk_samples_, memory);
      return {memory.first(read.bytes), read.skipped};
    }
    const auto found = places_.find(chunk);
    const auto all = file_.bytes();
    if (found.offset_bytes > all.size() || found.bytes > all.size() - found.offset_bytes) {
      throw corrupt(chunk, fmt::format(": {} bytes from byte {} on reach past the end of the file at {} (truncated)",
                                       found.bytes, found.offset_bytes, all.size()));
    }
    return {all.subspan(found.offset_bytes, found.bytes), found.skipped};
  }

  std::unique_ptr<Hdf5Dataset> source_;
  MappedFile file_;
  std::size_t chunk_samples_;
  std::size_t chunk_bytes_;
  std::size_t chunks_;
  bool in_place_;  // samples are stored unfiltered in the mapping
  // What readers have learned, shared between them.
  mutable ChunkPlaces places_;
  mutable ChunkCache inflated_;
};

class ChunkedDataset::Reader final : public Hdf5Reader {
 public:
  Reader(const ChunkedDataset& chunked, std::size_t most)
      : Hdf5Reader(*chunked.source_, most),
        chunked_(chunked),
        groups_(most),
        stored_(chunked.source_->finds_chunks() ? 0 : most_stored_bytes(chunked.chunk_bytes_), Faults::kLater),
        alone_(chunked.chunk_bytes_, Faults::kLater) {}

  // Leaves a chunk that another thread is inflating for later, and does others meanwhile.
  void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
    if (chunked_.in_place_) return find(indices, out);
    wants_ = in_stored_order(indices);
    out_ = out;
    const auto groups = group_by_chunk();
    std::size_t left = 0;
    for (const Group& group : groups) {
      if (!take(group, chunked_.inflated_.find(group.chunk))) groups[left++] = group;
    }
    for (const Group& group : groups.first(left)) take(group, wait_for(group.chunk));
  }

 private:
  // The samples wanted of one chunk: a part of wants_.
  struct Group {
    std::size_t chunk;
    std::size_t first;
    std::size_t count;
  };

  void find(std::span<const SampleIndex> indices, std::span<StoredSample> out) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::size_t chunk = indices[i] / chunked_.chunk_samples_;
      const auto whole = chunked_.stored(chunk, {}).bytes;
      if (whole.size() != chunked_.chunk_bytes_) throw chunked_.corrupt(chunk, "");
      out[i] = whole.subspan(indices[i] % chunked_.chunk_samples_ * sample_bytes(), sample_bytes());
    }
  }

  std::span<Group> group_by_chunk() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < wants_.size(); ++i) {
      const std::size_t chunk = wants_[i].index / chunked_.chunk_samples_;
      if (count > 0 && groups_[count - 1].chunk == chunk) {
        ++groups_[count - 1].count;
      } else {
        groups_[count++] = {.chunk = chunk, .first = i, .count = 1};
      }
    }
    return std::span(groups_).first(count);
  }

  ChunkCache::Hold wait_for(std::size_t chunk) {
    const InStage inflating(WorkerStage::kInflate);  // by another
    return chunked_.inflated_.wait_for(chunk);
  }

  // False while another thread is filling it.
  bool take(const Group& group, ChunkCache::Hold hold) {
    switch (hold.state()) {
      case ChunkCache::State::kBusy: return false;
      case ChunkCache::State::kReady: break;
      case ChunkCache::State::kFull:
        decode(group.chunk, alone_.bytes());
        copy(group, alone_.bytes());
        return true;
      case ChunkCache::State::kToFill:
        decode(group.chunk, hold.bytes());
        hold.filled();
        break;
    }
    copy(group, hold.bytes());
    return true;
  }

  void copy(const Group& group, std::span<const std::byte> chunk) {
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const std::size_t offset = wants_[i].index % chunked_.chunk_samples_ * sample_bytes();
      std::memcpy(memory(i, 1).data(), chunk.data() + offset, sample_bytes());
      out_[wants_[i].place] = memory(i, 1);
    }
  }

  // Undoes the filters, the last one first, into `out`.
  void decode(std::size_t chunk, std::span<std::byte> out) {
    const auto [stored, skipped] = chunked_.stored(chunk, stored_.bytes());
    const auto& filters = source().facts().filters;
    auto bytes = stored;
    for (std::size_t i = filters.size(); i-- > 0;) {
      if ((skipped >> i & 1U) != 0 || is_shuffle(filters[i])) continue;
      const InStage inflating(WorkerStage::kInflate);
      if (filters[i] == Hdf5Filter::kFletcher32) {
        const auto content = without_fletcher32(bytes);
        if (!content) throw failure(chunk, ": its checksum (fletcher32) is wrong");
        bytes = *content;
      } else {
        if (!inflater_.inflate(bytes, out)) throw failure(chunk, "");
        bytes = out;
      }
    }
    if (bytes.size() != out.size()) throw failure(chunk, "");
    if (bytes.data() != out.data()) std::memcpy(out.data(), bytes.data(), out.size());
  }

  // A page that vanished under the mapping reads as zeros and is the better reason to give.
  Error failure(std::size_t chunk, const std::string& why) const {
    chunked_.check_intact();
    return chunked_.corrupt(chunk, why);
  }

  const ChunkedDataset& chunked_;
  std::vector<Group> groups_;
  std::span<const WantedSample> wants_;
  std::span<StoredSample> out_;
  HugeMemory stored_;  // stored chunks that cannot be located in the mapping
  HugeMemory alone_;   // one inflated chunk that cannot be kept
  Inflater inflater_;
};

std::unique_ptr<SampleReader> ChunkedDataset::make_reader(std::size_t most) const {
  return std::make_unique<Reader>(*this, most);
}

}  // namespace

std::string chunk_obstacle(const Hdf5Facts& facts) {
  if (facts.storage != Hdf5Storage::kChunked) {
    return fmt::format("its storage is {}, not in chunks: use --loader hdf5-mmap or hdf5", name(facts.storage));
  }
  const bool whole = facts.chunk.size() == facts.extents.size() && facts.chunk.front() > 0 &&
                     std::equal(facts.chunk.begin() + 1, facts.chunk.end(), facts.extents.begin() + 1);
  if (!whole) {
    return fmt::format("its chunks of {} split the samples of {}: use --loader hdf5", extents_text(facts.chunk),
                       extents_text(facts.extents));
  }
  // Other filters come from plug-ins or use the library's own packing (scale-offset, n-bit).
  if (const auto other = std::ranges::find(facts.filters, Hdf5Filter::kOther); other != facts.filters.end()) {
    return fmt::format("its filter '{}' is neither deflate, shuffle nor fletcher32: use --loader hdf5",
                       facts.filter_names[static_cast<std::size_t>(other - facts.filters.begin())]);
  }
  std::vector<Hdf5Filter> left = facts.filters;
  std::erase_if(left, is_shuffle);
  using enum Hdf5Filter;
  const bool usual = left.empty() || left == std::vector{kDeflate} || left == std::vector{kFletcher32} ||
                     left == std::vector{kDeflate, kFletcher32};
  return usual ? ""
               : fmt::format("its filters are in an unusual order ({}): use --loader hdf5",
                             fmt::join(facts.filter_names, ", "));
}

std::unique_ptr<Dataset> open_chunks(DatasetInfo info, Labels labels, std::unique_ptr<Hdf5Dataset> source) {
  return std::make_unique<ChunkedDataset>(std::move(info), std::move(labels), std::move(source));
}

}  // namespace loadline
