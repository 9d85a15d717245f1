#include "loaders/storage/new_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <span>
#include <utility>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::bytes_of;
using test::failed;
using test::thrown_by;

class NewFileTest : public testing::Test {
 protected:
  test::TemporaryDirectory home_;
};

TEST_F(NewFileTest, ShowsOthersAtOnceWhatWasWritten) {
  NewFile file(home_ / "a");
  file.append("one");
  EXPECT_EQ(bytes_of(home_ / "a"), "one");
  file.append(" two");
  EXPECT_EQ(bytes_of(home_ / "a"), "one two");
}

TEST_F(NewFileTest, HasTheModificationTimeThatWasSet) {
  NewFile file(home_ / "a");
  file.append("one");
  file.set_modified(1'000'000'000, 123'000'000);
  file.close();
  struct stat status {};
  ASSERT_EQ(::stat((home_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtim.tv_sec, 1'000'000'000);
  EXPECT_EQ(status.st_mtim.tv_nsec, 123'000'000);
}

TEST_F(NewFileTest, IsRemovedUnlessItIsKept) {
  { const NewFile file(home_ / "a"); }
  EXPECT_FALSE(std::filesystem::exists(home_ / "a"));
  {
    NewFile first(home_ / "b");
    NewFile moved(std::move(first));
    moved.append("kept");
    moved.close();
    moved.keep();
  }
  EXPECT_EQ(bytes_of(home_ / "b"), "kept");
}

TEST_F(NewFileTest, LeavesAnExistingFileAlone) {
  test::write(home_ / "a", "mine");
  EXPECT_EQ(thrown_by([&] { NewFile(home_ / "a"); }),
            failed("cannot write " + (home_ / "a").string() + ": it exists already"));
  EXPECT_EQ(bytes_of(home_ / "a"), "mine");
}

TEST_F(NewFileTest, NamesThePathThatCannotBeWritten) {
  EXPECT_EQ(thrown_by([&] { NewFile(home_ / "nowhere/a"); }),
            failed("cannot write " + (home_ / "nowhere/a").string() + ": No such file or directory"));
}

TEST_F(NewFileTest, IsWrittenAndKeptInOneCall) {
  write_new_file(home_ / "a", std::as_bytes(std::span("one", 3)));
  EXPECT_EQ(bytes_of(home_ / "a"), "one");
  EXPECT_EQ(thrown_by([&] { write_new_file(home_ / "a", {}); }),
            failed("cannot write " + (home_ / "a").string() + ": it exists already"));
  EXPECT_EQ(bytes_of(home_ / "a"), "one");
}

}  // namespace
}  // namespace loadline
