// The formats of the target `datasets`, by the names of their files.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace loadline::test {

struct FuzzedFiles {
  const char* format;
  // The second one identifies the row (fuzzed_row()), and may be empty. For a format of one file it is any name that no
  // other row has; the seeds leave that file empty.
  std::array<const char*, 2> names;
};

// The first byte of an input selects a row, or HDF5, which the target writes itself.
inline constexpr std::array kFuzzedFiles{
    FuzzedFiles{"idx", {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"}},
    FuzzedFiles{"idx", {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"}},
    FuzzedFiles{"cifar10", {"data_batch_1.bin", "data_batch_2.bin"}},
    FuzzedFiles{"cifar100", {"train.bin", "test.bin"}},
    FuzzedFiles{"volume", {"Nbody.npy", "Hydro.npy"}},
    FuzzedFiles{"tokens", {"train.bin", "train.idx"}},
    FuzzedFiles{"webdataset", {"a.tar", "b.tar"}},
    FuzzedFiles{"tfrecord", {"a.tfrecord", "b.tfrecord"}},
    FuzzedFiles{"npy", {"images.npy", "labels.npy"}},
    FuzzedFiles{"npy", {"a.npz", "b.npz"}},
};
inline constexpr std::uint8_t kFuzzedHdf5 = kFuzzedFiles.size();

// The number of the row whose second file has this name. The compiler refuses a name that no row has.
consteval std::uint8_t fuzzed_row(std::string_view second) {
  const auto* const row =
      std::ranges::find_if(kFuzzedFiles, [&](const FuzzedFiles& one) { return one.names[1] == second; });
  if (row == kFuzzedFiles.end()) throw "no row has a file of this name";
  return static_cast<std::uint8_t>(row - kFuzzedFiles.begin());
}

}  // namespace loadline::test
