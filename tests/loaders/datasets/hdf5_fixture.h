// A file that the HDF5 library itself writes, not our own writer, and what opening it says.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline::test {

namespace fs = std::filesystem;
using Hdf5Extents = std::vector<hsize_t>;
using Hdf5Setting = std::function<void(hid_t properties)>;

class Hdf5 : public testing::Test {
 protected:
  // Creates dataset `name`, whose elements count up from 0 modulo 256.
  void put(const std::string& name, const Hdf5Extents& extents, hid_t type = H5T_STD_U8LE,
           const Hdf5Setting& set = {}) const {
    const hid_t file = fs::exists(path_) ? H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                         : H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (set) set(properties);
    const hid_t dataset = H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    std::vector<std::uint8_t> values;
    for (hssize_t i = 0; i < H5Sget_simple_extent_npoints(space); ++i) values.push_back(static_cast<std::uint8_t>(i));
    if (H5Pget_layout(properties) != H5D_VIRTUAL && !values.empty()) {
      H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
    H5Fclose(file);
  }

  // Creates dataset `name` of one extent, and writes nothing to it.
  void claim(const std::string& name, hsize_t extent, hid_t type, const Hdf5Setting& set) const {
    const hid_t file = fs::exists(path_) ? H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                         : H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    set(properties);
    H5Dclose(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
    H5Sclose(space);
    H5Fclose(file);
  }

  std::unique_ptr<Dataset> open(std::optional<Access> access = {}) const {
    return open_dataset(path_, {.access = access});
  }
  Thrown refusal(DatasetOptions options = {}) const {
    return thrown_by([&] { open_dataset(path_, options); });
  }
  // Returns what `refusal` says after "cannot open" and the path.
  std::string refused(std::optional<Access> access = {}) const {
    const std::string message = refusal({.access = access}).message;
    const std::string start = "cannot open " + path_.string() + ": ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
  }

  const TemporaryDirectory home_;
  const fs::path path_ = home_ / "data.h5";
};

// Addresses beyond the end of the file, and near the largest integer, where sums wrap.
inline constexpr std::array<std::uint64_t, 5> kImpossibleAddresses{std::uint64_t{1} << 40U, ~std::uint64_t{0} - 1,
                                                                   ~std::uint64_t{0} - 5, ~std::uint64_t{0} - 11,
                                                                   ~std::uint64_t{0} - 4095};

}  // namespace loadline::test
