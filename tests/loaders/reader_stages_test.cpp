// Tests which stages the readers of each kind of storage report in the logs of a feed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/loader.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/jpegs.h"

namespace loadline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

constexpr std::size_t kStagedSamples = 4;

// The stages of one batch of all samples: how often each is entered, and how many bytes are read.
struct Way {
  std::multiset<std::string_view> stages;
  std::uint64_t read_bytes = 0;
};

Way way_of_a_batch(const Assembler& assembler) {
  const Sampler sampler({.samples = kStagedSamples, .batch_size = kStagedSamples});
  std::vector<WorkerLog> logs;
  logs.emplace_back(1000);
  const auto feed = loader_named("serial").make(assembler, sampler, {.stream = {.epochs = 1}, .logs = logs});
  EXPECT_TRUE(feed->next());
  Way way;
  for (const WorkerSpan& span : logs[0].spans()) {
    if (span.sequence != 0) continue;
    way.stages.insert(name(span.stage));
    way.read_bytes += span.bytes;
  }
  EXPECT_EQ(logs[0].lost(), 0U);
  return way;
}

class StagedPhotographs : public testing::Test {
 protected:
  StagedPhotographs() {
    for (std::size_t i = 0; i < kStagedSamples; ++i) {
      const auto encoded = test::jpeg_of(test::photo({.height = 24, .width = 32}, 3, i + 1));
      bytes_ += encoded.size();
      test::write(home_ / ("a/" + std::string(1, static_cast<char>('a' + i)) + ".jpg"),
                  {reinterpret_cast<const char*>(encoded.data()), encoded.size()});
    }
  }

  Way way(const DatasetOptions& options) const {
    const auto dataset = open_dataset(home_.path(), options);
    const PhotoTransform transform({.size = {.height = 8, .width = 8}}, kernels_named("auto"));
    return way_of_a_batch(PhotoAssembler(*dataset, transform, OnCorrupt::kFail));
  }

  const test::TemporaryDirectory home_;
  std::uint64_t bytes_ = 0;
};

TEST_F(StagedPhotographs, AreOpenedReadAndDecodedOneAfterTheOther) {
  const Way by_calls = way({.read = FileRead::kPread});
  EXPECT_EQ(by_calls.stages.count("decode"), kStagedSamples);
  EXPECT_EQ(by_calls.stages.count("open"), 2 * kStagedSamples) << "to open and to close";
  EXPECT_GE(by_calls.stages.count("read"), kStagedSamples);
  EXPECT_EQ(by_calls.stages.count("inflate") + by_calls.stages.count("library lock"), 0U);
  EXPECT_EQ(by_calls.read_bytes, bytes_);
}

TEST_F(StagedPhotographs, AreOpenedAndReadDuringDecodingIfMapped) {
  const Way mapped = way({.read = FileRead::kMmap});
  EXPECT_EQ(mapped.stages.count("decode"), kStagedSamples);
  EXPECT_GE(mapped.stages.count("open"), kStagedSamples);
}

TEST_F(StagedPhotographs, AreReadBeforeDecodingByARing) {
  const Way ahead = way({.read = FileRead::kUring});
  EXPECT_EQ(ahead.stages.count("decode"), kStagedSamples);
  EXPECT_GE(ahead.stages.count("read"), kStagedSamples);
  EXPECT_EQ(ahead.read_bytes, bytes_);
}

TEST_F(StagedPhotographs, AreNotOpenedIfInMemory) {
  const Way resident = way({.in_memory = true});
  EXPECT_EQ(resident.stages.count("open"), 0U);
  EXPECT_EQ(resident.stages.count("decode"), kStagedSamples);
}

class StagedRows : public testing::Test {
 protected:
  Way way(const Hdf5Layout& layout, Access access) const {
    test::write_hdf5(home_ / "data.h5", *test::patterned_dataset(kStagedSamples), layout);
    const auto dataset = open_dataset(home_ / "data.h5", {.access = access});
    return way_of_a_batch(ImageAssembler(*dataset, {{1, 4, 4}, {.dtype = DType::kU8}, kernels_named("auto")}));
  }

  const test::TemporaryDirectory home_;
};

TEST_F(StagedRows, AreReadUnderTheLockOfTheHdf5Library) {
  const Way rows = way({}, Access::kRows);
  EXPECT_GE(rows.stages.count("library lock"), 1U);
  EXPECT_GE(rows.stages.count("read"), 1U);
  EXPECT_EQ(rows.stages.count("inflate") + rows.stages.count("decode") + rows.stages.count("open"), 0U);
}

TEST_F(StagedRows, AreReadAndInflatedFromCompressedChunks) {
  const Way chunks = way({.chunk_rows = 2, .gzip_level = 1}, Access::kChunks);
  EXPECT_EQ(chunks.stages.count("inflate"), kStagedSamples / 2) << "each chunk once";
  EXPECT_GE(chunks.stages.count("library lock"), 1U);
  EXPECT_GE(chunks.stages.count("read"), 1U);
}

TEST_F(StagedRows, AreNotInflatedFromPlainChunks) {
  EXPECT_THAT(way({.chunk_rows = 2}, Access::kChunks).stages, Not(Contains("inflate")));
}

TEST_F(StagedRows, AreOnlyLookedUpIfMapped) {
  const Way mapped = way({}, Access::kMapped);
  EXPECT_THAT(std::set(mapped.stages.begin(), mapped.stages.end()), ElementsAre("order", "read", "transform"));
  EXPECT_EQ(mapped.read_bytes, 0U);
}

}  // namespace
}  // namespace loadline
