#include "loaders/storage/hdf5.h"

#include <gtest/gtest.h>

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
