#include "synthetic/generate/destination.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "loaders/error.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHidden = "/tmp/.new.1-0";

TEST(WriteFor, NamesFilesWhereTheyWillBe) {
  EXPECT_EQ(test::thrown_by([] {
              write_for("new", kHidden, [] { throw Error("cannot write /tmp/.new.1-0/a/b.bin: File too large"); });
            }),
            test::failed("cannot write new/a/b.bin: File too large"));
}

TEST(WriteFor, LeavesNeighboursAlone) {
  EXPECT_EQ(test::thrown_by([] {
              write_for(".", "/scratch/new",
                        [] { throw Error("no photograph in /scratch/new-photos for /scratch/new"); });
            }),
            test::failed("no photograph in /scratch/new-photos for ."));
}

TEST(MakeFor, NamesNoFileThatWillNotBeThere) {
  const auto told = [](const std::string& message) {
    return test::thrown_by([&] { make_for("new", kHidden, [&] { throw Error(message); }); });
  };
  EXPECT_EQ(told("cannot write /tmp/.new.1-0/train/a photo/1.jpg: File too large"),
            test::failed("cannot write new: File too large"));
  EXPECT_EQ(told("cannot write /tmp/.new.1-0: File too large"), test::failed("cannot write new: File too large"));
  EXPECT_EQ(told("making /tmp/.new.1-0/data was interrupted; nothing was left behind"),
            test::failed("making new was interrupted; nothing was left behind"));
  EXPECT_EQ(told("cannot read photos: no photograph"), test::failed("cannot read photos: no photograph"));
}

TEST(IsTaken, MeansAnythingButAnEmptyDirectory) {
  const test::TemporaryDirectory home;
  EXPECT_FALSE(is_taken(home / "nothing"));
  EXPECT_FALSE(is_taken(home.path()));
  test::write(home / "file", "");
  EXPECT_TRUE(is_taken(home / "file"));
  EXPECT_TRUE(is_taken(home.path()));
  fs::create_symlink("file", home / "link");
  EXPECT_TRUE(is_taken(home / "link"));
}

}  // namespace
}  // namespace loadline
