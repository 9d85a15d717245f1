#include "loaders/storage/hdf5.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "loaders/storage/hdf5_handle.h"
#include "loaders/storage/hdf5_sources.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// While it lives, nothing reaches stderr, of other threads neither: it lives for a millisecond, once.
class Hush {
 public:
  Hush() : stderr_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (stderr_ >= 0 && nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
  }
  Hush(const Hush&) = delete;
  Hush& operator=(const Hush&) = delete;
  ~Hush() {
    if (stderr_ < 0) return;
    ::dup2(stderr_, STDERR_FILENO);
    ::close(stderr_);
  }

 private:
  int stderr_;
};

// Throws Error where the library does not come up: it prints why by itself, in pages, as long as it cannot be told
// otherwise.
void start_library() {
  const Hush hush;
  // At exit the library closes again what could not be closed for want of space, and crashes. All files are closed by
  // whom they were opened.
  H5dont_atexit();
  if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) < 0) {
    throw Error("cannot start the HDF5 library: not enough memory");
  }
}

// One call of the library at a time. Where it sees to that by a lock of its own, this one stands before it all the
// same, as waiting inside the library would look like reading. The state that two calls would spoil is the library's
// own and one for the whole process, and so is the lock.
class Turn {
 public:
  Turn() {
    static std::mutex mutex;
    const InStage waiting(WorkerStage::kLibraryLock);
    lock_ = std::unique_lock(mutex);
    static std::once_flag started;
    std::call_once(started, start_library);
    // The library's default is to print errors, and each thread has a default of its own.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

using Handle = Hdf5Handle;

// What went wrong: the description at the bottom of the library's stack of errors, where it was found.
std::string last_error() {
  std::string text;
  const auto visit = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    auto& found = *static_cast<std::string*>(out);
    if (error->desc != nullptr && *error->desc != '\0') found = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit, &text);
  return hdf5_reason(text);
}

Error failure(std::string_view operation, const fs::path& path, const std::string& why) {
  return Error(fmt::format("cannot {} {}: {}", operation, path.string(), why));
}

Handle open_file(const fs::path& path) {
  refuse_other_than_file("open", path);  // the library would wait for one who writes to a FIFO
  const htri_t is_hdf5 = H5Fis_hdf5(path.c_str());
  if (is_hdf5 == 0) throw failure("open", path, "not an HDF5 file");
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file.valid()) return file;
  const std::string why = last_error();
  if (why.find("lock file") != std::string::npos || why.find("open for write") != std::string::npos) {
    throw failure("open", path,
                  fmt::format("{} (another program has it open for writing, or the file system knows no locks: then "
                              "set HDF5_USE_FILE_LOCKING=FALSE)",
                              why));
  }
  throw failure("open", path, why);
}

// The paths of all datasets, for whoever asked for one that is not there.
std::vector<std::string> dataset_names(hid_t file) {
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* out) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &names, H5O_INFO_BASIC);
  return names;
}

// An external link would lead to another file, whose offsets say nothing of this one: read there, what belongs to the
// dataset is one file again.
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
  throw failure(
      "open", path,
      fmt::format("'{}' in it is an external link{}; name that file instead, or copy what it leads to (h5copy)", name,
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
  // Asked first, so that a missing dataset is told from one that cannot be read.
  const std::vector<std::string> known = dataset_names(file);
  const std::string_view wanted = std::string_view(name).substr(name.starts_with('/') ? 1 : 0);
  if (std::ranges::find(known, wanted) == known.end()) {
    refuse_external_link(file, path, name);
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw failure(
        "open", path,
        fmt::format("no dataset '{}' in it, {}", name, known.empty() ? "nor any other" : "only " + list_of(views)));
  }
  Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) throw failure("open", path, fmt::format("dataset '{}': {}", name, last_error()));
  if (const std::string holder = file_name_of(dataset.id()); holder != file_name_of(file)) {
    throw failure("open", path,
                  fmt::format("dataset '{}' lies in another file, {}: name that one instead", name, holder));
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
    default: return "of a type of its own";
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
    std::size_t values = 0;
    std::array<char, 64> text{};
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr,
                                               text.size(), text.data(), nullptr);
    facts.filters.push_back(filter == H5Z_FILTER_DEFLATE   ? Hdf5Filter::kDeflate
                            : filter == H5Z_FILTER_SHUFFLE ? Hdf5Filter::kShuffle
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

// A selected box, in the file and in memory. Allocates nothing: readers select while the clock runs.
struct Selection {
  Selection(hid_t dataset, std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents)
      : file(H5Dget_space(dataset), H5Sclose) {
    Extents start{};
    Extents counts{};
    std::ranges::copy(origin, start.begin());
    std::ranges::copy(extents, counts.begin());
    select(start, counts, static_cast<int>(extents.size()));
  }

  // Of whole rows.
  Selection(hid_t dataset, std::uint64_t first, std::uint64_t count) : file(H5Dget_space(dataset), H5Sclose) {
    Extents start{};
    Extents counts{};
    const int rank = H5Sget_simple_extent_dims(file.id(), counts.data(), nullptr);
    if (rank < 1) return;
    start[0] = first;
    counts[0] = count;
    select(start, counts, rank);
  }

  Handle file;
  Handle memory;

 private:
  using Extents = std::array<hsize_t, H5S_MAX_RANK>;

  void select(const Extents& start, const Extents& counts, int rank) {
    H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, counts.data(), nullptr);
    memory = Handle(H5Screate_simple(rank, counts.data(), nullptr), H5Sclose);
  }
};

// The number behind `key` in a description; empty where there is none.
std::string_view number_behind(std::string_view description, std::string_view key) {
  const auto found = description.find(key);
  if (found == std::string_view::npos) return "";
  const std::string_view rest = description.substr(found + key.size());
  return rest.substr(0, rest.find_first_not_of("0123456789"));
}

}  // namespace

std::string hdf5_reason(std::string_view description) {
  if (description.empty()) return "the HDF5 library does not say why";
  if (description.starts_with("truncated file")) {
    return fmt::format("truncated file, {} bytes of {}", number_behind(description, "eof = "),
                       number_behind(description, "stored_eof = "));
  }
  // Its own words end where it begins to list variables of the program.
  const std::string_view what = description.substr(0, description.find_first_of(":,\n"));
  constexpr std::string_view kReason = "error message = '";
  if (const auto begin = description.find(kReason); begin != std::string_view::npos) {
    const std::string_view reason = description.substr(begin + kReason.size());
    return fmt::format("{}: {}", what, reason.substr(0, reason.find('\'')));
  }
  return std::string(description.find(" = ") == std::string_view::npos ? description.substr(0, description.find('\n'))
                                                                       : what);
}

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

// Opened with the library's own properties, which is what a training script gets. Its sieve buffer, 64 KiB read around
// every request, makes single rows in random order three times slower than none would; it belongs to the file and not
// to the dataset, and the library shares one file between all who open it, so there is no choosing it for some readers.
// Its cache of decoded chunks, 1 MiB, serves an order that stays near a chunk and no other.
struct Hdf5Dataset::Handles {
  Handle file;
  Handle dataset;
  Handle type;  // as stored: no conversion while reading
};

Hdf5Dataset::Hdf5Dataset(const fs::path& path, const std::string& name) : path_(path) {
  const Turn turn;  // before what must be closed in it, should this fail
  auto opened = std::make_unique<Handles>();
  opened->file = open_file(path);
  opened->dataset = open_dataset(opened->file.id(), path, name);
  opened->type = Handle(H5Dget_type(opened->dataset.id()), H5Tclose);
  facts_ = describe(opened->dataset.id());
  facts_.sources = hdf5_sources(opened->file.id(), opened->dataset.id(), path, name);
  handles_ = std::move(opened);
}

Hdf5Dataset::~Hdf5Dataset() {
  const Turn turn;
  handles_.reset();
}

bool has_hdf5_dataset(const fs::path& path, const std::string& name) {
  const Turn turn;
  const Handle file(H5Fis_hdf5(path.c_str()) > 0 ? H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT) : -1, H5Fclose);
  return file.valid() && H5Lexists(file.id(), name.c_str(), H5P_DEFAULT) > 0;
}

void Hdf5Dataset::read_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                           std::span<std::byte> out) const {
  const Turn turn;
  const Selection box(handles_->dataset.id(), origin, extents);
  std::size_t bytes = facts_.element_bytes;
  for (const std::uint64_t extent : extents) bytes *= extent;
  if (out.size() < bytes) throw failure("read", path_, "the memory for its values is too short");
  if (H5Dread(handles_->dataset.id(), handles_->type.id(), box.memory.id(), box.file.id(), H5P_DEFAULT, out.data()) <
      0) {
    throw failure(
        "read", path_,
        fmt::format("values {} from {}: {}", fmt::join(extents, " x "), fmt::join(origin, ", "), last_error()));
  }
}

void Hdf5Dataset::read_rows(std::uint64_t first, std::uint64_t count, std::span<std::byte> out) const {
  const Turn turn;
  const Selection rows(handles_->dataset.id(), first, count);
  if (out.size() < count * facts_.row_bytes()) throw failure("read", path_, "the memory for its rows is too short");
  if (H5Dread(handles_->dataset.id(), handles_->type.id(), rows.memory.id(), rows.file.id(), H5P_DEFAULT, out.data()) <
      0) {
    throw failure("read", path_, fmt::format("{} rows from row {}: {}", count, first, last_error()));
  }
}

Hdf5Dataset::StoredChunk Hdf5Dataset::read_chunk(std::uint64_t first, std::span<std::byte> out) const {
  const Turn turn;
  std::array<hsize_t, H5S_MAX_RANK> offset{first};
  hsize_t bytes = 0;
  std::uint32_t skipped = 0;
  const hid_t dataset = handles_->dataset.id();
  const auto fail = [&](const std::string& why) {
    return failure("read", path_, fmt::format("the chunk at row {}: {}", first, why));
  };
  if (H5Dget_chunk_storage_size(dataset, offset.data(), &bytes) < 0) throw fail(last_error());
  if (bytes == 0) throw fail("it was never written");
  if (bytes > out.size()) throw fail(fmt::format("it holds {} bytes, more than the {} it should", bytes, out.size()));
  if (H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &skipped, out.data()) < 0) throw fail(last_error());
  return {.bytes = bytes, .skipped = skipped};
}

// Nothing is stored in less than a 1032th of its length (zlib's limit), so that a larger claim is a lie and asks for no
// memory. What lies in other files is believed.
std::size_t Hdf5Dataset::checked_elements() const {
  constexpr double kMostInflation = 1032;
  auto bytes = static_cast<double>(facts_.element_bytes);  // does not wrap
  for (const std::uint64_t extent : facts_.extents) bytes *= static_cast<double>(extent);
  const bool elsewhere = facts_.storage == Hdf5Storage::kExternal || facts_.storage == Hdf5Storage::kVirtual;
  const double most = elsewhere ? 0x1p40 : kMostInflation * static_cast<double>(fs::file_size(path_));
  if (bytes > most) {
    throw failure("read", path_,
                  fmt::format("{} values of {} bytes are more than it can hold", fmt::join(facts_.extents, " x "),
                              facts_.element_bytes));
  }
  std::size_t count = 1;
  for (const std::uint64_t extent : facts_.extents) count *= extent;
  return count;
}

std::vector<std::int32_t> Hdf5Dataset::read_integers() const {
  const Turn turn;
  if (H5Tget_class(handles_->type.id()) != H5T_INTEGER) {
    throw failure("read", path_, fmt::format("labels must be whole numbers, these are {}", facts_.type));
  }
  const std::size_t count = checked_elements();
  std::vector<std::int64_t> wide(count);
  if (count > 0 && H5Dread(handles_->dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0) {
    throw failure("read", path_, last_error());
  }
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (wide[i] < 0 || wide[i] > std::numeric_limits<std::int32_t>::max()) {
      throw failure("read", path_, fmt::format("label {} of sample {} is out of range, want 0 or more", wide[i], i));
    }
    values[i] = static_cast<std::int32_t>(wide[i]);
  }
  return values;
}

std::vector<std::uint64_t> Hdf5Dataset::read_offsets() const {
  const Turn turn;
  if (H5Tget_class(handles_->type.id()) != H5T_INTEGER || facts_.extents.size() != 1) {
    throw failure("read", path_, fmt::format("offsets must be whole numbers in one row, these are {}", facts_.type));
  }
  std::vector<std::uint64_t> values(checked_elements());
  // What is negative comes out as 0, by the library's rule for what does not fit.
  if (!values.empty() &&
      H5Dread(handles_->dataset.id(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    throw failure("read", path_, last_error());
  }
  return values;
}

std::optional<std::uint64_t> Hdf5Dataset::attribute(const std::string& name) const {
  const Turn turn;
  if (H5Aexists(handles_->dataset.id(), name.c_str()) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(handles_->dataset.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  std::uint64_t value = 0;
  if (H5Sget_simple_extent_npoints(space.id()) != 1) return std::nullopt;
  if (H5Aread(attribute.id(), H5T_NATIVE_UINT64, &value) < 0) return std::nullopt;
  return value;
}

struct Hdf5Writer::State {
  Handle file;
  Handle dataset;
  Hdf5Element element = Hdf5Element::kU8;
  std::uint64_t rows = 0;  // appended so far
  std::size_t row_bytes = 0;

  void write(const fs::path& shown, const Selection& place, std::span<const std::byte> values) const {
    const hid_t type = element == Hdf5Element::kF32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT8;
    if (H5Dwrite(dataset.id(), type, place.memory.id(), place.file.id(), H5P_DEFAULT, values.data()) < 0) {
      throw failure("write", shown, last_error());
    }
  }
};

Hdf5Writer::Hdf5Writer(const fs::path& path, fs::path shown)
    : shown_(std::move(shown)), state_(std::make_unique<State>()) {
  const Turn turn;
  const Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Large datasets begin on a page of their own. Wider alignment, to the stripes of a parallel file system say, would
  // leave pages between that nobody reads and that count as missing from the page cache.
  constexpr hsize_t kAlignment = 4096;
  H5Pset_alignment(properties.id(), kAlignment, kAlignment);
  state_->file = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, properties.id()), H5Fclose);
  if (!state_->file.valid()) throw failure("write", shown_, last_error());
}

Hdf5Writer::~Hdf5Writer() {
  const Turn turn;
  state_.reset();
}

void Hdf5Writer::begin(const std::string& name, std::span<const std::uint64_t> extents, const Hdf5Layout& layout) {
  const Turn turn;
  const std::vector<hsize_t> dims(extents.begin(), extents.end());
  const int rank = static_cast<int>(dims.size());
  const Handle space(H5Screate_simple(rank, dims.data(), nullptr), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (layout.chunk_rows) {
    std::vector<hsize_t> chunk = dims;
    chunk[0] = std::min<hsize_t>(*layout.chunk_rows, dims[0]);
    H5Pset_chunk(properties.id(), rank, chunk.data());
    if (layout.gzip_level > 0) H5Pset_deflate(properties.id(), static_cast<unsigned>(layout.gzip_level));
  } else {
    // Only what has its place in the file from the beginning can be mapped; every byte is written, so none is filled.
    H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER);
  }
  const bool floats = layout.element == Hdf5Element::kF32;
  state_->dataset = Handle(H5Dcreate2(state_->file.id(), name.c_str(), floats ? H5T_IEEE_F32LE : H5T_STD_U8LE,
                                      space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                           H5Dclose);
  if (!state_->dataset.valid()) throw failure("write", shown_, last_error());
  state_->element = layout.element;
  state_->rows = 0;
  state_->row_bytes = floats ? sizeof(float) : 1;
  for (const std::uint64_t extent : extents.subspan(1)) state_->row_bytes *= extent;
}

void Hdf5Writer::append(std::span<const std::byte> rows) {
  const Turn turn;
  const std::uint64_t count = rows.size() / state_->row_bytes;
  state_->write(shown_, Selection(state_->dataset.id(), state_->rows, count), rows);
  state_->rows += count;
}

void Hdf5Writer::write_box(std::span<const std::uint64_t> origin, std::span<const std::uint64_t> extents,
                           std::span<const std::byte> values) {
  const Turn turn;
  state_->write(shown_, Selection(state_->dataset.id(), origin, extents), values);
}

void Hdf5Writer::write_offsets(const std::string& name, std::span<const std::uint64_t> offsets) {
  const Turn turn;
  const hsize_t count = offsets.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle dataset(
      H5Dcreate2(state_->file.id(), name.c_str(), H5T_STD_U64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (!dataset.valid() ||
      H5Dwrite(dataset.id(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, offsets.data()) < 0) {
    throw failure("write", shown_, last_error());
  }
}

void Hdf5Writer::write_labels(const std::string& name, std::span<const std::int32_t> labels, std::uint64_t classes) {
  const Turn turn;
  const hsize_t count = labels.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  Handle dataset(
      H5Dcreate2(state_->file.id(), name.c_str(), H5T_STD_I32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(dataset.id(), "classes", H5T_STD_U64LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const bool written = dataset.valid() && attribute.valid() &&
                       H5Dwrite(dataset.id(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels.data()) >= 0 &&
                       H5Awrite(attribute.id(), H5T_NATIVE_UINT64, &classes) >= 0;
  if (!written) throw failure("write", shown_, last_error());
}

void Hdf5Writer::close() {
  const Turn turn;
  const bool flushed = H5Fflush(state_->file.id(), H5F_SCOPE_LOCAL) >= 0;
  const std::string why = flushed ? "" : last_error();
  if (!flushed) throw failure("write", shown_, why);
  if (state_->dataset.valid() && !state_->dataset.close()) throw failure("write", shown_, last_error());
  if (!state_->file.close()) throw failure("write", shown_, last_error());
}

}  // namespace loadline
