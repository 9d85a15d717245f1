// Asking for pages ahead; that batches stay the same is in conformance_test.cpp, of warm files, and here of cold ones.
#include "loaders/engines/page_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/loader.h"
#include "loaders/storage/file.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/pages.h"

namespace loadline {
namespace {

constexpr std::size_t kRecordBytes = 3073;  // of CIFAR-10: a label and an image
constexpr std::size_t kSamples = 2000;

std::string records() {
  std::string bytes;
  for (std::size_t i = 0; i < kSamples; ++i) {
    bytes += static_cast<char>(i % 10);
    bytes.append(kRecordBytes - 1, static_cast<char>(i % 251));
  }
  return bytes;
}

class ColdPages : public testing::Test {
 protected:
  ColdPages() : path_(test::write(home_ / "data_batch_1.bin", records())) {}

  std::unique_ptr<Dataset> open(bool in_memory = false) const {
    return open_dataset(home_.path(), {.in_memory = in_memory});
  }
  // Of 250 batches an epoch.
  static Sampler sampler(Order order) { return Sampler({.samples = kSamples, .batch_size = 8, .order = order}); }
  // False where the file system lives in the page cache.
  bool drop(const Dataset& dataset) const {
    dataset.forget_pages();
    const File file = File::open(path_);
    file.wait_until_stored();
    file.drop_from_page_cache(file.size_bytes());
    return page_cache_residency(path_).resident_pages == 0U;
  }
  // Rounded up to pages. Reads the rest, too.
  std::size_t asked_for_bytes() const { return test::pages_asked_for(path_) * 4096; }
  void warm() const { static_cast<void>(test::bytes_of(path_)); }

  const ImageTransform transform_{{3, 32, 32}, {.dtype = DType::kU8}, kernels_named("auto")};

 private:
  const test::TemporaryDirectory home_;
  const std::filesystem::path path_;
};

TEST_F(ColdPages, AreNotAskedForWhereSamplesAreInMemoryOrThePageCacheHoldsThem) {
  const Sampler order = sampler(Order::kShuffled);
  const auto memory = open(true);
  const ImageAssembler of_memory(*memory, transform_);
  EXPECT_EQ(PageAhead::where_cold(of_memory, order, {}, 4), nullptr);
  const auto mapped = open();
  const ImageAssembler of_file(*mapped, transform_);
  warm();
  EXPECT_EQ(PageAhead::where_cold(of_file, order, {}, 4), nullptr);
}

TEST_F(ColdPages, AreAskedForAsFarAheadAsThereAreBatches) {
  const Sampler order = sampler(Order::kSequential);
  const auto dataset = open();
  const ImageAssembler assembler(*dataset, transform_);
  if (!drop(*dataset)) GTEST_SKIP() << "the file system lives in the page cache";
  const auto pages = PageAhead::where_cold(assembler, order, {}, 9);
  ASSERT_NE(pages, nullptr);
  pages->before(0);
  const std::size_t ten_batches = 10 * 8 * kRecordBytes;
  const std::size_t asked_for = asked_for_bytes();
  EXPECT_GE(asked_for, ten_batches);
  EXPECT_LT(asked_for, ten_batches + (std::size_t{1} << 20));
  ASSERT_TRUE(drop(*dataset));
  pages->before(20);
  EXPECT_GE(asked_for_bytes(), 19 * ten_batches / 10) << "those behind, up to the 30th";
}

TEST_F(ColdPages, AreNoLongerAskedForWhenTheStreamHasEnded) {
  const Sampler order = sampler(Order::kShuffled);
  const auto dataset = open();
  const ImageAssembler assembler(*dataset, transform_);
  if (!drop(*dataset)) GTEST_SKIP() << "the file system lives in the page cache";
  const auto pages = PageAhead::where_cold(assembler, order, {.epochs = 1}, 4);
  ASSERT_NE(pages, nullptr);
  for (std::uint64_t i = 0; i < 250; ++i) pages->before(i);
  EXPECT_GE(asked_for_bytes(), kSamples * kRecordBytes) << "an epoch touches every page";
  ASSERT_TRUE(drop(*dataset));
  for (std::uint64_t i = 250; i < 260; ++i) pages->before(i);
  EXPECT_EQ(asked_for_bytes(), 0U);
}

TEST_F(ColdPages, GiveTheSameBatchesThroughEveryLoaderAsWarmOnes) {
  const Sampler order = sampler(Order::kShuffled);
  const auto dataset = open();
  const ImageAssembler assembler(*dataset, transform_);
  const auto sums = [&](const LoaderKind& kind) {
    const auto feed = kind.make(assembler, order, {.workers = kind.has_workers ? 2U : 0U, .stream = {.epochs = 1}});
    std::vector<std::size_t> all;
    while (const Batch batch = feed->next()) {
      std::size_t sum = batch->sequence;
      for (const std::byte value : batch->inputs()) sum = sum * 31 + std::to_integer<std::size_t>(value);
      all.push_back(sum);
    }
    return all;
  };
  for (const char* name : {"serial", "thread-pool", "flow-graph"}) {
    const LoaderKind& kind = loader_named(name);
    warm();
    const auto wanted = sums(kind);
    EXPECT_EQ(wanted.size(), 250U) << name;
    drop(*dataset);
    EXPECT_EQ(sums(kind), wanted) << name;
  }
}

}  // namespace
}  // namespace loadline
