#include "synthetic/generate/destination.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "loaders/error.h"
#include "loaders/storage/file.h"
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

TEST(CommitUnlessTaken, LeavesWhatHasAppearedThere) {
  const test::TemporaryDirectory home;
  {
    AtomicDirectory made(home / "new");
    AtomicDirectory again(home / "new");
    test::write(made.temporary() / "file", "first");
    test::write(again.temporary() / "file", "second");
    EXPECT_TRUE(commit_unless_taken(made, home / "new"));
    EXPECT_FALSE(commit_unless_taken(again, home / "new"));
    EXPECT_EQ(test::bytes_of(home / "new/file"), "first");
  }
  {
    AtomicFile made(home / "new.h5");
    AtomicFile again(home / "new.h5");
    made.write(std::string_view("first"));
    again.write(std::string_view("second"));
    EXPECT_TRUE(commit_unless_taken(made, home / "new.h5"));
    EXPECT_FALSE(commit_unless_taken(again, home / "new.h5"));
    EXPECT_EQ(test::bytes_of(home / "new.h5"), "first");
  }
  EXPECT_EQ(test::names_in(home.path()), (std::set<std::string>{"new", "new.h5"}));
}

TEST(CommitUnlessTaken, PassesOnWhatElseFails) {
  const test::TemporaryDirectory home;
  AtomicDirectory made(home / "new");
  fs::remove(made.temporary());
  EXPECT_EQ(test::thrown_by([&] { commit_unless_taken(made, home / "new"); }),
            test::failed("cannot create " + (home / "new").string() + ": No such file or directory"));
}

TEST(Parents, AreNamedAsTheUserDidIfTheyCannotBeMade) {
  const test::TemporaryDirectory home;
  test::write(home / "file", "");
  const auto told = [](const fs::path& path, const fs::path& shown) {
    return test::thrown_by([&] { Parents(path, shown).make(); });
  };
  EXPECT_EQ(told(home / "file/a/b/new", "file/a/b/new/"), test::failed("cannot create file/a: Not a directory"));
  EXPECT_EQ(told(home / "file/a/new", "file/a/../a/./new"),
            test::failed("cannot create " + (home / "file/a").string() + ": Not a directory"));
}

TEST(Parents, AreTakenAwayUnlessTheyAreKept) {
  const test::TemporaryDirectory home;
  for (const bool kept : {false, true}) {
    Parents parents(home / "a/b/new/", "a/b/new/");
    parents.make();
    EXPECT_EQ(test::names_in(home / "a"), std::set<std::string>{"b"});
    EXPECT_EQ(test::names_in(home / "a/b"), std::set<std::string>());
    if (kept) parents.keep();
  }
  EXPECT_TRUE(fs::exists(home / "a/b"));
}

}  // namespace
}  // namespace loadline
