#include "loaders/storage/staged_copy.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <ctime>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>
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
  // Calls `meanwhile` when the last byte is copied.
  std::optional<StagedFiles> stage_and(const std::function<void()>& meanwhile) {
    return stage_files(data_, {}, node_,
                       [&](std::uint64_t done, std::uint64_t all) {
                         if (done == all) meanwhile();
                       },
                       {});
  }
  // Changes the data as somebody who works on it would.
  void change_data() const {
    test::write(data_ / "a.bin", "other");
    fs::last_write_time(data_ / "a.bin", fs::file_time_type::clock::now() + std::chrono::hours(1));
  }
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

TEST_F(StagedCopyTest, IncludesTheOtherFilesOfAFilesDataset) {
  const fs::path file = test::write(home_ / "shared/tokens.bin", "01");
  const fs::path index = test::write(home_ / "shared/tokens.idx", "i");
  test::write(home_ / "shared/other.bin", "not asked for");
  const auto staged = stage(file, {file, index, home_ / "elsewhere/model"});
  ASSERT_TRUE(staged);
  EXPECT_EQ(staged->files, 2U);
  EXPECT_THAT(names_in(staged_path(file, node_).parent_path()),
              testing::ElementsAre("loadline-copy.txt", "tokens.bin", "tokens.idx"));
}

TEST_F(StagedCopyTest, IsReusedUntilTheOriginalsChange) {
  stage();
  auto again = stage();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->copied);
  EXPECT_EQ(again->bytes, 11U);
  again.reset();  // its run has ended
  change_data();
  EXPECT_TRUE(stage()->copied);
  EXPECT_EQ(bytes_of(staged_path(data_, node_) / "a.bin"), "other");
}

TEST_F(StagedCopyTest, IsReusedWhereNothingCanBeWritten) {
  stage();
  fs::create_symlink("nowhere", place().string() + ".lock");
  const auto again = stage();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->copied);
  change_data();
  EXPECT_EQ(thrown_by([&] { stage(); }).message, refusal("cannot write " + place().string() + ": " + place().string() +
                                                         ".lock: Too many levels of symbolic links"));
}

TEST_F(StagedCopyTest, IsMadeAgainIfAFileIsMissingOrTruncated) {
  stage();
  const fs::path copy = staged_path(data_, node_);
  fs::remove(copy / "a.bin");
  EXPECT_TRUE(stage()->copied);
  fs::resize_file(copy / "inner/b.bin", 3);
  EXPECT_TRUE(stage()->copied);
  EXPECT_EQ(bytes_of(copy / "inner/b.bin"), "second");
}

TEST_F(StagedCopyTest, IsMadeAgainIfADirectoryAppearsOrDisappears) {
  stage();
  fs::create_directory(data_ / "class-without-photos");
  EXPECT_TRUE(stage()->copied);
  EXPECT_TRUE(fs::is_directory(staged_path(data_, node_) / "class-without-photos"));
  EXPECT_FALSE(stage()->copied);
  fs::remove(data_ / "class-without-photos");
  EXPECT_TRUE(stage()->copied);
  EXPECT_FALSE(fs::exists(staged_path(data_, node_) / "class-without-photos"));
}

// Returns whether the file's storage keeps a time beyond the range of ext4 and XFS.
bool keeps_the_year_3000(const fs::path& file) {
  constexpr std::time_t kYear3000 = 32503680000;
  const timespec times[2] = {{.tv_sec = kYear3000, .tv_nsec = 123456789}, {.tv_sec = kYear3000, .tv_nsec = 123456789}};
  struct stat status {};
  return ::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0 && ::stat(file.c_str(), &status) == 0 &&
         status.st_mtim.tv_sec == kYear3000;
}

struct RemovedAtTheEnd {
  explicit RemovedAtTheEnd(fs::path directory) : path(std::move(directory)) {}
  RemovedAtTheEnd(const RemovedAtTheEnd&) = delete;
  RemovedAtTheEnd& operator=(const RemovedAtTheEnd&) = delete;
  ~RemovedAtTheEnd() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  const fs::path path;
};

TEST_F(StagedCopyTest, IsReusedIfItsStorageCannotKeepTheTimes) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "no storage that keeps all times";
  if (keeps_the_year_3000(test::write(node_ / "time", ""))) GTEST_SKIP() << "the copy would keep all times too";
  const RemovedAtTheEnd shared(fs::path("/dev/shm") / home_.path().filename());
  ASSERT_TRUE(keeps_the_year_3000(test::write(shared.path / "photos/a.bin", "first")));
  EXPECT_TRUE(stage(shared.path / "photos")->copied);
  EXPECT_FALSE(stage(shared.path / "photos")->copied);
}

TEST_F(StagedCopyTest, IsNotReplacedWhileARunReadsIt) {
  auto run = stage();
  const auto other = stage();
  ASSERT_TRUE(run && other);
  run.reset();
  change_data();
  EXPECT_EQ(thrown_by([&] { stage(); }),
            test::failed(refusal(place().string() +
                                 " is an outdated copy that another run is reading; wait for that run, or name "
                                 "another directory")));
  EXPECT_EQ(bytes_of(staged_path(data_, node_) / "a.bin"), "first");
}

TEST_F(StagedCopyTest, IsNotReplacedWhileTheRunThatMadeItReadsIt) {
  const auto run = stage();
  change_data();
  EXPECT_THAT(thrown_by([&] { stage(); }).message, testing::HasSubstr("that another run is reading"));
}

TEST_F(StagedCopyTest, IsLeftInPlaceIfAnotherNodeMadeItInTheMeantime) {
  stage();
  const fs::path aside = home_ / "aside";
  const auto inode = [&] {
    struct stat status {};
    return ::stat(place().c_str(), &status) == 0 ? status.st_ino : 0;
  };
  const auto first = inode();
  fs::rename(place(), aside);
  EXPECT_TRUE(stage_and([&] { fs::rename(aside, place()); }));
  EXPECT_EQ(inode(), first);
  EXPECT_THAT(names_in(node_), testing::ElementsAre(place().filename().string()));
}

TEST_F(StagedCopyTest, FailsIfTheDataChangesBeforeItsEnd) {
  test::write(data_ / "c.bin", std::string(std::size_t{9} << 20, 'c'));
  EXPECT_EQ(thrown_by([&] { stage_and([&] { change_data(); }); }),
            test::failed(refusal((data_ / "a.bin").string() + " changed while the data was copied")));
  EXPECT_EQ(thrown_by([&] { stage_and([&] { test::write(data_ / "b.bin", "new"); }); }),
            test::failed(refusal((data_ / "b.bin").string() + " changed while the data was copied")));
  EXPECT_EQ(thrown_by([&] { stage_and([&] { fs::create_directory(data_ / "d"); }); }),
            test::failed(refusal((data_ / "d").string() + " changed while the data was copied")));
  EXPECT_THAT(names_in(node_), testing::ElementsAre());
}

TEST_F(StagedCopyTest, StopsAtAFileThatGrowsWhileItIsCopied) {
  fs::remove(data_ / "inner/b.bin");
  std::uint64_t most = 0;
  const auto grow = [&](std::uint64_t done, std::uint64_t) {
    most = std::max(most, done);
    if (most < 100) std::ofstream(data_ / "a.bin", std::ios::app) << "more";
  };
  EXPECT_EQ(thrown_by([&] { stage_files(data_, {}, node_, grow, {}); }),
            test::failed(refusal((data_ / "a.bin").string() + " changed while the data was copied")));
  EXPECT_EQ(most, 5U);
}

// Returns the id of a process that has ended, before another process gets that id.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(StagedCopyTest, RemovesWhatAKilledProcessOfThisHostLeftBehind) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size()), 0);
  const std::string name = place().filename().string();
  const std::string begin = "." + name + ".";
  const std::string killed = begin + host.data() + "." + std::to_string(ended_process()) + "-0";
  const std::string running = begin + host.data() + "." + std::to_string(::getppid()) + "-0";
  const std::string elsewhere = begin + "another-host." + std::to_string(ended_process()) + "-0";
  for (const std::string& left : {killed, running, elsewhere}) test::write(node_ / left / "photos/a.bin", "fir");
  EXPECT_TRUE(stage()->copied);
  EXPECT_THAT(names_in(node_), testing::UnorderedElementsAre(name, running, elsewhere));
}

TEST_F(StagedCopyTest, IsNamedAfterHostAndProcessUntilItIsComplete) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size()), 0);
  const std::string name = "." + place().filename().string() + "." + host.data() + "." + std::to_string(::getpid());
  bool seen = false;
  stage_and([&] { seen = fs::exists(node_ / (name + "-0")); });
  EXPECT_TRUE(seen);
}

TEST_F(StagedCopyTest, LeavesOtherDataAlone) {
  test::write(place() / "mine.txt", "precious");
  EXPECT_EQ(thrown_by([&] { stage(); }),
            test::failed(refusal(place().string() +
                                 " is not a copy of it that loadline made; remove it, or name another directory")));
  EXPECT_EQ(bytes_of(place() / "mine.txt"), "precious");
}

TEST_F(StagedCopyTest, HasItsOwnPathForEachSourceOfTheSameName) {
  EXPECT_NE(staged_path("/a/photos", "/scratch"), staged_path("/b/photos", "/scratch"));
  EXPECT_EQ(staged_path("/a/photos/", "/scratch"), staged_path("/a/./photos", "/scratch/"));
}

TEST_F(StagedCopyTest, FollowsAPathThroughALinkAsTheSystemDoes) {
  test::write(home_ / "real/photos/a.bin", "behind the link");
  fs::create_directory(home_ / "real/dir");
  fs::create_directory_symlink("../real/dir", data_.parent_path() / "link");
  const fs::path data = data_.parent_path() / "link/../photos";
  ASSERT_TRUE(stage(data));
  EXPECT_EQ(bytes_of(staged_path(data, node_) / "a.bin"), "behind the link");
  EXPECT_EQ(staged_source(data), home_ / "real/photos");
  EXPECT_EQ(staged_path(data, node_), staged_path(home_ / "real/photos", node_));
}

TEST_F(StagedCopyTest, HasTheNameOfALinkNotOfItsTarget) {
  fs::create_directory_symlink(data_, home_ / "latest");
  EXPECT_EQ(staged_source(home_ / "latest/."), home_ / "latest");
  ASSERT_TRUE(stage(home_ / "latest"));
  EXPECT_EQ(bytes_of(staged_path(home_ / "latest", node_) / "a.bin"), "first");
}

TEST_F(StagedCopyTest, IsSeparateForEachUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  constexpr uid_t kOther = 65534;
  fs::permissions(home_.path(), fs::perms(0755));
  fs::permissions(node_, fs::perms(01777));
  const auto mine = staged_path(data_, node_);
  EXPECT_TRUE(stage()->copied);
  ASSERT_EQ(::seteuid(kOther), 0);
  const test::Thrown thrown = thrown_by([&] { EXPECT_TRUE(stage()->copied); });
  const auto theirs = staged_path(data_, node_);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(thrown, test::Thrown());
  EXPECT_NE(theirs, mine);
  EXPECT_EQ(bytes_of(theirs / "a.bin"), "first");
}

TEST_F(StagedCopyTest, NeedsAnExistingDirectoryOutsideTheData) {
  fs::remove(node_);
  EXPECT_EQ(thrown_by([&] { stage(); }), test::failed(refusal("the directory does not exist")));
  std::ofstream(node_) << "a file";
  EXPECT_EQ(thrown_by([&] { stage(); }), test::failed(refusal("that is not a directory")));
  EXPECT_EQ(thrown_by([&] { stage_files(data_, {}, data_ / "inner", [](std::uint64_t, std::uint64_t) {}, {}); }),
            test::failed("cannot stage " + data_.string() + " in " + (data_ / "inner").string() +
                         ": the directory is inside the data"));
}

TEST_F(StagedCopyTest, NamesACircularLink) {
  const fs::path loop = home_ / "loop";
  fs::create_symlink("loop", loop);
  EXPECT_EQ(thrown_by([&] { stage(loop); }),
            test::failed("cannot stage " + loop.string() + " in " + node_.string() + ": " + loop.string() +
                         ": Too many levels of symbolic links"));
}

TEST_F(StagedCopyTest, NamesALinkThatLeadsBackAndFollowsOthers) {
  fs::create_directory_symlink("inner", data_ / "other");
  EXPECT_EQ(stage()->files, 3U);
  EXPECT_EQ(bytes_of(staged_path(data_, node_) / "other/b.bin"), "second");
  fs::create_directory_symlink("../../photos", data_ / "inner/back");
  fs::remove(data_ / "other");
  EXPECT_EQ(thrown_by([&] { stage(); }), test::failed(refusal((data_ / "inner/back").string() + " leads back to " +
                                                              data_.string() + ", so a copy would have no end")));
}

TEST_F(StagedCopyTest, DoesNotLeaveOutALinkToNothing) {
  fs::create_symlink(home_ / "nothing", data_ / ".hidden");
  EXPECT_EQ(stage()->files, 2U) << "no format reads a hidden file";
  fs::create_symlink(home_ / "nothing", data_ / "inner/c.bin");
  EXPECT_EQ(thrown_by([&] { stage(); }).message,
            refusal("cannot read " + (data_ / "inner/c.bin").string() + ": No such file or directory"));
}

TEST_F(StagedCopyTest, DoesNotLeaveOutWhatIsNoFile) {
  ASSERT_EQ(::mkfifo((data_ / "c.bin").c_str(), 0600), 0);
  EXPECT_EQ(thrown_by([&] { stage(); }).message,
            refusal("cannot read " + (data_ / "c.bin").string() + ": it is a FIFO, want a file"));
}

TEST_F(StagedCopyTest, NeedsRoom) {
  test::write(data_ / "huge.bin", "");
  fs::resize_file(data_ / "huge.bin", std::uintmax_t{1} << 43);  // as a sparse file
  EXPECT_THAT(thrown_by([&] { stage(); }).message, testing::HasSubstr("it needs 8.0 TiB, but only "));
  EXPECT_THAT(names_in(node_), testing::ElementsAre());
}

TEST_F(StagedCopyTest, MakesRoomByRemovingTheOutdatedCopy) {
  stage();
  test::write(data_ / "huge.bin", "");
  fs::resize_file(data_ / "huge.bin", std::uintmax_t{1} << 43);  // as a sparse file
  EXPECT_THAT(thrown_by([&] { stage(); }).message, testing::EndsWith(" are free"));
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
