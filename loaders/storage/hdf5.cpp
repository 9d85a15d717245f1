#include "loaders/storage/hdf5.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "loaders/storage/hdf5_library.h"
#include "loaders/storage/hdf5_sources.h"
#include "loaders/storage/inflate.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

using Handle = Hdf5Handle;

Handle open_file(const fs::path& path) {
  refuse_other_than_file("open", path);  // the library would wait for the writer of a FIFO
  const htri_t is_hdf5 = H5Fis_hdf5(path.c_str());
  if (is_hdf5 == 0) throw hdf5_failure("open", path, "not an HDF5 file");
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file.valid()) return file;
  const std::string why = hdf5_last_error();
  if (why.find("lock file") != std::string::npos || why.find("open for write") != std::string::npos) {
    throw hdf5_failure("open", path,
                       fmt::format("{} (another program has it open for writing, or the file system has no locks: in "
                                   "that case set HDF5_USE_FILE_LOCKING=FALSE)",
                                   why));
  }
  throw hdf5_failure("open", path, why);
}

// The paths of all datasets, for the message about a missing one.
std::vector<std::string> dataset_names(hid_t file) {
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* out) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &names, H5O_INFO_BASIC);
  return names;
}

// An external link leads to another file, whose offsets mean nothing here. If the user names that file, the dataset
// is one file again.
void refuse_external_link(hid_t file, const fs::path& path, const std::string& name) {
  H5L_info_t info{};
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0 || H5Lget_info(file, name.c_str(), &info, H5P_DEFAULT) < 0)
    return;
  if (info.type != H5L_TYPE_EXTERNAL) return;
  std::vector<char> value(info.u.val_size);
  unsigned flags = 0;
  const char* other_file = nullptr;
  const char* other_name = nullptr;
  const bool told = H5Lget_val(file, name.c_str(), value.data(), value.size(), H5P_DEFAULT) >= 0 &&
                    H5Lunpack_elink_val(value.data(), value.size(), &flags, &other_file, &other_name) >= 0;
  throw hdf5_failure(
      "open", path,
      fmt::format("'{}' in it is an external link{}; name that file instead, or copy its target (h5copy)", name,
                  told ? fmt::format(" to '{}' in {}", other_name, other_file) : ""));
}

// The file that an object lies in, by its name.
std::string file_name_of(hid_t object) {
  const ssize_t size = H5Fget_name(object, nullptr, 0);
  if (size <= 0) return "";
  std::string text(static_cast<std::size_t>(size), '\0');
  H5Fget_name(object, text.data(), text.size() + 1);
  return text;
}

Handle open_dataset(hid_t file, const fs::path& path, const std::string& name) {
  // First, to tell a missing dataset from one that cannot be read.
  const std::vector<std::string> known = dataset_names(file);
  const std::string_view wanted = std::string_view(name).substr(name.starts_with('/') ? 1 : 0);
  if (std::ranges::find(known, wanted) == known.end()) {
    refuse_external_link(file, path, name);
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw hdf5_failure(
        "open", path,
        fmt::format("no dataset '{}' in it, {}", name, known.empty() ? "nor any other" : "only " + list_of(views)));
  }
  Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) throw hdf5_failure("open", path, fmt::format("dataset '{}': {}", name, hdf5_last_error()));
  if (const std::string holder = file_name_of(dataset.id()); holder != file_name_of(file)) {
    throw hdf5_failure("open", path,
                       fmt::format("dataset '{}' is in another file, {}: name that file instead", name, holder));
  }
  return dataset;
}

std::string type_name(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  std::string text;
  switch (kind) {
    case H5T_INTEGER: text = fmt::format("{}{}", H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i', 8 * bytes); break;
    case H5T_FLOAT: text = fmt::format("f{}", 8 * bytes); break;
    case H5T_STRING: return "text";
    case H5T_COMPOUND: return "compound";
    case H5T_VLEN: return "variable-length";
    default: return "of another type";
  }
  if (bytes > 1 && H5Tget_order(type) == H5T_ORDER_BE) text += " big-endian";
  return text;
}

std::vector<std::uint64_t> extents_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank <= 0) return {};
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

Hdf5Storage storage_of(hid_t properties) {
  switch (H5Pget_layout(properties)) {
    case H5D_COMPACT: return Hdf5Storage::kCompact;
    case H5D_CHUNKED: return Hdf5Storage::kChunked;
    case H5D_VIRTUAL: return Hdf5Storage::kVirtual;
    default: return H5Pget_external_count(properties) > 0 ? Hdf5Storage::kExternal : Hdf5Storage::kContiguous;
  }
}

void describe_filters(hid_t properties, Hdf5Facts& facts) {
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    unsigned value = 0;  // the first one, which is the level of deflate
    std::size_t values = 1;
    std::array<char, 64> text{};
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, &value,
                                               text.size(), text.data(), nullptr);
    if (filter == H5Z_FILTER_DEFLATE) facts.gzip_level = value;
    facts.filters.push_back(filter == H5Z_FILTER_DEFLATE      ? Hdf5Filter::kDeflate
                            : filter == H5Z_FILTER_SHUFFLE    ? Hdf5Filter::kShuffle
                            : filter == H5Z_FILTER_FLETCHER32 ? Hdf5Filter::kFletcher32
                                                              : Hdf5Filter::kOther);
    facts.filter_names.emplace_back(text.data()[0] != '\0' ? text.data() : "a filter without a name");
  }
}

Hdf5Facts describe(hid_t dataset) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  Hdf5Facts facts{.extents = extents_of(dataset), .type = type_name(type.id()), .storage = storage_of(properties.id())};
  facts.element_bytes = H5Tget_size(type.id());
  describe_filters(properties.id(), facts);
  if (facts.storage == Hdf5Storage::kChunked) {
    std::vector<hsize_t> chunk(facts.extents.size());
    H5Pget_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data());
    facts.chunk.assign(chunk.begin(), chunk.end());
  }
  if (facts.storage == Hdf5Storage::kContiguous) {
    if (const haddr_t offset = H5Dget_offset(dataset); offset != HADDR_UNDEF) facts.offset_bytes = offset;
  }
  return facts;
}

hsize_t user_block_bytes(hid_t file) {
  const Handle properties(H5Fget_create_plist(file), H5Pclose);
  hsize_t bytes = 0;
  H5Pget_userblock(properties.id(), &bytes);
  return bytes;
}

}  // namespace

std::string_view name(Hdf5Storage storage) {
  switch (storage) {
    case Hdf5Storage::kContiguous: return "contiguous";
    case Hdf5Storage::kChunked: return "chunked";
    case Hdf5Storage::kCompact: return "compact";
    case Hdf5Storage::kExternal: return "in external files";
    case Hdf5Storage::kVirtual: return "virtual";
  }
  return "";
}

std::size_t Hdf5Facts::row_bytes() const {
  std::size_t bytes = element_bytes;
  for (std::size_t i = 1; i < extents.size(); ++i) bytes *= extents[i];
  return bytes;
}

// Opened with the library's default properties, which is what a training script gets. The default sieve buffer reads
// 64 KiB around every request and makes single rows in random order three times slower. It belongs to the file rather
// than the dataset, and the library shares one file between all who open it, so it cannot be chosen per reader. The
// default cache of decoded chunks, 1 MiB, helps only orders that stay near a chunk.
struct Hdf5Dataset::Handles {
  Handle file;
  Handle dataset;
  Handle type;  // as stored: no conversion while reading
};

Hdf5Dataset::Hdf5Dataset(const fs::path& path, const std::string& name) : path_(path) {
  const Hdf5Lock lock;  // declared first: if construction fails, the rest closes under it
  auto opened = std::make_unique<Handles>();
  opened->file = open_file(path);
  opened->dataset = open_dataset(opened->file.id(), path, name);
  opened->type = Handle(H5Dget_type(opened->dataset.id()), H5Tclose);
  facts_ = describe(opened->dataset.id());
  facts_.sources = hdf5_sources(opened->file.id(), opened->dataset.id(), path, name);
  finds_chunks_ = user_block_bytes(opened->file.id()) == 0;
  handles_ = std::move(opened);
}

Hdf5Dataset::~Hdf5Dataset() {
  const Hdf5Lock lock;
  handles_.reset();
}

bool has_hdf5_dataset(const fs::path& path, const std::string& name) {
  const Hdf5Lock lock;
  const Handle file(H5Fis_hdf5(path.c_str()) > 0 ? H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT) : -1, H5Fclose);
  return file.valid() && H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5Dataset::read_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                           std::span<std::byte> out) const {
  const Hdf5Lock lock;
  const Hdf5Selection box(handles_->dataset.id(), origin, extents);
  std::size_t bytes = facts_.element_bytes;
  for (const std::uint64_t extent : extents) bytes *= extent;
  if (out.size() < bytes) throw hdf5_failure("read", path_, "the memory for its values is too short");
  if (H5Dread(handles_->dataset.id(), handles_->type.id(), box.memory.id(), box.file.id(), H5P_DEFAULT, out.data()) <
      0) {
    throw hdf5_failure(
        "read", path_,
        fmt::format("values {} from {}: {}", fmt::join(extents, " x "), fmt::join(origin, ", "), hdf5_last_error()));
  }
}

void Hdf5Dataset::read_rows(std::uint64_t first, std::uint64_t count, std::span<std::byte> out) const {
  const Hdf5Lock lock;
  const Hdf5Selection rows(handles_->dataset.id(), first, count);
  if (out.size() < count * facts_.row_bytes())
    throw hdf5_failure("read", path_, "the memory for its rows is too short");
  if (H5Dread(handles_->dataset.id(), handles_->type.id(), rows.memory.id(), rows.file.id(), H5P_DEFAULT, out.data()) <
      0) {
    throw hdf5_failure("read", path_,
                       fmt::format("{} row{} from row {}: {}", count, count == 1 ? "" : "s", first, hdf5_last_error()));
  }
}

Error Hdf5Dataset::chunk_failure(std::uint64_t first, const std::string& why) const {
  return hdf5_failure("read", path_, fmt::format("the chunk at row {}: {}", first, why));
}

Hdf5Dataset::StoredChunk Hdf5Dataset::find_chunk(std::uint64_t first) const {
  const Hdf5Lock lock;
  const std::array<hsize_t, H5S_MAX_RANK> origin{first};
  hsize_t bytes = 0;
  std::uint32_t skipped = 0;
  haddr_t offset = HADDR_UNDEF;
  if (H5Dget_chunk_info_by_coord(handles_->dataset.id(), origin.data(), &skipped, &offset, &bytes) < 0) {
    throw chunk_failure(first, hdf5_last_error());
  }
  if (offset == HADDR_UNDEF || bytes == 0) throw chunk_failure(first, "it was never written");
  return {.bytes = bytes, .skipped = skipped, .offset_bytes = offset};
}

Hdf5Dataset::StoredChunk Hdf5Dataset::read_chunk(std::uint64_t first, std::span<std::byte> out) const {
  const Hdf5Lock lock;
  const std::array<hsize_t, H5S_MAX_RANK> origin{first};
  hsize_t bytes = 0;
  std::uint32_t skipped = 0;
  const hid_t dataset = handles_->dataset.id();
  if (H5Dget_chunk_storage_size(dataset, origin.data(), &bytes) < 0) throw chunk_failure(first, hdf5_last_error());
  if (bytes == 0) throw chunk_failure(first, "it was never written");
  if (bytes > out.size()) {
    throw chunk_failure(first, fmt::format("it holds {} bytes, more than the {} it should", bytes, out.size()));
  }
  if (H5Dread_chunk(dataset, H5P_DEFAULT, origin.data(), &skipped, out.data()) < 0) {
    throw chunk_failure(first, hdf5_last_error());
  }
  return {.bytes = bytes, .skipped = skipped, .offset_bytes = 0};
}

// Refuses more values than the file can hold, even compressed. Claims about other files are believed.
std::size_t Hdf5Dataset::checked_elements() const {
  auto bytes = static_cast<double>(facts_.element_bytes);  // does not wrap
  for (const std::uint64_t extent : facts_.extents) bytes *= static_cast<double>(extent);
  const bool elsewhere = facts_.storage == Hdf5Storage::kExternal || facts_.storage == Hdf5Storage::kVirtual;
  const double most =
      elsewhere ? 0x1p40 : static_cast<double>(kMostInflation) * static_cast<double>(fs::file_size(path_));
  if (bytes > most) {
    throw hdf5_failure("read", path_,
                       fmt::format("{} values of {} bytes are more than a file can hold",
                                   fmt::join(facts_.extents, " x "), facts_.element_bytes));
  }
  std::size_t count = 1;
  for (const std::uint64_t extent : facts_.extents) count *= extent;
  return count;
}

std::vector<std::int32_t> Hdf5Dataset::read_integers() const {
  const Hdf5Lock lock;
  if (H5Tget_class(handles_->type.id()) != H5T_INTEGER) {
    throw hdf5_failure("read", path_, fmt::format("labels must be whole numbers, but these are {}", facts_.type));
  }
  const std::size_t count = checked_elements();
  // Read as what they are, because the library turns numbers that do not fit into others. Negative ones become large.
  const bool is_signed = H5Tget_sign(handles_->type.id()) == H5T_SGN_2;
  const hid_t type = is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  std::vector<std::uint64_t> wide(count);
  if (count > 0 && H5Dread(handles_->dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0) {
    throw hdf5_failure("read", path_, hdf5_last_error());
  }
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (wide[i] > std::uint64_t{kMost}) {
      const auto label = is_signed ? fmt::format("{}", static_cast<std::int64_t>(wide[i])) : fmt::format("{}", wide[i]);
      throw hdf5_failure("read", path_,
                         fmt::format("label {} of sample {} is out of range, want 0 to {}", label, i, kMost));
    }
    values[i] = static_cast<std::int32_t>(wide[i]);
  }
  return values;
}

std::vector<std::uint64_t> Hdf5Dataset::read_offsets() const {
  const Hdf5Lock lock;
  if (H5Tget_class(handles_->type.id()) != H5T_INTEGER || facts_.extents.size() != 1) {
    throw hdf5_failure("read", path_,
                       fmt::format("offsets must be whole numbers in one row, but these are {}", facts_.type));
  }
  std::vector<std::uint64_t> values(checked_elements());
  // The library converts negative numbers to 0, its rule for values that do not fit.
  if (!values.empty() &&
      H5Dread(handles_->dataset.id(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    throw hdf5_failure("read", path_, hdf5_last_error());
  }
  return values;
}

std::optional<std::uint64_t> Hdf5Dataset::attribute(const std::string& name) const {
  const Hdf5Lock lock;
  if (H5Aexists(handles_->dataset.id(), name.c_str()) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(handles_->dataset.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  std::uint64_t value = 0;
  if (H5Sget_simple_extent_npoints(space.id()) != 1) return std::nullopt;
  if (H5Aread(attribute.id(), H5T_NATIVE_UINT64, &value) < 0) return std::nullopt;
  return value;
}

}  // namespace loadline
