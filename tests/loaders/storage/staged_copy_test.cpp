#include "loaders/storage/staged_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::names_in;
using test::thrown_by;

class StagedCopyTest : public testing::Test {
 protected:
  StagedCopyTest() {
    test::write(data_ / "a.bin", "first");
    test::write(data_ / "inner/b.bin", "second");
    fs::create_directory(node_);
  }

  std::optional<StagedFiles> stage(const fs::path& source, const std::vector<fs::path>& beside = {}) {
    return stage_files(source, beside, node_, [](std::uint64_t, std::uint64_t) {}, {});
  }
  std::optional<StagedFiles> stage() { return stage(data_); }
  fs::path place() const { return staged_path(data_, node_).parent_path(); }
  std::string refusal(const std::string& why) const {
    return "cannot stage " + data_.string() + " in " + node_.string() + ": " + why;
  }

  const test::TemporaryDirectory home_;
  const fs::path data_ = home_ / "shared/photos";
  const fs::path node_ = home_ / "node";
};

TEST_F(StagedCopyTest, HasAllFilesOfADirectoryUnderItsName) {
  const auto staged = stage();
  ASSERT_TRUE(staged);
  EXPECT_TRUE(staged->copied);
  EXPECT_EQ(staged->files, 2U);
  EXPECT_EQ(staged->bytes, 11U);
  const fs::path copy = staged_path(data_, node_);
  EXPECT_EQ(copy.filename(), "photos");
  EXPECT_EQ(bytes_of(copy / "a.bin"), "first");
  EXPECT_EQ(bytes_of(copy / "inner/b.bin"), "second");
  EXPECT_THAT(names_in(node_), testing::ElementsAre(copy.parent_path().filename().string())) << "nothing else is left";
}

TEST_F(StagedCopyTest, OfAFileHasTheOthersOfItsDatasetToo) {
  const fs::path file = test::write(home_ / "shared/tokens.bin", "01");
  const fs::path index = test::write(home_ / "shared/tokens.idx", "i");
  test::write(home_ / "shared/other.bin", "not asked for");
  const auto staged = stage(file, {file, index, home_ / "elsewhere/model"});
  ASSERT_TRUE(staged);
  EXPECT_EQ(staged->files, 2U);
  EXPECT_THAT(names_in(staged_path(file, node_).parent_path()),
              testing::ElementsAre("loadline-copy.txt", "tokens.bin", "tokens.idx"));
}

TEST_F(StagedCopyTest, IsUsedAgainAsLongAsTheOriginalsAreWhatTheyWere) {
  stage();
  const auto again = stage();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->copied);
  EXPECT_EQ(again->bytes, 11U);
  test::write(data_ / "a.bin", "other");
  fs::last_write_time(data_ / "a.bin", fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_TRUE(stage()->copied);
  EXPECT_EQ(bytes_of(staged_path(data_, node_) / "a.bin"), "other");
}

TEST_F(StagedCopyTest, IsMadeAnewWhereAFileIsGoneOrCut) {
  stage();
  const fs::path copy = staged_path(data_, node_);
  fs::remove(copy / "a.bin");
  EXPECT_TRUE(stage()->copied);
  fs::resize_file(copy / "inner/b.bin", 3);
  EXPECT_TRUE(stage()->copied);
  EXPECT_EQ(bytes_of(copy / "inner/b.bin"), "second");
}

TEST_F(StagedCopyTest, RemovesWhatAKilledProcessHasLeft) {
  const std::string name = place().filename().string();
  test::write(node_ / ("." + name + ".12345-0") / "photos/a.bin", "fir");
  EXPECT_TRUE(stage()->copied);
  EXPECT_THAT(names_in(node_), testing::ElementsAre(name));
}

TEST_F(StagedCopyTest, LeavesOtherDataAlone) {
  test::write(place() / "mine.txt", "precious");
  EXPECT_EQ(
      thrown_by([&] { stage(); }),
      test::failed(refusal(place().string() +
                           " is there and is no copy of it that loadline made; remove it, or name another directory")));
  EXPECT_EQ(bytes_of(place() / "mine.txt"), "precious");
}

TEST_F(StagedCopyTest, OfDataOfTheSameNameElsewhereLiesElsewhere) {
  EXPECT_NE(staged_path("/a/photos", "/scratch"), staged_path("/b/photos", "/scratch"));
  EXPECT_EQ(staged_path("/a/photos/", "/scratch"), staged_path("/a/./photos", "/scratch/"));
}

TEST_F(StagedCopyTest, WantsADirectoryThatIsThereAndApartFromTheData) {
  fs::remove(node_);
  EXPECT_EQ(thrown_by([&] { stage(); }), test::failed(refusal("there is no such directory")));
  EXPECT_EQ(thrown_by([&] { stage_files(data_, {}, data_ / "inner", [](std::uint64_t, std::uint64_t) {}, {}); }),
            test::failed("cannot stage " + data_.string() + " in " + (data_ / "inner").string() +
                         ": the directory lies within the data"));
}

TEST_F(StagedCopyTest, NeedsRoom) {
  test::write(data_ / "huge.bin", "");
  fs::resize_file(data_ / "huge.bin", std::uintmax_t{1} << 43);  // as a sparse file
  EXPECT_THAT(thrown_by([&] { stage(); }).message, testing::HasSubstr("it takes 8388609 MiB, and there is room for "));
  EXPECT_THAT(names_in(node_), testing::ElementsAre());
}

TEST_F(StagedCopyTest, NamesAFileThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(data_ / "a.bin", fs::perms::none);
  EXPECT_EQ(thrown_by([&] { stage(); }),
            test::failed(refusal("cannot open " + (data_ / "a.bin").string() + ": Permission denied")));
  EXPECT_THAT(names_in(node_), testing::ElementsAre());
}

TEST_F(StagedCopyTest, LeavesNothingBehindWhenItIsStopped) {
  std::stop_source stop;
  const auto stopped = stage_files(
      data_, {}, node_, [&](std::uint64_t, std::uint64_t) { stop.request_stop(); }, stop.get_token());
  EXPECT_FALSE(stopped);
  EXPECT_THAT(names_in(node_), testing::ElementsAre());
}

}  // namespace
}  // namespace loadline
