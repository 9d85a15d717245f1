// Datasets whose values lie in other files: virtual ones, external storage and external links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "tests/loaders/datasets/hdf5_fixture.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/samples.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::Hdf5;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;
using Extents = test::Hdf5Extents;

// While it lives, the process works there.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const fs::path& there) : before_(fs::current_path()) { fs::current_path(there); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;
  ~WorkingDirectory() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }

 private:
  fs::path before_;
};

TEST_F(Hdf5, RefusesToMapVirtualAndExternalStorage) {
  put("images", {3, 1, 2, 2}, H5T_STD_U8LE,
      [this](hid_t properties) { H5Pset_external(properties, (home_ / "elsewhere.bin").c_str(), 0, H5F_UNLIMITED); });
  put("labels", {3});
  EXPECT_THAT(refused(Access::kMapped), HasSubstr("its storage is in external files, which cannot be mapped"));
  fs::remove(path_);
  put("source", {3, 1, 2, 2});
  put("images", {3, 1, 2, 2}, H5T_STD_U8LE, [](hid_t properties) {
    const Extents extents{3, 1, 2, 2};
    const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
    H5Pset_virtual(properties, space, ".", "source", space);
    H5Sclose(space);
  });
  put("labels", {3});
  EXPECT_THAT(refused(Access::kMapped), HasSubstr("its storage is virtual, which cannot be mapped"));
  EXPECT_EQ(test::sample_of(*open(), 2), (Bytes{8, 9, 10, 11})) << "which the library reads";
}

TEST_F(Hdf5, RefusesAVirtualDatasetWithoutItsSource) {
  const fs::path source = home_ / "source.h5";
  put("images", {3, 1, 2, 2});
  fs::rename(path_, source);
  put("images", {3, 1, 2, 2}, H5T_STD_U8LE, [](hid_t properties) {
    const Extents extents{3, 1, 2, 2};
    const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
    H5Pset_virtual(properties, space, "source.h5", "images", space);
    H5Sclose(space);
  });
  put("labels", {3});
  EXPECT_EQ(test::sample_of(*open(), 2), (Bytes{8, 9, 10, 11}));
  EXPECT_EQ(open()->info().files, (std::vector{path_, source})) << "which belongs to it";
  EXPECT_EQ(open()->info().stored_bytes, fs::file_size(path_) + fs::file_size(source));
  const std::string consequence = "; the HDF5 library would read zeros in its place";
  fs::rename(source, home_ / "elsewhere.h5");
  EXPECT_EQ(refused(), "dataset 'images': its source " + source.string() + " is missing" + consequence);
  test::write(source, "no HDF5");
  EXPECT_EQ(refused(), "dataset 'images': its source " + source.string() + " cannot be read as HDF5" + consequence);
  test::write_hdf5(source, *test::patterned_dataset(3, {1, 2, 2}));
  const hid_t file = H5Fopen(source.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "images", H5P_DEFAULT);
  H5Fclose(file);
  EXPECT_EQ(refused(), "dataset 'images': its source 'images' is missing in " + source.string() + consequence);
}

TEST_F(Hdf5, LooksForSourcesWhereTheLibraryDoes) {
  struct Prefix {  // of sources, while it lives
    explicit Prefix(const std::string& value) { ::setenv("HDF5_VDS_PREFIX", value.c_str(), 1); }
    Prefix(const Prefix&) = delete;
    Prefix& operator=(const Prefix&) = delete;
    ~Prefix() { ::unsetenv("HDF5_VDS_PREFIX"); }
  };
  fs::path source = path_;
  const auto move_source = [&](const fs::path& to) {
    fs::create_directories(to.parent_path());
    fs::rename(source, to);
    source = to;
  };
  const auto expect_found = [&] {
    const auto dataset = open();
    EXPECT_EQ(dataset->info().files[1], source);
    EXPECT_EQ(test::sample_of(*dataset, 2), (Bytes{8, 9, 10, 11})) << "which the library found in " << source;
  };
  put("images", {3, 1, 2, 2});
  move_source(home_ / "first/source.h5");
  put("images", {3, 1, 2, 2}, H5T_STD_U8LE, [&](hid_t properties) {
    const Extents extents{3, 1, 2, 2};
    const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
    H5Pset_virtual(properties, space, "/nowhere/source.h5", "images", space);
    H5Sclose(space);
  });
  put("labels", {3});
  EXPECT_THAT(refused(), HasSubstr("its source /nowhere/source.h5 is missing"));
  {
    const Prefix list((home_ / "none").string() + "::" + (home_ / "first").string() + ":elsewhere");
    expect_found();
  }
  move_source(home_ / "beside/source.h5");
  {
    // Only the place: the library replaces it only in a value that is there when the process starts.
    const Prefix origin("${ORIGIN}/beside");
    EXPECT_EQ(open()->info().files[1], source);
  }
  move_source(home_ / "source.h5");
  expect_found();
}

TEST_F(Hdf5, RefusesExternalStorageThatIsMissingOrTooShort) {
  const fs::path values = home_ / "values.bin";
  put("images", {3, 1, 2, 2}, H5T_STD_U8LE,
      [&](hid_t properties) { H5Pset_external(properties, values.c_str(), 0, H5F_UNLIMITED); });
  put("labels", {3});
  EXPECT_EQ(open()->info().files, (std::vector{path_, values}));
  fs::resize_file(values, 11);
  EXPECT_EQ(refused(), "dataset 'images': the file " + values.string() +
                           " with its values ends at byte 11, before they do; the HDF5 library would read zeros in its "
                           "place");
  fs::remove(values);
  EXPECT_EQ(refused(), "dataset 'images': the file " + values.string() +
                           " with its values is missing; the HDF5 library looks for it nowhere else");
}

TEST_F(Hdf5, LooksForExternalStorageInTheWorkingDirectoryOnlyAsTheLibraryDoes) {
  fs::create_directory(home_ / "working");
  const WorkingDirectory working(home_ / "working");
  put("images", {3, 1, 2, 2}, H5T_STD_U8LE,
      [](hid_t properties) { H5Pset_external(properties, "values.bin", 0, H5F_UNLIMITED); });
  put("labels", {3});
  test::write(home_ / "values.bin", "beside it, and longer");
  EXPECT_EQ(open()->info().files, (std::vector<fs::path>{path_, "values.bin"}));
  EXPECT_EQ(test::sample_of(*open(), 2), (Bytes{8, 9, 10, 11}));
  fs::remove("values.bin");
  EXPECT_EQ(refused(), "dataset 'images': the file " + (home_ / "working/values.bin").string() +
                           " with its values is missing; the HDF5 library looks for it nowhere else");
}

TEST_F(Hdf5, RefusesAnExternalLinkAndNamesItsTarget) {
  const fs::path other = home_ / "other.h5";
  test::write_hdf5(other, *test::patterned_dataset(3, {1, 2, 2}));
  const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "images", file, "images", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  put("labels", {3});
  EXPECT_EQ(refused(),
            "'images' in it is an external link to 'images' in other.h5; name that file instead, or copy its target "
            "(h5copy)");
}

}  // namespace
}  // namespace loadline
