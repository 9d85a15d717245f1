#include "loaders/storage/hdf5_writer.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/hdf5_library.h"

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

}  // namespace

struct Hdf5Writer::State {
  Handle file;
  Handle dataset;
  Hdf5Element element = Hdf5Element::kU8;
  std::uint64_t rows = 0;  // appended so far
  std::size_t row_bytes = 0;

  void write(const fs::path& shown, const Hdf5Selection& place, std::span<const std::byte> values) const {
    const hid_t type = element == Hdf5Element::kF32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT8;
    if (H5Dwrite(dataset.id(), type, place.memory.id(), place.file.id(), H5P_DEFAULT, values.data()) < 0) {
      throw hdf5_failure("write", shown, hdf5_last_error());
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
  const std::vector<hsize_t> dims(extents.begin(), extents.end());
  const int rank = static_cast<int>(dims.size());
  const Handle space(H5Screate_simple(rank, dims.data(), nullptr), H5Sclose);
  const Handle properties = new_dataset_properties();
  if (layout.chunk_rows) {
    std::vector<hsize_t> chunk = dims;
    chunk[0] = std::min<hsize_t>(*layout.chunk_rows, dims[0]);
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
}

void Hdf5Writer::append(std::span<const std::byte> rows) {
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
  const bool flushed = H5Fflush(state_->file.id(), H5F_SCOPE_LOCAL) >= 0;
  const std::string why = flushed ? "" : hdf5_last_error();
  if (!flushed) throw hdf5_failure("write", shown_, why);
  if (state_->dataset.valid() && !state_->dataset.close()) throw hdf5_failure("write", shown_, hdf5_last_error());
  if (!state_->file.close()) throw hdf5_failure("write", shown_, hdf5_last_error());
}

}  // namespace loadline
