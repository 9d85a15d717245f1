#include "loaders/storage/hdf5_writer.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/hdf5_library.h"
#include "loaders/system/affinity.h"
#include "loaders/system/parallel.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

using Handle = Hdf5Handle;

// The properties of a new dataset. Without the time at which it was made, equal contents make equal files.
Handle new_dataset_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties.id(), false);
  return properties;
}

// Replaces `out` by `chunk` as the library's own filter would store it: by zlib even if libdeflate is there, so that a
// file does not depend on the build and a level means what it means to others.
void deflate_chunk(std::span<const std::byte> chunk, int level, std::vector<std::byte>& out) {
  uLongf size = compressBound(chunk.size());
  out.resize(size);
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(chunk.data()), chunk.size(), level);
  if (status != Z_OK) throw std::bad_alloc();  // it can fail in no other way
  out.resize(size);
}

// Compresses the chunks of a dataset, several at once. The library would compress them one by one, under its lock.
class ChunkDeflater {
 public:
  struct Sizes {
    std::size_t chunk_bytes;
    std::uint64_t chunks;
    std::uint64_t dataset_bytes;
  };

  ChunkDeflater(const Sizes& sizes, int level, std::size_t threads)
      : chunk_bytes_(sizes.chunk_bytes), left_(sizes.dataset_bytes), level_(level), threads_(threads) {
    deflated_.resize(std::min<std::uint64_t>(chunks_at_once(chunk_bytes_, threads), sizes.chunks));
    rows_.reserve(deflated_.size() * chunk_bytes_);
  }

  // Takes as many bytes from the front of `rows`, at most left(), as there is room for. Returns the others.
  std::span<const std::byte> take(std::span<const std::byte> rows) {
    const std::size_t count = std::min(rows.size(), deflated_.size() * chunk_bytes_ - rows_.size());
    rows_.insert(rows_.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
    left_ -= count;
    return rows.subspan(count);
  }
  // Bytes of the dataset that were not taken yet.
  std::uint64_t left() const { return left_; }
  // Whether no room is left or the dataset has no more rows.
  bool ready() const { return left_ == 0 || rows_.size() == deflated_.size() * chunk_bytes_; }

  // Compresses all that was taken. The result lasts until the next call.
  std::span<const std::vector<std::byte>> deflate() {
    const std::size_t count = (rows_.size() + chunk_bytes_ - 1) / chunk_bytes_;
    rows_.resize(count * chunk_bytes_);  // the last chunk is stored whole too, padded with the fill value, 0
    in_parallel(count, threads_, [&](std::size_t /*worker*/, std::size_t i) {
      deflate_chunk(std::span(rows_).subspan(i * chunk_bytes_, chunk_bytes_), level_, deflated_[i]);
    });
    rows_.clear();
    return std::span(deflated_).first(count);
  }

 private:
  std::size_t chunk_bytes_;
  std::uint64_t left_;
  int level_;
  std::size_t threads_;
  std::vector<std::byte> rows_;
  std::vector<std::vector<std::byte>> deflated_;  // chunk by chunk, as many as are compressed at once
};

}  // namespace

std::size_t chunks_at_once(std::size_t chunk_bytes, std::size_t threads) {
  // Starting threads takes longer than compressing a few small chunks.
  constexpr std::size_t kOfOneThread = std::size_t{1} << 20;
  constexpr std::size_t kAtMost = std::size_t{256} << 20;
  const std::size_t wanted = threads * std::max<std::size_t>(kOfOneThread / chunk_bytes, 1);
  return std::clamp<std::size_t>(kAtMost / chunk_bytes, 1, wanted);
}

struct Hdf5Writer::State {
  Handle file;
  Handle dataset;
  Hdf5Element element = Hdf5Element::kU8;
  std::uint64_t rows = 0;  // written so far
  std::size_t row_bytes = 0;
  std::uint64_t chunk_rows = 0;
  std::optional<ChunkDeflater> deflater;  // of compressed chunks

  void write(const fs::path& shown, const Hdf5Selection& place, std::span<const std::byte> values) const {
    const hid_t type = element == Hdf5Element::kF32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT8;
    if (H5Dwrite(dataset.id(), type, place.memory.id(), place.file.id(), H5P_DEFAULT, values.data()) < 0) {
      throw hdf5_failure("write", shown, hdf5_last_error());
    }
  }

  void append_deflated(const fs::path& shown, std::span<const std::byte> values) {
    // The library would write chunks beyond the last one.
    if (values.size() > deflater->left()) throw hdf5_failure("write", shown, "too many rows");
    while (!values.empty()) {
      values = deflater->take(values);
      if (deflater->ready()) write_chunks(shown, deflater->deflate());
    }
  }

  // Rows that still wait for others would be missing from the file.
  void check_all_deflated(const fs::path& shown) const {
    if (deflater && deflater->left() > 0) throw hdf5_failure("write", shown, "too few rows");
  }

  void write_chunks(const fs::path& shown, std::span<const std::vector<std::byte>> chunks) {
    constexpr std::uint32_t kNoFilterSkipped = 0;
    const Hdf5Lock lock;
    for (const auto& chunk : chunks) {
      std::array<hsize_t, H5S_MAX_RANK> origin{};
      origin[0] = rows;
      if (H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, kNoFilterSkipped, origin.data(), chunk.size(), chunk.data()) < 0) {
        throw hdf5_failure("write", shown, hdf5_last_error());
      }
      rows += chunk_rows;
    }
  }
};

Hdf5Writer::Hdf5Writer(const fs::path& path, fs::path shown)
    : shown_(std::move(shown)), state_(std::make_unique<State>()) {
  const Hdf5Lock lock;
  const Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Large datasets begin on their own page. Wider alignment, for instance to the stripes of a parallel file system,
  // would leave pages between them that nobody reads and that count as missing from the page cache.
  constexpr hsize_t kAlignment = 4096;
  H5Pset_alignment(properties.id(), kAlignment, kAlignment);
  state_->file = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, properties.id()), H5Fclose);
  if (!state_->file.valid()) throw hdf5_failure("write", shown_, hdf5_last_error());
}

Hdf5Writer::~Hdf5Writer() {
  const Hdf5Lock lock;
  state_.reset();
}

void Hdf5Writer::begin(const std::string& name, std::span<const std::uint64_t> extents, const Hdf5Layout& layout) {
  const Hdf5Lock lock;
  state_->check_all_deflated(shown_);
  const std::vector<hsize_t> dims(extents.begin(), extents.end());
  const int rank = static_cast<int>(dims.size());
  const Handle space(H5Screate_simple(rank, dims.data(), nullptr), H5Sclose);
  const Handle properties = new_dataset_properties();
  if (layout.chunk_rows) {
    state_->chunk_rows = std::min(*layout.chunk_rows, extents[0]);
    std::vector<hsize_t> chunk = dims;
    chunk[0] = state_->chunk_rows;
    H5Pset_chunk(properties.id(), rank, chunk.data());
    if (layout.gzip_level > 0) H5Pset_deflate(properties.id(), static_cast<unsigned>(layout.gzip_level));
  } else {
    // Data can be mapped only if its space is allocated from the beginning; every byte is written, so none is filled.
    H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER);
  }
  const bool floats = layout.element == Hdf5Element::kF32;
  state_->dataset = Handle(H5Dcreate2(state_->file.id(), name.c_str(), floats ? H5T_IEEE_F32LE : H5T_STD_U8LE,
                                      space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                           H5Dclose);
  if (!state_->dataset.valid()) throw hdf5_failure("write", shown_, hdf5_last_error());
  state_->element = layout.element;
  state_->rows = 0;
  state_->row_bytes = floats ? sizeof(float) : 1;
  for (const std::uint64_t extent : extents.subspan(1)) state_->row_bytes *= extent;
  state_->deflater.reset();
  if (layout.chunk_rows && layout.gzip_level > 0) {
    const std::size_t threads = layout.threads > 0 ? layout.threads : std::max<std::size_t>(affinity_cpus().size(), 1);
    state_->deflater.emplace(ChunkDeflater::Sizes{.chunk_bytes = state_->chunk_rows * state_->row_bytes,
                                                  .chunks = (extents[0] + state_->chunk_rows - 1) / state_->chunk_rows,
                                                  .dataset_bytes = extents[0] * state_->row_bytes},
                             layout.gzip_level, threads);
  }
}

void Hdf5Writer::append(std::span<const std::byte> rows) {
  if (state_->deflater) return state_->append_deflated(shown_, rows);
  const Hdf5Lock lock;
  const std::uint64_t count = rows.size() / state_->row_bytes;
  state_->write(shown_, Hdf5Selection(state_->dataset.id(), state_->rows, count), rows);
  state_->rows += count;
}

void Hdf5Writer::write_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                           std::span<const std::byte> values) {
  const Hdf5Lock lock;
  state_->write(shown_, Hdf5Selection(state_->dataset.id(), origin, extents), values);
}

void Hdf5Writer::write_offsets(const std::string& name, std::span<const std::uint64_t> offsets) {
  const Hdf5Lock lock;
  const hsize_t count = offsets.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle properties = new_dataset_properties();
  const Handle dataset(
      H5Dcreate2(state_->file.id(), name.c_str(), H5T_STD_U64LE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
      H5Dclose);
  if (!dataset.valid() ||
      H5Dwrite(dataset.id(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, offsets.data()) < 0) {
    throw hdf5_failure("write", shown_, hdf5_last_error());
  }
}

void Hdf5Writer::write_labels(const std::string& name, std::span<const std::int32_t> labels, std::uint64_t classes) {
  const Hdf5Lock lock;
  const hsize_t count = labels.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle properties = new_dataset_properties();
  const Handle dataset(
      H5Dcreate2(state_->file.id(), name.c_str(), H5T_STD_I32LE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
      H5Dclose);
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(dataset.id(), "classes", H5T_STD_U64LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const bool written = dataset.valid() && attribute.valid() &&
                       H5Dwrite(dataset.id(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels.data()) >= 0 &&
                       H5Awrite(attribute.id(), H5T_NATIVE_UINT64, &classes) >= 0;
  if (!written) throw hdf5_failure("write", shown_, hdf5_last_error());
}

void Hdf5Writer::close() {
  const Hdf5Lock lock;
  state_->check_all_deflated(shown_);
  const bool flushed = H5Fflush(state_->file.id(), H5F_SCOPE_LOCAL) >= 0;
  const std::string why = flushed ? "" : hdf5_last_error();
  if (!flushed) throw hdf5_failure("write", shown_, why);
  if (state_->dataset.valid() && !state_->dataset.close()) throw hdf5_failure("write", shown_, hdf5_last_error());
  if (!state_->file.close()) throw hdf5_failure("write", shown_, hdf5_last_error());
}

}  // namespace loadline
