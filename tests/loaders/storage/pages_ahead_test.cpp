#include "loaders/storage/pages_ahead.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"
#include "tests/loaders/support/files.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{128} << 10;
constexpr std::size_t kPlenty = std::size_t{1} << 40;  // bytes of memory

class PagesAskedForAhead : public testing::Test {
 protected:
  fs::path put(const std::string& name, std::size_t bytes) const {
    return test::write(home_ / name, std::string(bytes, 'x'));
  }
  static void touch(const std::byte* at) {
    [[maybe_unused]] const std::byte seen = *static_cast<const volatile std::byte*>(at);
  }

  // Drops the file from the page cache. Returns false if the page cache keeps it, as on tmpfs.
  static bool dropped(const fs::path& path) {
    const File file = File::open(path);
    file.wait_until_stored();
    file.drop_from_page_cache(file.size_bytes());
    return page_cache_residency(path).resident_pages == 0;
  }

  const test::TemporaryDirectory home_;
};

TEST_F(PagesAskedForAhead, AreCompleteOnceEveryBlockOfEveryFileWasRequested) {
  const MappedFile one(put("one", 2 * kBlock + 1));
  const MappedFile two(put("two", 10));
  const MappedFile none(put("none", 0));
  PagesAhead pages({one.bytes(), two.bytes(), none.bytes()}, kPlenty);
  pages.ask(one.bytes().subspan(kBlock - 1, 1));
  pages.ask(one.bytes().subspan(2 * kBlock, 1));
  pages.ask(one.bytes().subspan(5, 3));
  pages.ask(two.bytes());
  EXPECT_FALSE(pages.all_asked()) << "the middle block of one";
  pages.ask(one.bytes().subspan(kBlock, kBlock));
  EXPECT_TRUE(pages.all_asked());
  pages.ask(one.bytes());
  EXPECT_TRUE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, CoverEachBlockThatARunTouches) {
  const MappedFile file(put("file", 3 * kBlock));
  PagesAhead pages({file.bytes()}, kPlenty);
  pages.ask(file.bytes().subspan(kBlock - 1, kBlock + 2));
  EXPECT_TRUE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, AreNeverCompleteIfMemoryCannotHoldTheFiles) {
  const MappedFile file(put("file", kBlock));
  PagesAhead pages({file.bytes()}, kBlock);
  pages.ask(file.bytes());
  EXPECT_FALSE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, AreRequestedAgainOneByOneOnceManyAreMissing) {
  const MappedFile file(put("file", kBlock));
  PagesAhead pages({file.bytes()}, kPlenty);
  pages.note_missing(64, 64);
  pages.ask(file.bytes());
  EXPECT_TRUE(pages.all_asked()) << "what was not asked for yet may be missing";
  pages.note_missing(3, 64);
  EXPECT_TRUE(pages.all_asked()) << "few may be";
  pages.note_missing(0, 0);
  EXPECT_TRUE(pages.all_asked());
  pages.note_missing(4, 64);
  EXPECT_FALSE(pages.all_asked());
  pages.ask(file.bytes());
  EXPECT_FALSE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, AreRequestedFromCachedFilesOnceManyAreMissing) {
  const MappedFile file(put("file", 2 * kBlock));
  PagesAhead pages({file.bytes()}, kPlenty, PagesAhead::Start::kWhenMissing);
  EXPECT_TRUE(pages.all_asked());
  pages.note_missing(0, 64);
  EXPECT_TRUE(pages.all_asked());
  pages.note_missing(8, 64);
  EXPECT_FALSE(pages.all_asked());
  pages.ask(file.bytes());
  EXPECT_TRUE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, AreFollowedByTheOthersInTheOrderOfTheFiles) {
  const MappedFile one(put("one", 2 * kBlock));
  const MappedFile two(put("two", kBlock));
  PagesAhead pages({one.bytes(), two.bytes()}, kPlenty);
  pages.ask(one.bytes().first(1));
  pages.ask_for_others(8);  // 32 KiB each: two blocks
  EXPECT_FALSE(pages.all_asked());
  pages.ask_for_others(1);
  EXPECT_TRUE(pages.all_asked());
  pages.ask_for_others(1);
  EXPECT_TRUE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, ComeBeforeTheBlocksOfLargeFiles) {
  const fs::path path = home_ / "sparse";
  test::write(path, "");
  constexpr std::size_t kLarge = (std::size_t{2} << 30) + kBlock;
  fs::resize_file(path, kLarge);
  const MappedFile file(path);
  PagesAhead pages({file.bytes()}, kPlenty);
  for (std::size_t at = 0; at < kLarge; at += kBlock) pages.ask(file.bytes().subspan(at, 3000));
  EXPECT_FALSE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, SeemCachedUnlessSomeAreNot) {
  const fs::path path = put("file", 4 * kBlock);
  const fs::path other = put("other", 10);
  const MappedFile kept(other);
  EXPECT_TRUE(seem_cached(std::vector{kept.bytes()}));
  EXPECT_TRUE(seem_cached({}));
  if (!dropped(path)) GTEST_SKIP() << "the page cache keeps files of " << home_.path();
  const MappedFile file(path);
  EXPECT_FALSE(seem_cached(std::vector{kept.bytes(), file.bytes()}));
}

TEST_F(PagesAskedForAhead, AreCountedOnceHoweverManyThreadsAsk) {
  const MappedFile file(put("file", 200 * kBlock));
  PagesAhead pages({file.bytes()}, kPlenty);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (std::size_t at = 0; at < file.bytes().size(); at += kBlock) pages.ask(file.bytes().subspan(at, 1));
      });
    }
  }
  EXPECT_TRUE(pages.all_asked());
}

TEST_F(PagesAskedForAhead, AreNotCountedAsWaitedFor) {
  const fs::path path = put("file", 4 * kBlock);
  if (!dropped(path)) GTEST_SKIP() << "the page cache keeps files of " << home_.path();
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const MappedFile file(path);
  PagesAhead pages({file.bytes()}, kPlenty);
  pages.ask(file.bytes());
  const std::size_t before = pages_waited_for();
  for (std::size_t at = 0; at < file.bytes().size(); at += page) touch(file.bytes().data() + at);
  EXPECT_EQ(pages_waited_for(), before);
}

TEST_F(PagesAskedForAhead, StopTheSystemFromReadingAroundATouchedPage) {
  const fs::path path = put("file", 4 * kBlock);
  if (!dropped(path)) GTEST_SKIP() << "the page cache keeps files of " << home_.path();
  const MappedFile file(path);
  const std::size_t before = pages_waited_for();
  {
    const PagesAhead pages({file.bytes()}, kPlenty);
    touch(file.bytes().data() + 2 * kBlock);
    EXPECT_EQ(pages_waited_for(), before + 1);
    EXPECT_LT(page_cache_residency(path).resident_pages, kBlock / 4096);
  }
}

}  // namespace
}  // namespace loadline
