// Any bytes as the files of a dataset, and any description as that of an HDF5 dataset: refused by an Error, or opened
// and read to the end, twice the same, and the same in every way of getting at the samples. Nothing else may come of
// them. HDF5 files are written by the library from the description, since the library itself does not withstand any
// bytes.
//
// The first byte says which format; the next two, how many of the others are the first file.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/error.h"
#include "tests/loaders/support/files.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using Input = std::span<const std::uint8_t>;

// Files are small, and so they are written where that costs least.
const fs::path& directory() {
  static const fs::path memory = "/dev/shm";
  if (fs::is_directory(memory)) ::setenv("TMPDIR", memory.c_str(), 1);
  static const test::TemporaryDirectory own;
  return own.path();
}

std::string text(Input bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What is read of it; nothing where it is refused.
std::optional<std::uint64_t> read(const fs::path& path, const DatasetOptions& options) {
  try {
    return content_fingerprint(*open_dataset(path, options));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether it was read at all.
bool read_twice(const fs::path& path, const DatasetOptions& options) {
  DatasetOptions in_memory = options;
  in_memory.in_memory = true;
  const auto first = read(path, options);
  if (first != read(path, options) || first != read(path, in_memory)) std::abort();
  return first.has_value();
}

struct Names {
  const char* format;
  std::array<const char*, 2> files;  // the second one may be missing
};

constexpr std::array kFormats{
    Names{"idx", {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"}},
    Names{"idx", {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"}},
    Names{"cifar10", {"data_batch_1.bin", "data_batch_2.bin"}},
    Names{"cifar100", {"train.bin", "test.bin"}},
    Names{"volume", {"Nbody.npy", "Hydro.npy"}},
};

bool read_files(const Names& names, Input input) {
  if (input.size() < 2) return false;
  const std::size_t first = std::min<std::size_t>(input[0] | input[1] << 8U, input.size() - 2);
  const fs::path home = directory() / "files";
  fs::remove_all(home);
  test::write(home / names.files[0], text(input.subspan(2, first)));
  test::write(home / names.files[1], text(input.subspan(2 + first)));
  read_twice(home / names.files[0], {.format = names.format});
  return read_twice(home, {.format = names.format});
}

// ---- HDF5

// Takes a description apart, byte by byte; zeros follow its end.
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

void put_dataset(hid_t file, const char* name, Description& description) {
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
    H5Dclose(dataset);
  }
  H5Pclose(properties);
  H5Sclose(space);
}

bool read_hdf5(Input input) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Description description(input);
  const fs::path path = directory() / "data.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  constexpr std::array<std::array<const char*, 3>, 3> kNames{
      {{"images", "labels", "other"}, {"encoded", "offsets", "labels"}, {"Nbody", "Hydro", "labels"}}};
  for (const char* name : kNames.at(description.below(3))) put_dataset(file, name, description);
  H5Fclose(file);
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

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// NOLINTNEXTLINE(readability-identifier-naming)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline;
  if (size == 0) return -1;
  const Input input(data + 1, size - 1);
  const std::size_t kind = data[0] % (kFormats.size() + 1);
  const bool was_read = kind < kFormats.size() ? read_files(kFormats.at(kind), input) : read_hdf5(input);
  return was_read ? 0 : -1;
}
