#include "harness/measure/cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "harness/measure/prepare.h"
#include "loaders/error.h"
#include "synthetic/compute/drain.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// 6 MiB of images. Two datasets read the same files.
class PageCacheTest : public testing::Test {
 protected:
  PageCacheTest() {
    constexpr std::uint32_t kSamples = 2000;
    test::write(images(), test::idx_images(kSamples, 56, 56));
    test::write(home_ / "train-labels-idx1-ubyte", test::idx_header({kSamples}) + std::string(kSamples, '\1'));
    result_.datasets.resize(2);
    for (DatasetFacts& facts : result_.datasets) {
      open_.push_back(open_dataset(home_.path(), {}));
      facts.info = open_.back()->info();
    }
    pages_ = residency_of(facts().info)->pages;
  }

  fs::path images() const { return home_ / "train-images-idx3-ubyte"; }
  const DatasetFacts& facts() const { return result_.datasets[0]; }

  CellResult cell(CacheState state, std::size_t dataset = 0, Mode mode = Mode::kIo) const {
    CellResult made{.dataset = dataset};
    made.cell.mode = mode;
    made.cell.cache = state;
    return made;
  }
  // The page cache of a run with or without cold cells.
  PageCache cache(bool with_cold = true) {
    result_.cells = {cell(with_cold ? CacheState::kCold : CacheState::kWarm)};
    return {result_, {}, clock_};
  }
  std::optional<Residency> before(PageCache& cache, const CellResult& cell) {
    return cache.before_trial(cell, open_, stop_.get_token());
  }

  static void read_all(const Dataset& dataset) {
    dataset.visit([](StoredSample sample) {
      [[maybe_unused]] const volatile unsigned sum = touch_lines(sample);
      return true;
    });
  }
  // The page faults of reading a dataset that is in memory. One fault maps up to 16 pages.
  static long faults_of_reading(const Dataset& dataset) {
    const auto faults = [] {
      rusage used{};
      ::getrusage(RUSAGE_SELF, &used);
      return used.ru_minflt + used.ru_majflt;
    };
    const long before = faults();
    read_all(dataset);
    return faults() - before;
  }
  // Whether this file system drops files from the page cache at all.
  bool lets_go() {
    PageCache fresh = cache();
    const auto held = fresh.before_trial(cell(CacheState::kCold), open_, stop_.get_token());
    return held && held->resident_pages && *held->resident_pages < held->pages;
  }

  test::TemporaryDirectory home_;
  test::FakeClock clock_;
  std::stop_source stop_;
  Result result_;
  std::vector<std::unique_ptr<Dataset>> open_;
  std::size_t pages_ = 0;
};

TEST_F(PageCacheTest, DropsTheFilesOfAColdCellEvenIfOtherDatasetsMapThem) {
  if (!lets_go()) GTEST_SKIP() << "the file system lives in the page cache";
  for (const auto& dataset : open_) read_all(*dataset);
  PageCache cache = this->cache();
  const auto held = before(cache, cell(CacheState::kCold));
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->pages, pages_);
  EXPECT_EQ(held->resident_pages, 0U);
}

TEST_F(PageCacheTest, DropsTheFilesEvenIfADatasetOutsideTheResultMapsThem) {
  if (!lets_go()) GTEST_SKIP() << "the file system lives in the page cache";
  open_.push_back(open_dataset(home_.path(), {}));
  read_all(*open_.back());
  PageCache cache = this->cache();
  EXPECT_EQ(before(cache, cell(CacheState::kCold))->resident_pages, 0U);
  cache.before_ceiling(0, open_, stop_.get_token());
  EXPECT_LT(faults_of_reading(*open_.back()), 20) << "and maps it again for a ceiling";
}

TEST_F(PageCacheTest, DropsLabelsThatAreReadInPlace) {
  if (!lets_go()) GTEST_SKIP() << "the file system lives in the page cache";
  constexpr std::uint32_t kSamples = (1U << 20) + 1;
  test::write(home_ / "many/train-images-idx3-ubyte", test::idx_images(kSamples, 1, 1));
  test::write(home_ / "many/train-labels-idx1-ubyte", test::idx_header({kSamples}) + std::string(kSamples, '\1'));
  open_[1] = open_dataset(home_ / "many", {});
  result_.datasets[1].info = open_[1]->info();
  ASSERT_TRUE(open_[1]->labels().stored());
  open_[1]->labels().all();
  PageCache cache = this->cache();
  const auto held = before(cache, cell(CacheState::kCold, 1));
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->resident_pages, 0U);
}

TEST_F(PageCacheTest, ReportsHowMuchStaysIfItCannotBeDropped) {
  const MappedFile somebody(images());
  touch_lines(somebody.bytes());
  PageCache cache = this->cache();
  const auto held = before(cache, cell(CacheState::kCold));
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->pages, pages_);
  EXPECT_GE(held->resident_pages, pages_ - 1) << "all but perhaps the labels";
  EXPECT_GE(clock_.sleeps(), 1) << "it was asked for again";
  EXPECT_LE(clock_.sleeps(), 4) << "but not for ever";
}

TEST_F(PageCacheTest, ReadsWarmFilesAgainAfterAColdTrial) {
  PageCache cache = this->cache();
  read_all(*open_[1]);
  before(cache, cell(CacheState::kCold, 0));
  const auto held = before(cache, cell(CacheState::kWarm, 1));
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->resident_pages, pages_);
  EXPECT_LT(faults_of_reading(*open_[1]), 20) << "and they are mapped again";
}

TEST_F(PageCacheTest, ReadsSamplesAgainForACeiling) {
  PageCache cache = this->cache();
  before(cache, cell(CacheState::kCold));
  cache.before_ceiling(0, open_, stop_.get_token());
  EXPECT_EQ(residency_of(facts().info)->resident_pages, pages_);
}

TEST_F(PageCacheTest, ReadsNothingIfNoCellIsCold) {
  if (!lets_go()) GTEST_SKIP() << "the file system lives in the page cache";
  PageCache cache = this->cache(false);
  EXPECT_EQ(before(cache, cell(CacheState::kWarm))->resident_pages, 0U);
  cache.before_ceiling(0, open_, stop_.get_token());
  EXPECT_EQ(residency_of(facts().info)->resident_pages, 0U);
}

TEST_F(PageCacheTest, OnlyLooksAtTheFilesOfAnAsIsCell) {
  PageCache cache = this->cache();
  if (!lets_go()) GTEST_SKIP() << "the file system lives in the page cache";
  EXPECT_EQ(before(cache, cell(CacheState::kAsIs))->resident_pages, 0U);
  read_all(*open_[0]);
  const auto after = cache.after_trial(cell(CacheState::kAsIs));
  ASSERT_TRUE(after.has_value());
  EXPECT_GE(after->resident_pages, pages_ - 1);
  EXPECT_EQ(before(cache, cell(CacheState::kAsIs))->resident_pages, after->resident_pages);
}

TEST_F(PageCacheTest, SpendsAtMostATwentiethOfTheTimeLookingAtWarmFiles) {
  PageCache cache = this->cache(false);
  clock_.set_tick(1s);  // how long a look takes
  EXPECT_TRUE(before(cache, cell(CacheState::kWarm)).has_value());
  EXPECT_FALSE(before(cache, cell(CacheState::kWarm)).has_value());
  EXPECT_TRUE(before(cache, cell(CacheState::kWarm, 1)).has_value()) << "another dataset";
  clock_.advance(20s);
  EXPECT_TRUE(before(cache, cell(CacheState::kWarm)).has_value());
}

TEST_F(PageCacheTest, LooksNeitherForCellsWithoutALoaderNorAfterWarmTrials) {
  PageCache cache = this->cache();
  for (const Mode mode : {Mode::kSynthetic, Mode::kOverhead}) {
    EXPECT_FALSE(before(cache, cell(CacheState::kCold, 0, mode)).has_value());
    EXPECT_FALSE(cache.after_trial(cell(CacheState::kCold, 0, mode)).has_value());
  }
  EXPECT_FALSE(cache.after_trial(cell(CacheState::kWarm)).has_value());
  EXPECT_TRUE(cache.after_trial(cell(CacheState::kCold)).has_value());
}

TEST_F(PageCacheTest, NamesAFileThatIsMissing) {
  PageCache cache = this->cache();
  fs::remove(images());
  EXPECT_EQ(test::thrown_by([&] { before(cache, cell(CacheState::kCold)); }),
            test::failed("cannot open " + images().string() + ": No such file or directory"));
  EXPECT_FALSE(residency_of(facts().info).has_value());
}

TEST_F(PageCacheTest, StopsReadingWhenToldTo) {
  if (!lets_go()) GTEST_SKIP() << "the file system lives in the page cache";
  PageCache cache = this->cache();
  stop_.request_stop();
  EXPECT_LT(before(cache, cell(CacheState::kWarm))->resident_pages, pages_);
}

}  // namespace
}  // namespace loadline
