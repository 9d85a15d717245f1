#include "loaders/storage/hdf5.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

#include "loaders/storage/hdf5_library.h"
#include "loaders/storage/hdf5_writer.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(Hdf5Reason, IsTheSystemErrorIfTheLibraryNamesOne) {
  EXPECT_EQ(hdf5_reason("file read failed: time = Sun Nov 22 13:26:20 2026\n, filename = 'a.h5', file descriptor = 4, "
                        "errno = 5, error message = 'Input/output error', buf = 0x7f748be37010, total read size = 512, "
                        "bytes this sub-read = 512, bytes actually read = 18446744073709551615, offset = 0"),
            "file read failed: Input/output error");
  EXPECT_EQ(hdf5_reason("unable to lock file, errno = 11, error message = 'Resource temporarily unavailable'"),
            "unable to lock file: Resource temporarily unavailable");
}

TEST(Hdf5Reason, GivesBothSizesOfATruncatedFile) {
  EXPECT_EQ(hdf5_reason("truncated file: eof = 198048, sblock->base_addr = 0, stored_eof = 396096"),
            "truncated file, 198048 bytes of 396096");
}

TEST(Hdf5Reason, OmitsTheVariablesOfTheLibrary) {
  EXPECT_EQ(hdf5_reason("addr overflow, addr = 96, size = 8, eoa = 40"), "addr overflow");
  EXPECT_EQ(hdf5_reason("wrong object header version"), "wrong object header version");
  EXPECT_EQ(hdf5_reason(""), "the HDF5 library gives no reason");
}

// Writes a file of 64 rows of 100 bytes.
void write_rows(const std::filesystem::path& path) {
  Hdf5Writer writer(path, path);
  const std::vector<std::uint64_t> extents{64, 100};
  writer.begin("images", extents, {});
  writer.append(std::vector<std::byte>(6400));
  writer.close();
}

TEST(Hdf5Writer, StoresNoTimesSoThatEqualContentsMakeEqualFiles) {
  const test::TemporaryDirectory home;
  Hdf5Writer writer(home / "a.h5", home / "a.h5");
  writer.begin("images", std::vector<std::uint64_t>{3, 2}, {});
  writer.append(std::vector<std::byte>(6));
  writer.write_labels("labels", std::vector<std::int32_t>{0, 1, 0}, 2);
  writer.write_offsets("offsets", std::vector<std::uint64_t>{0, 2, 4, 6});
  writer.close();
  const hid_t file = H5Fopen((home / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (const char* name : {"images", "labels", "offsets"}) {
    H5G_stat_t facts{};
    EXPECT_GE(H5Gget_objinfo(file, name, true, &facts), 0);
    EXPECT_EQ(facts.mtime, 0) << name;
  }
  H5Fclose(file);
}

TEST(Hdf5Dataset, RefusesATruncatedFileWithoutBlamingOtherPrograms) {
  const test::TemporaryDirectory home;
  const auto path = home / "a.h5";
  write_rows(path);
  const auto bytes = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, 5000);
  EXPECT_EQ(test::thrown_by([&] { Hdf5Dataset(path, "images"); }),
            test::failed("cannot open " + path.string() + ": truncated file, 5000 bytes of " + std::to_string(bytes)));
}

}  // namespace
}  // namespace loadline
