#include "loaders/storage/page_requests.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "loaders/storage/file.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/pages.h"

namespace loadline {
namespace {

std::size_t page() {
  static const auto kBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

// A mapped file of this many pages.
class PagesOfAFile {
 public:
  explicit PagesOfAFile(std::size_t pages, const char* name = "a")
      : file_(test::write(home_ / name, std::string(pages * page(), 'x'))) {}

  const MappedFile& file() const { return file_; }
  std::span<const std::byte> pages(std::size_t first, std::size_t count) const {
    return file_.bytes().subspan(first * page(), count * page());
  }
  // False where the file system lives in the page cache.
  bool drop() const {
    const File file = File::open(file_.path());
    file_.forget_pages();
    file.wait_until_stored();
    file.drop_from_page_cache(file_.bytes().size());
    return page_cache_residency(file_.path()).resident_pages == 0U;
  }
  // Of its pages; see there.
  std::size_t asked_for() const { return test::pages_asked_for(file_.path()); }

 private:
  const test::TemporaryDirectory home_;
  MappedFile file_;
};

TEST(PageRequests, AskForThePagesThatAPartLiesInWhereThereAreNoBlocks) {
  const PagesOfAFile pages(64);
  PageRequests requests({&pages.file()}, 0);
  requests.want(pages.file().bytes().subspan(5 * page() - 1, 2));
  EXPECT_EQ(requests.ask(), 2 * page());
  EXPECT_EQ(requests.ask(), 0U) << "nothing was wanted since";
  requests.want(pages.pages(5, 1));
  EXPECT_EQ(requests.ask(), page()) << "memory may have lost it";
  EXPECT_FALSE(requests.asked_for_all());
}

TEST(PageRequests, AskForABlockOnceAndKnowWhenNoneIsLeft) {
  const PagesOfAFile pages(10);  // blocks of 4, 4 and 2
  PageRequests requests({&pages.file()}, 4 * page());
  requests.want(pages.pages(1, 1));
  requests.want(pages.pages(2, 1));
  EXPECT_EQ(requests.ask(), 4 * page());
  requests.want(pages.pages(0, 5));
  EXPECT_EQ(requests.ask(), 4 * page()) << "the second alone";
  EXPECT_FALSE(requests.asked_for_all());
  requests.want(pages.pages(9, 1));
  EXPECT_EQ(requests.ask(), 2 * page());
  EXPECT_TRUE(requests.asked_for_all());
}

TEST(PageRequests, AskForPartsThatOverlapOrTouchAsOne) {
  const PagesOfAFile pages(64);
  PageRequests requests({&pages.file()}, 0);
  requests.want(pages.pages(12, 4));
  requests.want(pages.pages(8, 4));
  requests.want(pages.pages(9, 5));
  EXPECT_EQ(requests.ask(), 8 * page());
}

TEST(PageRequests, AskForMoreThanTheSystemReadsAtOnceInSeveralPieces) {
  const PagesOfAFile pages(256);
  if (!pages.drop()) GTEST_SKIP() << "the file system lives in the page cache";
  PageRequests requests({&pages.file()}, 16 * page());
  requests.want(pages.pages(0, 256));
  EXPECT_EQ(requests.ask(), 256 * page());
  EXPECT_TRUE(requests.asked_for_all());
  EXPECT_EQ(pages.asked_for(), 256U);
}

TEST(PageRequests, BringThePagesOfAPartAndNoNeighbours) {
  const PagesOfAFile pages(256);
  if (!pages.drop()) GTEST_SKIP() << "the file system lives in the page cache";
  PageRequests requests({&pages.file()}, 0);
  requests.want(pages.pages(40, 3));
  EXPECT_EQ(requests.ask(), 3 * page());
  EXPECT_EQ(pages.asked_for(), 3U);
}

TEST(PageRequests, BringWholeBlocksInEachOfSeveralFiles) {
  const PagesOfAFile first(64);
  const PagesOfAFile second(64, "b");
  if (!first.drop() || !second.drop()) GTEST_SKIP() << "the file system lives in the page cache";
  PageRequests requests({&second.file(), &first.file()}, 8 * page());
  requests.want(first.pages(9, 1));
  requests.want(second.pages(15, 2));
  EXPECT_EQ(requests.ask(), 24 * page());
  EXPECT_EQ(first.asked_for(), 8U);
  EXPECT_EQ(second.asked_for(), 16U);
}

TEST(PageRequests, LeaveOutWhatLiesInNoneOfTheFiles) {
  const PagesOfAFile pages(4);
  PageRequests requests({&pages.file()}, 4 * page());
  const std::byte elsewhere[8] = {};
  requests.want(elsewhere);
  requests.want({});
  EXPECT_EQ(requests.ask(), 0U);
  EXPECT_FALSE(requests.asked_for_all());
}

TEST(SomePagesMissing, IsSoOfAFileThatWasDroppedAndNotOfOneThatWasRead) {
  const PagesOfAFile there(64);
  const PagesOfAFile dropped(64, "b");
  static_cast<void>(there.asked_for());
  const std::vector<const MappedFile*> one = {&there.file()};
  EXPECT_FALSE(some_pages_missing(one));
  EXPECT_FALSE(some_pages_missing({}));
  if (!dropped.drop()) GTEST_SKIP() << "the file system lives in the page cache";
  const std::vector<const MappedFile*> both = {&there.file(), &dropped.file()};
  EXPECT_TRUE(some_pages_missing(both));
  EXPECT_TRUE(some_pages_missing(both, 3)) << "looks are spread over all files";
}

}  // namespace
}  // namespace loadline
