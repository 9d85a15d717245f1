// Any bytes as the files of a dataset, and any description of an HDF5 dataset: an Error refuses them, or they are
// opened and read to the end, twice the same, and the same in every way of reading the samples. Nothing else may
// happen. The library writes the HDF5 files from the description, which then says which of their bytes to change, above
// all the addresses of datasets. The library itself does not withstand arbitrary bytes. So it first reads a changed
// file alone, in a separate process; if that crashes or never ends, the fault is not ours.
//
// The first byte selects the format (datasets_files.h); the next two say how many of the others are the first file.
#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/datasets/dataset.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/tokens.h"
#include "loaders/error.h"
#include "tests/fuzz/datasets_files.h"
#include "tests/loaders/support/files.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using Input = std::span<const std::uint8_t>;

// In memory if possible, where it costs least to write small files.
const fs::path& directory() {
  static const fs::path kMemory = "/dev/shm";
  if (fs::is_directory(kMemory)) ::setenv("TMPDIR", kMemory.c_str(), 1);
  static const test::TemporaryDirectory kOwn;
  return kOwn.path();
}

std::string text(Input bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Callers rely on this, so a format must not leave it unset.
void check_description(const DatasetInfo& info, const DatasetOptions& options) {
  const bool named = options.format == "auto" || info.format == options.format;
  if (!named || info.samples == 0 || info.files.empty() || info.stored_bytes == 0) std::abort();
}

// The fingerprint of the dataset; nothing if it is refused.
std::optional<std::uint64_t> read(const fs::path& path, const DatasetOptions& options) {
  try {
    const auto dataset = open_dataset(path, options);
    check_description(dataset->info(), options);
    return content_fingerprint(*dataset);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Reads the dataset twice from storage and once from memory, with equal results; returns whether it could be read.
bool read_twice(const fs::path& path, const DatasetOptions& options) {
  DatasetOptions in_memory = options;
  in_memory.in_memory = true;
  const auto first = read(path, options);
  if (first != read(path, options) || first != read(path, in_memory)) std::abort();
  return first.has_value();
}

// All samples of tokens, one after the other; nothing if the dataset is refused.
std::optional<std::vector<std::int32_t>> cut(const fs::path& path, const DatasetOptions& options) {
  try {
    const auto dataset = open_dataset(path, options);
    const TokenAssembler assembler(*dataset->as_tokens(), 1);
    BatchPool pool(1, 1, assembler.sample_bytes());
    const Batch batch = pool.acquire();
    batch->count = 1;
    const auto filler = assembler.make_filler(1);
    std::vector<std::int32_t> all;
    for (std::size_t i = 0; i < dataset->info().samples; ++i) {
      batch->indices[0] = static_cast<SampleIndex>(i);
      filler->fill(*batch, Stores::kCached);
      const auto* first = reinterpret_cast<const std::int32_t*>(batch->data.data());
      all.insert(all.end(), first, first + assembler.sample_bytes() / sizeof(std::int32_t));
    }
    return all;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void cut_twice(const fs::path& path, const DatasetOptions& options) {
  DatasetOptions in_memory = options;
  in_memory.in_memory = true;
  if (cut(path, options) != cut(path, in_memory)) std::abort();
}

bool read_files(const test::FuzzedFiles& files, Input input) {
  if (input.size() < 2) return false;
  const std::size_t first = std::min<std::size_t>(input[0] | unsigned{input[1]} << 8U, input.size() - 2);
  const fs::path home = directory() / "files";
  fs::remove_all(home);
  test::write(home / files.names[0], text(input.subspan(2, first)));
  test::write(home / files.names[1], text(input.subspan(2 + first)));
  const bool alone = read_twice(home / files.names[0], {.format = files.format});
  if (files.format == std::string_view("tokens")) {
    for (const auto sequences : {Sequences::kRandom, Sequences::kConsecutive, Sequences::kDocuments}) {
      cut_twice(home, {.format = files.format, .sequence_length = 1 + input[0] % 8U, .sequences = sequences});
    }
  }
  return read_twice(home, {.format = files.format}) || alone;
}

// ---- HDF5

// Reads a description byte by byte; zeros follow its end.
class Description {
 public:
  explicit Description(Input bytes) : bytes_(bytes) {}

  unsigned below(unsigned bound) {
    const unsigned byte = at_ < bytes_.size() ? bytes_[at_++] : 0;
    return byte % bound;
  }

 private:
  Input bytes_;
  std::size_t at_ = 0;
};

// Writes a dataset; returns its address in the file if it lies in one piece.
haddr_t put_dataset(hid_t file, const char* name, Description& description) {
  haddr_t address = HADDR_UNDEF;
  const std::array types{H5T_STD_U8LE,  H5T_STD_I8LE,   H5T_STD_U16LE,  H5T_STD_I32BE,
                         H5T_STD_U64LE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE};
  const hid_t type = types.at(description.below(types.size()));
  std::array<hsize_t, 5> extents{};
  std::array<hsize_t, 5> chunk{};
  const unsigned rank = description.below(6);
  for (unsigned i = 0; i < rank; ++i) extents.at(i) = description.below(6);
  const hid_t space =
      rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(rank), extents.data(), nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  switch (description.below(4)) {
    case 0: break;  // contiguous
    case 1: H5Pset_layout(properties, H5D_COMPACT); break;
    default:
      for (unsigned i = 0; i < rank; ++i) chunk.at(i) = 1 + description.below(5);
      if (rank > 0) H5Pset_chunk(properties, static_cast<int>(rank), chunk.data());
      if (description.below(2) == 1) H5Pset_shuffle(properties);
      if (description.below(2) == 1) H5Pset_deflate(properties, description.below(10));
      if (description.below(4) == 1) H5Pset_fletcher32(properties);
  }
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (dataset >= 0) {
    std::vector<std::int64_t> values(6 * 6 * 6 * 6 * 6);
    const unsigned least = description.below(256);  // minus 8
    const unsigned period = 1 + description.below(255);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(least + i % period) - 8;
    if (description.below(8) != 0) H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    if (description.below(2) == 1) {
      const hid_t scalar = H5Screate(H5S_SCALAR);
      const hid_t attribute = H5Acreate2(dataset, "classes", H5T_STD_U64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
      const std::uint64_t classes = description.below(256);
      H5Awrite(attribute, H5T_NATIVE_UINT64, &classes);
      H5Aclose(attribute);
      H5Sclose(scalar);
    }
    address = H5Dget_offset(dataset);
    H5Dclose(dataset);
  }
  H5Pclose(properties);
  H5Sclose(space);
  return address;
}

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xffU);
  return out;
}

// Numbers at which sums wrap or signs change, and the length of the file.
std::uint64_t telling(unsigned which, std::uint64_t file_bytes) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const std::array numbers{kAll - 1,         kAll,
                           kAll - 7,         kAll - 4095,
                           kAll >> 1U,       (kAll >> 1U) + 1,
                           kAll >> 32U,      std::uint64_t{0},
                           std::uint64_t{1}, file_bytes,
                           file_bytes - 1,   std::uint64_t{1} << 40U};
  return numbers.at(which % numbers.size());
}

// Changes bytes of the file as the description says; returns whether there was anything to change.
bool change_bytes(const fs::path& path, std::span<const haddr_t> addresses, Description& description) {
  const unsigned changes = description.below(4);
  if (changes == 0) return false;
  std::string bytes = test::bytes_of(path);
  for (unsigned i = 0; i < changes; ++i) {
    const std::size_t width = std::size_t{1} << description.below(4);
    const std::uint64_t value = telling(description.below(12), bytes.size());
    const unsigned target = description.below(2 + static_cast<unsigned>(addresses.size()));
    std::size_t at = (description.below(256) << 8U | description.below(256)) % bytes.size();
    std::size_t length = width;
    if (target >= 2) {
      const std::size_t found = bytes.find(little_endian(addresses[target - 2], 8));
      if (found == std::string::npos) continue;
      at = found + (width == 8 ? 0 : width == 4 ? 8 : 0);  // the address, or the length after it
      length = 8;
    }
    const std::string changed = little_endian(value, length);
    bytes.replace(at, std::min(length, bytes.size() - at), changed, 0, std::min(length, bytes.size() - at));
  }
  test::write(path, bytes);
  return true;
}

// ---- what the library withstands

constexpr std::array kNames{"images", "labels", "other", "encoded", "offsets", "Nbody", "Hydro"};
constexpr hssize_t kMostValues = 1 << 16;  // more take longer and show nothing new

void read_chunks(hid_t dataset, hid_t properties, std::span<const hsize_t> extents) {
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  if (H5Pget_chunk(properties, static_cast<int>(extents.size()), chunk.data()) < 0 || chunk[0] == 0) return;
  std::vector<std::byte> bytes(std::size_t{1} << 20U);
  std::array<hsize_t, H5S_MAX_RANK> at{};
  for (; at[0] < extents[0]; at[0] += chunk[0]) {
    hsize_t stored = 0;
    std::uint32_t skipped = 0;
    if (H5Dget_chunk_storage_size(dataset, at.data(), &stored) < 0 || stored > bytes.size()) continue;
    H5Dread_chunk(dataset, H5P_DEFAULT, at.data(), &skipped, bytes.data());
  }
}

void read_values(hid_t dataset, hid_t type, hid_t space, std::span<const hsize_t> extents, hssize_t values) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(values) * std::max<std::size_t>(H5Tget_size(type), 8));
  H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  std::vector<hsize_t> start(extents.size());
  std::vector<hsize_t> counts(extents.begin(), extents.end());
  counts[0] = 1;
  for (; start[0] < extents[0]; ++start[0]) {
    const hid_t memory = H5Screate_simple(static_cast<int>(counts.size()), counts.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, counts.data(), nullptr);
    H5Dread(dataset, type, memory, space, H5P_DEFAULT, bytes.data());
    H5Sclose(memory);
  }
}

// Makes the calls that our code makes to the library, without our code. Returns whether every dataset is small enough
// to be read in a moment.
bool read_by_library(const fs::path& path) {
  bool small = true;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return small;
  const auto visit = [](hid_t, const char*, const H5O_info_t*, void*) -> herr_t { return 0; };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, nullptr, H5O_INFO_BASIC);
  for (const char* name : kNames) {
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) continue;
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0) continue;
    const hid_t type = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    const hid_t properties = H5Dget_create_plist(dataset);
    H5Dget_offset(dataset);
    H5Pget_external_count(properties);
    for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
      unsigned flags = 0;
      std::size_t count = 0;
      std::array<char, 64> text{};
      H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &count, nullptr, text.size(), text.data(), nullptr);
    }
    if (H5Aexists(dataset, "classes") > 0) {
      const hid_t attribute = H5Aopen(dataset, "classes", H5P_DEFAULT);
      const hid_t points = H5Aget_space(attribute);
      std::uint64_t value = 0;
      if (H5Sget_simple_extent_npoints(points) == 1) H5Aread(attribute, H5T_NATIVE_UINT64, &value);
      H5Sclose(points);
      H5Aclose(attribute);
    }
    const int rank = H5Sget_simple_extent_ndims(space);
    const hssize_t values = H5Sget_simple_extent_npoints(space);
    const bool few = values >= 0 && values <= kMostValues && H5Tget_size(type) <= 64;
    small = small && few;
    if (rank > 0 && few) {
      std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
      H5Sget_simple_extent_dims(space, extents.data(), nullptr);
      if (values > 0) read_values(dataset, type, space, extents, values);
      if (H5Pget_layout(properties) == H5D_CHUNKED && values > 0) read_chunks(dataset, properties, extents);
    }
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
  }
  H5Fclose(file);
  return small;
}

enum class Withstood { kAll, kOpening, kNothing };

// Reads the file in a separate process, which may use a second of CPU time.
Withstood withstood_by_library(const fs::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit second{.rlim_cur = 1, .rlim_max = 1};
    ::setrlimit(RLIMIT_CPU, &second);
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // The fuzzer's handlers would report the crash as ours.
    for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) std::signal(signal, SIG_DFL);
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    ::_exit(read_by_library(path) ? 0 : 2);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return Withstood::kNothing;
  return WEXITSTATUS(status) == 0   ? Withstood::kAll
         : WEXITSTATUS(status) == 2 ? Withstood::kOpening
                                    : Withstood::kNothing;
}

// Different ways of reading a changed file may give different results: some look at bytes that others ignore.
void read_changed(const fs::path& path) {
  const Withstood withstood = withstood_by_library(path);
  if (withstood == Withstood::kNothing) return;
  if (read(path, {.access = Access::kMapped}) != read(path, {.access = Access::kMapped})) std::abort();
  if (withstood == Withstood::kOpening) return;
  for (const auto access : {Access::kRows, Access::kBlocks, Access::kChunks}) read(path, {.access = access});
}

bool read_hdf5(Input input) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Description description(input);
  const fs::path path = directory() / "data.h5";
  // A new file each time: the library may keep a damaged one open, and then cannot create another in its place.
  fs::remove(path);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return false;
  constexpr std::array<std::array<const char*, 3>, 3> kSets{
      {{"images", "labels", "other"}, {"encoded", "offsets", "labels"}, {"Nbody", "Hydro", "labels"}}};
  std::vector<haddr_t> addresses;
  for (const char* name : kSets.at(description.below(3))) {
    const haddr_t address = put_dataset(file, name, description);
    if (address != HADDR_UNDEF) addresses.push_back(address);
  }
  H5Fclose(file);
  if (change_bytes(path, addresses, description)) {
    read_changed(path);
    return true;
  }
  std::optional<std::uint64_t> fingerprint;
  for (const auto access : {std::optional<Access>(), std::optional(Access::kMapped), std::optional(Access::kRows),
                            std::optional(Access::kBlocks), std::optional(Access::kChunks)}) {
    const auto found = read(path, {.access = access});
    if (found && fingerprint && *found != *fingerprint) std::abort();
    if (found) fingerprint = found;
  }
  return fingerprint.has_value();
}

}  // namespace
}  // namespace loadline

// The library leaks what it has read of a file when it refuses the rest.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the leak sanitizer's name
extern "C" const char* __lsan_default_suppressions();
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// NOLINTNEXTLINE(readability-identifier-naming)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline;
  if (size == 0) return -1;
  const Input input(data + 1, size - 1);
  const std::size_t row = data[0] % (test::kFuzzedHdf5 + 1U);
  const bool was_read = row == test::kFuzzedHdf5 ? read_hdf5(input) : read_files(test::kFuzzedFiles.at(row), input);
  return was_read ? 0 : -1;
}
