#include "loaders/storage/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "loaders/storage/mapping.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::TemporaryDirectory;
using test::thrown_by;
using testing::ElementsAre;
using testing::IsEmpty;

std::string read(const File& file, std::size_t offset, std::size_t size) {
  std::string text(size, '\0');
  file.read_exactly(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

// A disk that holds at most `bytes` per file: sets the process's limit and ignores its signal, so that a write beyond
// it fails with an error.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(File, ReadsFromAnyOffset) {
  const TemporaryDirectory home;
  const File file = File::open(test::write(home / "a", "hello world"));
  EXPECT_EQ(file.size_bytes(), 11U);
  EXPECT_EQ(file.path(), home / "a");
  EXPECT_EQ(read(file, 6, 5), "world");
  EXPECT_EQ(read(file, 0, 5), "hello");
  EXPECT_EQ(read(file, 11, 0), "");
}

TEST(File, CanBeMoved) {
  const TemporaryDirectory home;
  File first = File::open(test::write(home / "a", "hello"));
  const File second = std::move(first);
  EXPECT_EQ(read(second, 0, 5), "hello");
}

TEST(File, ReadsTheSameAfterItsPagesWereDropped) {
  const TemporaryDirectory home;
  const std::string bytes(100'000, 'x');
  const File file = File::open(test::write(home / "a", bytes));
  file.expect_random_reads();
  file.wait_until_stored();
  file.drop_from_page_cache(bytes.size());
  const auto left = page_cache_residency(file.path());
  EXPECT_EQ(read(file, 0, bytes.size()), bytes);
  if (left.resident_pages == left.pages) GTEST_SKIP() << "the file system lives in the page cache";
  EXPECT_EQ(left.resident_pages, 0U);
}

TEST(File, NamesAMissingPath) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { File::open(home / "nowhere"); }),
            test::failed("cannot open " + (home / "nowhere").string() + ": No such file or directory"));
}

TEST(File, NamesTheByteWhereItEndsTooSoon) {
  const TemporaryDirectory home;
  const File file = File::open(test::write(home / "a", "hello"));
  EXPECT_EQ(thrown_by([&] { read(file, 2, 4); }),
            test::failed("cannot read " + (home / "a").string() + ": it ends at byte 5"));
}

TEST(File, HasNoSizeIfItIsADirectory) {
  const TemporaryDirectory home;
  const File file = File::open(home.path());
  EXPECT_EQ(thrown_by([&] { static_cast<void>(file.size_bytes()); }),
            test::failed("cannot read " + home.path().string() + ": it is a directory, want a file"));
}

TEST(File, DoesNotWaitForTheWriterOfAFifo) {
  const TemporaryDirectory home;
  ASSERT_EQ(::mkfifo((home / "pipe").c_str(), 0666), 0);
  EXPECT_EQ(thrown_by([&] { read_text(home / "pipe"); }),
            test::failed("cannot read " + (home / "pipe").string() + ": it is a FIFO, want a file"));
  EXPECT_EQ(thrown_by([&] { const MappedFile mapped(home / "pipe"); }),
            test::failed("cannot read " + (home / "pipe").string() + ": it is a FIFO, want a file"));
}

TEST(File, RefusesADevice) {
  EXPECT_EQ(thrown_by([] { read_text("/dev/zero"); }),
            test::failed("cannot read /dev/zero: it is a character device, want a file"));
}

TEST(RefuseOtherThanFile, SaysWhatIsThere) {
  const TemporaryDirectory home;
  EXPECT_NO_THROW(refuse_other_than_file("open", home / "nothing"));
  EXPECT_NO_THROW(refuse_other_than_file("open", test::write(home / "a", "")));
  EXPECT_EQ(thrown_by([&] { refuse_other_than_file("open", home.path()); }),
            test::failed("cannot open " + home.path().string() + ": it is a directory, want a file"));
}

TEST(OpenOtherThanFile, OpensAFifoThatHasAReaderAndTheNullDevice) {
  const TemporaryDirectory home;
  const auto pipe = home / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  EXPECT_EQ(thrown_by([&] { open_other_than_file(pipe); }),
            test::failed("cannot write " + pipe.string() + ": it is a FIFO that nobody reads"));
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  const int writer = open_other_than_file(pipe);
  EXPECT_EQ(::write(writer, "x", 1), 1);
  ::close(writer);
  ::close(reader);
  ::close(open_other_than_file("/dev/null"));
}

TEST(OpenOtherThanFile, RefusesDirectoriesAndOtherDevices) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { open_other_than_file(home.path()); }),
            test::failed("cannot write " + home.path().string() + ": it is a directory, want a file"));
  EXPECT_EQ(thrown_by([] { open_other_than_file("/dev/urandom"); }),
            test::failed("cannot write /dev/urandom: it is a character device, want a file"));
}

TEST(ReadText, RefusesAFileLongerThanTheLimit) {
  const TemporaryDirectory home;
  const auto path = test::write(home / "a", "hello");
  EXPECT_EQ(read_text(path, 5), "hello");
  EXPECT_EQ(thrown_by([&] { read_text(path, 4); }),
            test::failed("cannot read " + path.string() + ": it has 5 bytes, want at most 4"));
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_EQ(thrown_by([&] { read_text(path); }),
            test::failed("cannot read " + path.string() + ": it has 1099511627776 bytes, want at most 1073741824"));
}

TEST(AtomicFile, ReplacesNothingButAFile) {
  const TemporaryDirectory home;
  ASSERT_EQ(::mkfifo((home / "pipe").c_str(), 0666), 0);
  EXPECT_EQ(thrown_by([&] { const AtomicFile file(home / "pipe"); }),
            test::failed("cannot write " + (home / "pipe").string() + ": it is a FIFO, want a file"));
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("pipe"));
}

TEST(ReadText, GivesTheWholeFile) {
  const TemporaryDirectory home;
  EXPECT_EQ(read_text(test::write(home / "a", "two\nlines\n")), "two\nlines\n");
  EXPECT_EQ(read_text(test::write(home / "b", "")), "");
}

TEST(AtomicFile, AppearsWholeOnCommit) {
  const TemporaryDirectory home;
  AtomicFile file(home / "a");
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(std::filesystem::exists(home / "a"));
  file.commit();
  EXPECT_EQ(test::bytes_of(home / "a"), "one two");
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("a"));
}

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

TEST(AtomicFile, HasThePermissionsThatTheUmaskLeaves) {
  const TemporaryDirectory home;
  const Umask umask(027);
  AtomicFile file(home / "a");
  file.commit();
  AtomicDirectory directory(home / "d");
  directory.commit();
  struct stat status {};
  ::stat((home / "a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  ::stat((home / "d").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0750U);
}

TEST(AtomicFile, LeavesAloneAnotherWritersFileOfTheSameName) {
  const TemporaryDirectory home;
  AtomicFile first(home / "a");
  AtomicFile second(home / "a");
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(test::bytes_of(home / "a"), "first");
  second.commit();
  EXPECT_EQ(test::bytes_of(home / "a"), "second");
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("a"));
}

TEST(AtomicFile, ReplacesTheOldFileOnCommit) {
  const TemporaryDirectory home;
  test::write(home / "a", "old and longer");
  AtomicFile file(home / "a");
  file.write("new");
  EXPECT_EQ(test::bytes_of(home / "a"), "old and longer");
  file.commit();
  EXPECT_EQ(test::bytes_of(home / "a"), "new");
}

TEST(AtomicFile, KeepsTheOldFileAndLeavesNothingElseWithoutCommit) {
  const TemporaryDirectory home;
  test::write(home / "a", "old");
  {
    AtomicFile file(home / "a");
    file.write("new");
  }
  EXPECT_EQ(test::bytes_of(home / "a"), "old");
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("a"));
}

TEST(AtomicFile, NamesThePathOnAFullDiskAndKeepsTheOldFile) {
  const TemporaryDirectory home;
  test::write(home / "a", "old");
  {
    const FullDisk disk(1000);
    AtomicFile file(home / "a");
    EXPECT_EQ(thrown_by([&] { file.write(std::string(1001, 'x')); }),
              test::failed("cannot write " + (home / "a").string() + ": File too large"));
  }
  EXPECT_EQ(test::bytes_of(home / "a"), "old");
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("a"));
}

TEST(AtomicFile, NamesThePathWhoseDirectoryIsMissing) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { AtomicFile file(home / "no/where"); }),
            test::failed("cannot write " + (home / "no/where").string() + ": No such file or directory"));
}

TEST(AtomicFile, NamesThePathWhoseDirectoryCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryDirectory home;
  std::filesystem::create_directory(home / "sealed");
  std::filesystem::permissions(home / "sealed", std::filesystem::perms{0555});
  EXPECT_EQ(thrown_by([&] { AtomicFile file(home / "sealed/a"); }),
            test::failed("cannot write " + (home / "sealed/a").string() + ": Permission denied"));
}

TEST(IsThere, DoesNotTakeAPathThatCannotBeFollowedForAMissingFile) {
  const TemporaryDirectory home;
  test::write(home / "a", "");
  std::filesystem::create_symlink("none", home / "broken");
  EXPECT_TRUE(is_there("read", home / "a"));
  EXPECT_FALSE(is_there("read", home / "b"));
  EXPECT_FALSE(is_there("read", home / "no/where"));
  EXPECT_FALSE(is_there("read", home / "broken"));
  const std::filesystem::path long_name = home / std::string(300, 'x');
  EXPECT_EQ(thrown_by([&] { is_there("read", long_name); }),
            test::failed("cannot read " + long_name.string() + ": File name too long"));
  std::filesystem::create_symlink("two", home / "one");
  std::filesystem::create_symlink("one", home / "two");
  EXPECT_EQ(thrown_by([&] { is_there("read", home / "one"); }),
            test::failed("cannot read " + (home / "one").string() + ": Too many levels of symbolic links"));
}

TEST(EndOfLinks, IsWhereTheyLeadWhetherOrNotSomethingIsThere) {
  const TemporaryDirectory home;
  std::filesystem::create_directory(home / "there");
  std::filesystem::create_symlink("there/new.json", home / "second");
  std::filesystem::create_symlink("second", home / "first");
  EXPECT_EQ(end_of_links("write", home / "first"), home / "there/new.json");
  EXPECT_EQ(end_of_links("write", home / "plain"), home / "plain");
  EXPECT_EQ(end_of_links("write", "plain"), "plain");
}

TEST(EndOfLinks, RefusesLinksThatLeadInACircle) {
  const TemporaryDirectory home;
  std::filesystem::create_symlink("two", home / "one");
  std::filesystem::create_symlink("one", home / "two");
  EXPECT_EQ(thrown_by([&] { end_of_links("write", home / "one"); }),
            test::failed("cannot write " + (home / "one").string() + ": Too many levels of symbolic links"));
}

TEST(AtomicFile, DoesNotReplaceADirectory) {
  const TemporaryDirectory home;
  {
    AtomicFile file(home / "a");
    std::filesystem::create_directory(home / "a");
    EXPECT_EQ(thrown_by([&] { file.commit(); }),
              test::failed("cannot write " + (home / "a").string() + ": Is a directory"));
  }
  EXPECT_EQ(thrown_by([&] { const AtomicFile file(home / "a"); }),
            test::failed("cannot write " + (home / "a").string() + ": it is a directory, want a file"));
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("a"));
}

TEST(AtomicDirectory, AppearsWholeOnCommit) {
  const TemporaryDirectory home;
  AtomicDirectory directory(home / "data");
  test::write(directory.temporary() / "a", "one");
  EXPECT_FALSE(std::filesystem::exists(home / "data"));
  directory.commit();
  EXPECT_EQ(test::bytes_of(home / "data/a"), "one");
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("data"));
}

TEST(AtomicDirectory, LeavesNothingWithoutCommit) {
  const TemporaryDirectory home;
  {
    const AtomicDirectory directory(home / "data");
    test::write(directory.temporary() / "a", "one");
  }
  EXPECT_THAT(test::names_in(home.path()), IsEmpty());
}

TEST(AtomicDirectory, ReplacesAnEmptyDirectory) {
  const TemporaryDirectory home;
  std::filesystem::create_directory(home / "data");
  AtomicDirectory directory(home / "data/");
  test::write(directory.temporary() / "a", "one");
  directory.commit();
  EXPECT_EQ(test::bytes_of(home / "data/a"), "one");
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("data"));
}

TEST(AtomicFile, FailsIfItCannotTakeItsName) {
  const TemporaryDirectory home;
  {
    AtomicFile file(home / "result.json");
    file.write("new");
    test::write(home / "result.json/in the way", "");
    EXPECT_EQ(thrown_by([&] { file.commit(); }),
              test::failed("cannot write " + (home / "result.json").string() + ": Is a directory"));
  }
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("result.json"));
}

TEST(AtomicDirectory, DoesNotReplaceADirectoryWithFiles) {
  const TemporaryDirectory home;
  test::write(home / "data/precious", "mine");
  {
    AtomicDirectory directory(home / "data");
    EXPECT_EQ(thrown_by([&] { directory.commit(); }),
              test::failed("cannot create " + (home / "data").string() + ": Directory not empty"));
  }
  EXPECT_EQ(test::bytes_of(home / "data/precious"), "mine");
  EXPECT_THAT(test::names_in(home.path()), ElementsAre("data"));
}

TEST(AtomicDirectory, NamesThePathWhoseParentIsMissing) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { AtomicDirectory directory(home / "no/where"); }),
            test::failed("cannot create " + (home / "no/where").string() + ": No such file or directory"));
}

}  // namespace
}  // namespace loadline
