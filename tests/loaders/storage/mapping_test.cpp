#include "loaders/storage/mapping.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using test::thrown_by;

std::size_t page() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

fs::path write_pages(const fs::path& path, std::size_t pages) {
  return test::write(path, std::string(pages * page(), 'x'));
}

// Reads a byte in a way that the compiler cannot optimise away.
char touch(const std::byte* at) {
  return static_cast<char>(*static_cast<const volatile std::byte*>(at));
}

char touch(const MappedFile& file, std::size_t offset) {
  return touch(file.bytes().data() + offset);
}

test::Thrown gone(const fs::path& path, std::size_t offset) {
  return test::failed("cannot read " + path.string() + ": the page at byte " + std::to_string(offset) +
                      " is gone (the file was truncated while in use, or its storage failed)");
}

// A mapping that is not a MappedFile.
class ForeignMapping {
 public:
  ForeignMapping(const fs::path& path, std::size_t size) : size_(size) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    data_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
  }
  ForeignMapping(const ForeignMapping&) = delete;
  ForeignMapping& operator=(const ForeignMapping&) = delete;
  ~ForeignMapping() {
    if (data_ != MAP_FAILED) ::munmap(data_, size_);
  }

  const std::byte* data() const { return static_cast<const std::byte*>(data_); }

 private:
  void* data_;
  std::size_t size_;
};

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const TemporaryDirectory home;
  const MappedFile file(test::write(home / "a", "hello"));
  ASSERT_EQ(file.bytes().size(), 5U);
  EXPECT_EQ(file.path(), home / "a");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.bytes().data()), 5), "hello");
  file.check_intact();
}

TEST(MappedFile, IsEmptyForAnEmptyFile) {
  const TemporaryDirectory home;
  const MappedFile file(test::write(home / "a", ""));
  EXPECT_TRUE(file.bytes().empty());
  file.check_intact();
}

TEST(MappedFile, NamesAMissingPath) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { MappedFile file(home / "nowhere"); }),
            test::failed("cannot open " + (home / "nowhere").string() + ": No such file or directory"));
}

TEST(MappedFile, RefusesADirectory) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { MappedFile file(home.path()); }),
            test::failed("cannot read " + home.path().string() + ": it is a directory, want a file"));
}

TEST(MappedFile, ReadsZerosAndIsNamedIfTruncatedWhileMapped) {
  const TemporaryDirectory home;
  const MappedFile file(write_pages(home / "a", 4));
  EXPECT_EQ(touch(file, 3 * page()), 'x');
  fs::resize_file(home / "a", page());
  EXPECT_EQ(touch(file, 3 * page() + 17), '\0');
  EXPECT_EQ(touch(file, 0), 'x');
  EXPECT_EQ(thrown_by([&] { file.check_intact(); }), gone(home / "a", 3 * page()));
}

TEST(MappedFile, IsNamedIfItsLastPartialPageIsTruncated) {
  const TemporaryDirectory home;
  const MappedFile file(test::write(home / "a", std::string(page() + 1, 'x')));
  fs::resize_file(home / "a", 0);
  EXPECT_EQ(touch(file, page()), '\0');
  EXPECT_EQ(thrown_by([&] { file.check_intact(); }), gone(home / "a", page()));
}

TEST(MappedFile, LeavesOtherMappingsIntactIfTruncated) {
  const TemporaryDirectory home;
  const MappedFile sound(write_pages(home / "sound", 4));
  const MappedFile broken(write_pages(home / "broken", 4));
  const MappedFile later(write_pages(home / "later", 4));
  fs::resize_file(home / "broken", 0);
  for (std::size_t at = 0; at < 4 * page(); at += page()) EXPECT_EQ(touch(broken, at), '\0');
  EXPECT_EQ(touch(sound, 3 * page()), 'x');
  sound.check_intact();
  later.check_intact();
  EXPECT_EQ(thrown_by([&] { broken.check_intact(); }).message.substr(0, 13), "cannot read /");
}

TEST(MappedFile, IsNamedByEachOfManyThreadsIfTruncated) {
  const TemporaryDirectory home;
  const MappedFile file(write_pages(home / "a", 64));
  fs::resize_file(home / "a", 0);
  std::vector<std::string> messages(4);
  {
    std::vector<std::jthread> readers;
    for (std::string& message : messages) {
      readers.emplace_back([&] {
        for (std::size_t at = 0; at < 64 * page(); at += page()) touch(file, at);
        message = thrown_by([&] { file.check_intact(); }).message;
      });
    }
  }
  for (const std::string& message : messages) EXPECT_THAT(message, testing::HasSubstr((home / "a").string()));
}

// If the kernel puts one mapping right below another, neither may be taken for the other. The hole that the first
// mapping leaves is too small for the last.
TEST(MappedFile, IsNotTakenForTheOneRightAboveIt) {
  const TemporaryDirectory home;
  auto place_in_table = std::make_unique<MappedFile>(write_pages(home / "small", 1));
  for (const char* name : {"upper", "lower"}) {
    test::write(home / name, "");
    fs::resize_file(home / name, std::size_t{64} << 20);
  }
  const MappedFile upper(home / "upper");
  place_in_table.reset();
  const MappedFile lower(home / "lower");
  if (lower.bytes().data() + lower.bytes().size() != upper.bytes().data()) GTEST_SKIP() << "mapped elsewhere";
  fs::resize_file(home / "upper", 0);
  touch(upper, 0);
  lower.check_intact();
  EXPECT_EQ(thrown_by([&] { upper.check_intact(); }), gone(home / "upper", 0));
}

TEST(MappedFile, CanBeOneOfThousands) {
  const TemporaryDirectory home;
  const fs::path path = write_pages(home / "a", 2);
  std::vector<std::unique_ptr<MappedFile>> files;
  for (int i = 0; i < 5000; ++i) files.push_back(std::make_unique<MappedFile>(path));
  fs::resize_file(path, page());
  EXPECT_EQ(touch(*files.back(), page()), '\0');
  EXPECT_EQ(thrown_by([&] { files.back()->check_intact(); }), gone(path, page()));
  files.front()->check_intact();
}

// The handler runs in one thread while others map and unmap. A sanitizer reports a handler that reads what is gone.
TEST(MappedFile, LearnsOfItsVanishedPagesWhileOthersComeAndGo) {
  const TemporaryDirectory home;
  constexpr std::size_t kPages = 2000;
  const fs::path sound = write_pages(home / "sound", 1);
  test::write(home / "broken", "");
  fs::resize_file(home / "broken", kPages * page());
  const MappedFile broken(home / "broken");
  fs::resize_file(home / "broken", 0);
  std::atomic<bool> done{false};
  std::vector<std::jthread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      do {
        const auto file = std::make_unique<MappedFile>(sound);
        EXPECT_EQ(touch(*file, 0), 'x');
        file->check_intact();
      } while (!done);
    });
  }
  for (std::size_t at = 0; at < kPages * page(); at += page()) EXPECT_EQ(touch(broken, at), '\0');
  done = true;
  EXPECT_EQ(thrown_by([&] { broken.check_intact(); }), gone(home / "broken", (kPages - 1) * page()));
}

TEST(MappedFile, ChecksClaimedPartsAgainstItsLength) {
  const TemporaryDirectory home;
  const fs::path path = test::write(home / "a", "0123456789");
  const MappedFile file(path);
  const auto refusal = [&](std::uint64_t offset, std::uint64_t count, std::uint64_t element_bytes) {
    return thrown_by([&] { file.part("the array", offset, count, element_bytes); });
  };
  EXPECT_EQ(file.part("the array", 4, 3, 2).data(), file.bytes().data() + 4);
  EXPECT_EQ(file.part("the array", 4, 3, 2).size(), 6U);
  EXPECT_EQ(file.part("the array", 10, 0, 8).size(), 0U);
  EXPECT_EQ(refusal(4, 7, 1), test::failed("cannot open " + path.string() +
                                           ": the array reaches to byte 11, the file ends at 10 (truncated)"));
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  for (const auto& [offset, count, element_bytes] : std::vector<std::array<std::uint64_t, 3>>{
           {kMost - 3, 2, 4}, {kMost, 1, 1}, {8, kMost, 1}, {0, kMost / 2, 4}, {16, kMost / 16 + 1, 16}}) {
    EXPECT_EQ(refusal(offset, count, element_bytes),
              test::failed("cannot open " + path.string() + ": the array has " + std::to_string(count) + " x " +
                           std::to_string(element_bytes) + " bytes from byte " + std::to_string(offset) +
                           " on, more than any file can hold"));
  }
}

// A foreign page that vanishes. The foreign handler maps another in its place.
void* foreign_page = nullptr;
int foreign_signals = 0;

void mend_foreign_page(int /*signal*/) {
  ++foreign_signals;
  ::mmap(foreign_page, page(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

TEST(MappedFileDeathTest, StillLearnsOfItsVanishedPagesAfterAForeignSignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryDirectory home;
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, mend_foreign_page);
        const MappedFile file(write_pages(home / "ours", 2));
        const ForeignMapping foreign(write_pages(home / "theirs", 1), page());
        foreign_page = const_cast<std::byte*>(foreign.data());
        fs::resize_file(home / "theirs", 0);
        fs::resize_file(home / "ours", page());
        touch(foreign.data());
        touch(file, page());
        const bool told = thrown_by([&] { file.check_intact(); }) == gone(home / "ours", page());
        fs::remove_all(home.path());  // this process ends without its destructors
        ::_exit(told && foreign_signals == 1 ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

TEST(MappedFileDeathTest, LeavesASentSignalToThePreviousHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryDirectory home;
  const fs::path path = write_pages(home / "ours", 1);
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);  // a sanitizer has a handler of its own
        const MappedFile file(path);
        ::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_IGN);
        const MappedFile file(path);
        ::raise(SIGBUS);
        ::_exit(42);
      },
      testing::ExitedWithCode(42), "");
}

TEST(MappedFileDeathTest, LeavesAForeignSignalToThePreviousHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryDirectory home;
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, [](int) { ::_exit(42); });
        const MappedFile file(write_pages(home / "ours", 1));
        const ForeignMapping foreign(write_pages(home / "theirs", 1), page());
        fs::resize_file(home / "theirs", 0);
        fs::remove_all(home.path());  // this process ends without its destructors
        touch(foreign.data());
      },
      testing::ExitedWithCode(42), "");
}

TEST(MappedFileDeathTest, LeavesASignalFromThePageAfterItToThePreviousHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryDirectory home;
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, [](int) { ::_exit(42); });
        const std::size_t size = std::size_t{64} << 20;
        for (const char* name : {"ours", "theirs"}) {
          test::write(home / name, "");
          fs::resize_file(home / name, size);
        }
        const ForeignMapping foreign(home / "theirs", size);
        const MappedFile file(home / "ours");
        fs::resize_file(home / "theirs", 0);
        fs::remove_all(home.path());                                    // this process ends without its destructors
        if (file.bytes().data() + size != foreign.data()) ::_exit(42);  // mapped elsewhere: nothing to see
        touch(foreign.data());
      },
      testing::ExitedWithCode(42), "");
}

TEST(PageCacheResidency, IsCompleteRightAfterReading) {
  const TemporaryDirectory home;
  const fs::path path = test::write(home / "a", std::string(3 * page() + 1, 'x'));
  test::bytes_of(path);
  const Residency residency = page_cache_residency(path);
  EXPECT_EQ(residency.pages, 4U);
  EXPECT_EQ(residency.resident_pages, 4U);
  EXPECT_EQ(page_cache_residency(path, page() + 1).pages, 2U) << "of the first bytes alone";
}

TEST(PageCacheResidency, CountsNoPagesOfAnEmptyFile) {
  const TemporaryDirectory home;
  const Residency residency = page_cache_residency(test::write(home / "a", ""));
  EXPECT_EQ(residency.pages, 0U);
  EXPECT_EQ(residency.resident_pages, 0U);
}

TEST(PageCacheResidency, NamesAMissingPath) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { page_cache_residency(home / "nowhere"); }),
            test::failed("cannot open " + (home / "nowhere").string() + ": No such file or directory"));
}

TEST(PageCacheResidency, AddsUp) {
  Residency sum{.pages = 4, .resident_pages = 1};
  sum += {.pages = 3, .resident_pages = 2};
  EXPECT_EQ(sum.pages, 7U);
  EXPECT_EQ(sum.resident_pages, 3U);
}

}  // namespace
}  // namespace loadline
