// Tests what fillers ask storage for before they read it, and how far ahead workers let them ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "loaders/assemble.h"
#include "loaders/loader.h"
#include "loaders/storage/file.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/token_files.h"
#include "tests/loaders/support/volumes.h"

namespace loadline {
namespace {

constexpr std::size_t kPageBlock = PagesAhead::kBlockBytes;
constexpr std::size_t kEnoughMemory = std::size_t{1} << 40;  // bytes of memory
constexpr std::size_t kBatch = 8;

// Returns whether the filler asks for all blocks of the dataset except `others`.
bool asks_for_all_but(const std::set<std::size_t>& others, const Assembler& assembler, std::uint64_t epoch,
                      std::vector<SampleIndex> indices) {
  const auto files = assembler.dataset().mapped_files();
  PagesAhead pages(files, kEnoughMemory);
  assembler.make_filler(kBatch)->ask_for(epoch, indices, pages);
  if (!others.empty() && pages.all_asked()) return false;
  for (const std::size_t block : others) pages.ask(files.front().subspan(block * kPageBlock, 1));
  return pages.all_asked();
}

class AskingAhead : public testing::Test {
 protected:
  const test::TemporaryDirectory home_;
};

TEST_F(AskingAhead, CoversEveryBlockThatASampleTouches) {
  // The file has 307,300 bytes in three blocks; sample 42 spans the first two.
  test::write(home_ / "data_batch_1.bin", test::cifar10(std::vector<int>(100, 3)));
  const auto dataset = open_dataset(home_.path(), {});
  const ImageAssembler assembler(*dataset, {dataset->info().shape, {}, kernels_named("auto")});
  EXPECT_TRUE(asks_for_all_but({}, assembler, 0, {99, 50, 0}));
  EXPECT_TRUE(asks_for_all_but({}, assembler, 0, {42, 99}));
  EXPECT_TRUE(asks_for_all_but({1}, assembler, 0, {0, 41, 99}));
  EXPECT_TRUE(asks_for_all_but({0, 2}, assembler, 0, {50}));
  EXPECT_TRUE(asks_for_all_but({0, 1, 2}, assembler, 0, {}));
}

TEST_F(AskingAhead, CoversASequenceWhereThatEpochPlacesIt) {
  constexpr std::uint64_t kSeed = 7;
  constexpr std::size_t kBlocks = 16;
  test::write(home_ / "tokens.bin", std::string(kBlocks * kPageBlock, '\1'));
  const auto dataset =
      open_dataset(home_ / "tokens.bin", {.format = "tokens", .sequence_length = 16, .sequences = Sequences::kRandom});
  const auto& tokens = dynamic_cast<const TokenDataset&>(*dataset);
  const TokenAssembler assembler(tokens, kSeed);
  std::set<std::size_t> firsts;
  for (const std::uint64_t epoch : {0U, 1U, 2U, 3U}) {
    const TokenRun run = tokens.place(5, kSeed, epoch);
    std::set<std::size_t> others;
    for (std::size_t block = 0; block < kBlocks; ++block) others.insert(block);
    others.erase(run.first * 2 / kPageBlock);
    others.erase(((run.first + run.count) * 2 - 1) / kPageBlock);
    EXPECT_TRUE(asks_for_all_but(others, assembler, epoch, {5})) << epoch;
    firsts.insert(run.first);
  }
  EXPECT_EQ(firsts.size(), 4U);
}

TEST_F(AskingAhead, CoversTheLayersOfACropInBothFields) {
  constexpr std::size_t kVolumeEdge = 64;  // eight blocks a field
  test::write_volume(home_ / "data.h5", {.edge = kVolumeEdge, .input_channels = 1, .target_channels = 1});
  constexpr std::size_t kEdge = 8;
  const auto dataset = open_dataset(home_ / "data.h5", {.crops = 10, .crop_edge = kEdge});
  const auto& volume = dynamic_cast<const VolumeDataset&>(*dataset);
  const VolumeTransform transform({.edge = kEdge, .seed = 5}, kernels_named("auto"));
  const VolumeAssembler assembler(volume, transform);
  const auto file = dataset->mapped_files().front();
  const auto reader = volume.make_crop_reader(kEdge);
  for (const std::uint64_t epoch : {0U, 1U}) {
    std::set<std::size_t> others;
    for (std::size_t block = 0; block * kPageBlock < file.size(); ++block) others.insert(block);
    for (const Field field : kFields) {
      const VolumeView crop = reader->read(field, transform.place(kVolumeEdge, epoch, 3).origin);
      for (std::size_t x = 0; x < kEdge; ++x) {
        for (std::size_t y = 0; y < kEdge; ++y) {
          const float* row = crop.first + static_cast<std::ptrdiff_t>(x) * crop.stride[0] +
                             static_cast<std::ptrdiff_t>(y) * crop.stride[1];
          const auto at = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(row) - file.data());
          others.erase(at / kPageBlock);
          others.erase((at + kEdge * sizeof(float) - 1) / kPageBlock);
        }
      }
    }
    EXPECT_FALSE(others.empty());
    EXPECT_TRUE(asks_for_all_but(others, assembler, epoch, {3})) << epoch;
  }
}

// Claims that its samples lie in a file that nobody has read. Records which samples were looked up, and how many had
// been when each batch was read.
class RecordingDataset final : public test::DecoratedDataset {
 public:
  RecordingDataset(const Dataset& inner, MappedBytes file) : DecoratedDataset(inner), file_(file) {}

  std::vector<MappedBytes> mapped_files() const override { return {file_}; }
  bool find_mapped(std::span<const SampleIndex> indices, std::span<StoredSample> out) const override {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      asked_.push_back(indices[i]);
      out[i] = file_.subspan(indices[i] * kSampleBytes, kSampleBytes);
    }
    return true;
  }

  std::vector<SampleIndex> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::vector<std::size_t> asked_before_reads() const {
    const std::lock_guard lock(mutex_);
    return asked_before_reads_;
  }

 private:
  static constexpr std::size_t kSampleBytes = 16;

  void before_reading(std::span<const SampleIndex> /*indices*/) const override {
    const std::lock_guard lock(mutex_);
    asked_before_reads_.push_back(asked_.size());
  }

  MappedBytes file_;
  mutable std::mutex mutex_;
  mutable std::vector<SampleIndex> asked_;
  mutable std::vector<std::size_t> asked_before_reads_;
};

class WorkersAskingAhead : public AskingAhead {
 protected:
  WorkersAskingAhead() {
    test::write(path_, "");
    // The file is sparse, and so large that there are always blocks left to ask for.
    std::filesystem::resize_file(path_, std::size_t{3} << 30);
    file_.emplace(path_);
    recording_.emplace(*dataset_, file_->bytes());
  }

  // Takes `batches` batches of sequential epochs, 16 batches per epoch.
  void take(std::size_t batches, const LoaderOptions& options) {
    const Sampler sampler({.samples = 64, .batch_size = 4, .order = Order::kSequential});
    const ImageAssembler assembler(*recording_, {{1, 4, 4}, {.dtype = DType::kU8}, kernels_named("auto")});
    const auto feed = loader_named("thread-pool").make(assembler, sampler, options);
    for (std::size_t i = 0; i < batches; ++i) ASSERT_TRUE(feed->next());
  }

  const std::filesystem::path path_ = home_ / "sparse";
  const std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(64);
  std::optional<MappedFile> file_;
  std::optional<RecordingDataset> recording_;
};

TEST_F(WorkersAskingAhead, AskFor1024SamplesBeyondTheBatchTheyReadAcrossEpochs) {
  take(3, {.workers = 1});
  const auto asked_before = recording_->asked_before_reads();
  ASSERT_GE(asked_before.size(), 3U);
  EXPECT_EQ(asked_before[0], 4U + 1024);
  EXPECT_EQ(asked_before[1], 2 * 4U + 1024);
  EXPECT_EQ(asked_before[2], 3 * 4U + 1024);
  const auto asked = recording_->asked();
  for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(asked[i], i % 64) << i;
}

TEST_F(WorkersAskingAhead, AskForNothingBeyondTheLastBatch) {
  take(32, {.workers = 1, .stream = {.epochs = 2}});
  EXPECT_EQ(recording_->asked().size(), 2U * 64);
}

TEST_F(WorkersAskingAhead, AskForEachSampleOnceAtAnyNumberOfWorkers) {
  take(32, {.workers = 5, .stream = {.epochs = 2}});
  auto asked = recording_->asked();
  ASSERT_EQ(asked.size(), 2U * 64);
  std::ranges::sort(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i], i / 2);
}

// Leaves its slots empty, but reads storage for each of the first `batches_that_read` batches. Records what it was told
// to fetch before each batch.
class FetchingAssembler final : public Assembler {
 public:
  FetchingAssembler(const Dataset& dataset, const File& past_page_cache, std::size_t batches_that_read)
      : Assembler(dataset), file_(past_page_cache), batches_that_read_(batches_that_read) {}

  std::size_t sample_bytes() const override { return 16; }
  SampleFormat sample_format() const override { return {.dtype = DType::kU8, .input = {1, 4, 4}}; }
  Stores effective(Stores /*stores*/) const override { return Stores::kCached; }
  std::unique_ptr<Filler> make_filler(std::size_t /*batch_size*/) const override {
    return std::make_unique<OwnFiller>(*this);
  }

  std::vector<std::vector<SampleIndex>> fetched() const {
    const std::lock_guard lock(mutex_);
    return fetched_;
  }

 private:
  class OwnFiller final : public Filler {
   public:
    explicit OwnFiller(const FetchingAssembler& assembler) : assembler_(assembler) {}

    void fill(Slot& /*slot*/, Stores /*stores*/) override {
      {
        const std::lock_guard lock(assembler_.mutex_);
        assembler_.fetched_.push_back(coming_);
      }
      coming_.clear();
      if (filled_++ >= assembler_.batches_that_read_) return;
      alignas(4096) std::array<std::byte, 4096> page{};
      assembler_.file_.read_once(0, page);
    }
    bool can_fetch() const override { return true; }
    void fetch(std::span<const SampleIndex> indices) override { coming_.assign(indices.begin(), indices.end()); }

   private:
    const FetchingAssembler& assembler_;
    std::vector<SampleIndex> coming_;
    std::size_t filled_ = 0;
  };

  const File& file_;
  std::size_t batches_that_read_;
  mutable std::mutex mutex_;
  mutable std::vector<std::vector<SampleIndex>> fetched_;
};

TEST_F(WorkersAskingAhead, FetchTheNextBatchAsLongAsReadsReachStorage) {
  const auto file = File::open_past_page_cache(test::write(home_ / "page", std::string(4096, 'x')));
  if (!file) GTEST_SKIP() << "the file system of " << home_.path() << " does not read past the page cache";
  const std::size_t before = blocks_read();
  alignas(4096) std::array<std::byte, 4096> page{};
  file->read_once(0, page);
  if (blocks_read() == before) GTEST_SKIP() << "the system does not count what is read";
  const FetchingAssembler assembler(*dataset_, *file, 2);
  const Sampler sampler({.samples = 64, .batch_size = 4, .order = Order::kSequential});
  const auto feed = loader_named("thread-pool").make(assembler, sampler, {.workers = 1, .stream = {.epochs = 1}});
  while (feed->next()) {
  }
  const auto fetched = assembler.fetched();
  ASSERT_EQ(fetched.size(), 16U);
  EXPECT_THAT(fetched[0], testing::IsEmpty()) << "nothing has been read";
  EXPECT_THAT(fetched[1], testing::ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(fetched[2], testing::ElementsAre(12, 13, 14, 15));
  for (std::size_t i = 3; i < 16; ++i) EXPECT_THAT(fetched[i], testing::IsEmpty()) << "all is cached";
}

}  // namespace
}  // namespace loadline
