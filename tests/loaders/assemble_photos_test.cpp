#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/loader.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/jpegs.h"
#include "tests/loaders/support/shard_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::StartsWith;

constexpr std::size_t kPhotos = 11;

std::string tar_of(std::size_t index, std::string_view image, int label) {
  return test::tar_sample("photo" + std::to_string(index), image, label);
}

std::string record_of(std::size_t /*index*/, std::string_view image, int label) {
  return test::tfrecord_of(test::example_of(image, label));
}

// Packs all samples of `from` into one shard.
template <typename Pack>
std::string shards_of(const Dataset& from, const Pack& pack) {
  std::string bytes;
  std::size_t index = 0;
  from.visit([&](StoredSample sample) {
    bytes += pack(index, {reinterpret_cast<const char*>(sample.data()), sample.size()}, from.labels()[index]);
    ++index;
    return true;
  });
  return bytes;
}

// Photographs of different sizes in two classes. load() returns what a loader delivers from them.
class Photographs : public testing::Test {
 protected:
  Photographs() {
    for (std::size_t i = 0; i < kPhotos; ++i) {
      const auto encoded = test::jpeg_of(test::photo({.height = 40 + i, .width = 60 - i}, 3, i + 1));
      put(i, {reinterpret_cast<const char*>(encoded.data()), encoded.size()});
    }
  }

  fs::path path_of(std::size_t i) const {
    return home_ / (std::string(i < 6 ? "a" : "b") + "/" + static_cast<char>('a' + i) + ".jpg");
  }
  void put(std::size_t i, const std::string& bytes) const { test::write(path_of(i), bytes); }

  PhotoTransform transform(DType dtype) const {
    PhotoOptions options{.size = {.height = 16, .width = 24}, .flip = true, .dtype = dtype};
    if (dtype != DType::kU8) options.mean = options.stddev = {0.5, 0.25, 0.125};
    return {options, kernels_named("auto")};
  }

  struct Delivered {
    std::vector<SampleIndex> indices;
    std::vector<std::int32_t> labels;
    std::vector<std::byte> bytes;
    bool operator==(const Delivered&) const = default;
  };

  std::vector<Delivered> load(const Assembler& assembler, const LoaderKind& kind, LoaderOptions options) const {
    const Sampler sampler({.samples = kPhotos, .batch_size = 4});
    options.stream.epochs = 2;
    const auto feed = kind.make(assembler, sampler, options);
    std::vector<Delivered> all;
    while (const Batch batch = feed->next()) {
      const auto indices = batch->indices.first(batch->count);
      const auto labels = batch->labels.first(batch->count);
      all.push_back({{indices.begin(), indices.end()},
                     {labels.begin(), labels.end()},
                     {batch->bytes().begin(), batch->bytes().end()}});
    }
    return all;
  }

  const test::TemporaryDirectory home_;
};

TEST_F(Photographs, AreTheSameFromEveryLoaderAtEveryNumberOfWorkersHoweverTheyAreStored) {
  for (const DType dtype : {DType::kU8, DType::kF32, DType::kBF16}) {
    const auto files = open_dataset(home_.path(), {});
    const auto memory = open_dataset(home_.path(), {.in_memory = true});
    const PhotoAssembler from_files(*files, transform(dtype), OnCorrupt::kFail);
    const PhotoAssembler from_memory(*memory, transform(dtype), OnCorrupt::kFail);
    const auto expected = load(from_files, loader_named("serial"), {});
    ASSERT_EQ(expected.size(), 6U);
    for (const FileRead read : {FileRead::kMmap, FileRead::kUring}) {
      const auto otherwise = open_dataset(home_.path(), {.read = read});
      const PhotoAssembler from_otherwise(*otherwise, transform(dtype), OnCorrupt::kFail);
      const auto load_all = [&] {
        for (const std::size_t workers : {1U, 3U}) {
          EXPECT_EQ(load(from_otherwise, loader_named("thread-pool"), {.workers = workers}), expected) << name(read);
          EXPECT_EQ(load(from_otherwise, loader_named("flow-graph"), {.workers = workers}), expected) << name(read);
        }
        EXPECT_EQ(content_fingerprint(*otherwise), content_fingerprint(*files)) << name(read);
      };
      const auto refusal = test::thrown_by(load_all).message;
      EXPECT_THAT(refusal, testing::AnyOf("", StartsWith("cannot read files by io_uring: "))) << "in a container";
    }
    const test::TemporaryDirectory elsewhere;
    test::write_packed(elsewhere / "packed.h5", *files);
    const auto tars =
        open_dataset(test::write(elsewhere / "shards/a.tar", shards_of(*files, tar_of)).parent_path(), {});
    const auto records =
        open_dataset(test::write(elsewhere / "records/a.tfrecord", shards_of(*files, record_of)).parent_path(), {});
    for (const Dataset* const shards : {tars.get(), records.get()}) {
      EXPECT_EQ(content_fingerprint(*shards), content_fingerprint(*files)) << shards->info().format;
      const PhotoAssembler from_shards(*shards, transform(dtype), OnCorrupt::kFail);
      for (const LoaderKind& kind : loaders()) {
        if (kind.access) continue;
        for (const std::size_t workers : {1U, 3U}) {
          EXPECT_EQ(load(from_shards, kind, {.workers = workers}), expected)
              << kind.name << " with " << workers << " on " << shards->info().format;
        }
      }
    }
    for (const LoaderKind& kind : loaders()) {
      if (kind.access == Access::kMapped || kind.access == Access::kRows) {
        const auto packed = open_dataset(elsewhere / "packed.h5", {.access = kind.access});
        const PhotoAssembler from_packed(*packed, transform(dtype), OnCorrupt::kFail);
        for (const std::size_t workers : {1U, 3U}) {
          EXPECT_EQ(load(from_packed, kind, {.workers = workers}), expected) << kind.name << " with " << workers;
        }
      }
      if (kind.access) continue;
      for (const std::size_t workers : {1U, 3U}) {
        EXPECT_EQ(load(from_files, kind, {.workers = workers}), expected) << kind.name << " with " << workers;
        EXPECT_EQ(load(from_memory, kind, {.workers = workers}), expected) << kind.name << " with " << workers;
        EXPECT_EQ(load(from_files, kind, {.workers = workers, .stores = Stores::kStreaming}), expected);
      }
    }
  }
}

// The count excludes libjpeg's own memory, which it allocates and frees for each image.
TEST_F(Photographs, FillBatchesWithoutAllocatingOnceTheLargestWasSeen) {
  for (const bool in_memory : {false, true}) {
    SCOPED_TRACE(in_memory);
    const auto dataset = open_dataset(home_.path(), {.in_memory = in_memory});
    const PhotoAssembler assembler(*dataset, transform(DType::kF32), OnCorrupt::kFail);
    BatchPool pool(1, kPhotos, assembler.sample_bytes());
    const Batch batch = pool.acquire();
    batch->count = kPhotos;
    std::iota(batch->indices.begin(), batch->indices.end(), SampleIndex{0});
    const auto filler = assembler.make_filler(kPhotos);
    filler->fill(*batch, Stores::kCached);
    const std::size_t before = test::allocations_so_far();
    for (int i = 0; i < 3; ++i) filler->fill(*batch, Stores::kCached);
    EXPECT_EQ(test::allocations_so_far() - before, 0U);
  }
}

TEST_F(Photographs, AreNamedWithTheReasonIfCorrupt) {
  put(7, "");
  const auto dataset = open_dataset(home_.path(), {});
  const PhotoAssembler assembler(*dataset, transform(DType::kU8), OnCorrupt::kFail);
  for (const char* loader : {"serial", "thread-pool"}) {
    EXPECT_THAT(test::thrown_by([&] { load(assembler, loader_named(loader), {.workers = 2}); }).message,
                StartsWith("cannot decode " + path_of(7).string() + " (sample 7): "));
  }
  EXPECT_TRUE(assembler.skipped().empty());
}

TEST_F(Photographs, AreNotCalledCorruptIfTheirShardWasCutWhileInUse) {
  const test::TemporaryDirectory elsewhere;
  const auto files = open_dataset(home_.path(), {});
  const fs::path tar = test::write(elsewhere / "a.tar", shards_of(*files, tar_of));
  const fs::path packed = elsewhere / "packed.h5";
  test::write_packed(packed, *files);
  for (const fs::path& path : {tar, packed}) {
    const auto dataset = open_dataset(path, {});
    const PhotoAssembler assembler(*dataset, transform(DType::kU8), OnCorrupt::kFail);
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_THAT(test::thrown_by([&] { load(assembler, loader_named("serial"), {}); }).message,
                StartsWith("cannot read " + path.string() + ": "));
  }
}

TEST_F(Photographs, CanBeSkippedAndReportedIfCorrupt) {
  const std::string sound = test::bytes_of(path_of(2));
  put(2, sound.substr(0, sound.size() / 2));
  put(7, "no image");
  const auto dataset = open_dataset(home_.path(), {});
  const PhotoAssembler assembler(*dataset, transform(DType::kF32), OnCorrupt::kSkip);
  const auto expected = load(assembler, loader_named("serial"), {});
  std::map<SampleIndex, int> times;
  for (const Delivered& batch : expected) {
    EXPECT_EQ(batch.bytes.size(), batch.indices.size() * assembler.sample_bytes());
    for (std::size_t i = 0; i < batch.indices.size(); ++i) {
      ++times[batch.indices[i]];
      EXPECT_EQ(batch.labels[i], batch.indices[i] < 6 ? 0 : 1);
    }
  }
  EXPECT_EQ(times.size(), kPhotos - 2);
  EXPECT_FALSE(times.contains(2) || times.contains(7));
  EXPECT_EQ(load(assembler, loader_named("thread-pool"), {.workers = 3}), expected);
  const auto skipped = assembler.skipped();
  ASSERT_EQ(skipped.size(), 2U) << "each once, in however many epochs";
  const test::ArrivalScript script;
  const test::ArrivingDataset arriving(*dataset, script);
  const PhotoAssembler as_they_arrive(arriving, transform(DType::kF32), OnCorrupt::kSkip);
  EXPECT_EQ(load(as_they_arrive, loader_named("flow-graph"), {.workers = 3}), expected);
  EXPECT_EQ(as_they_arrive.skipped().size(), 2U);
  EXPECT_TRUE(as_they_arrive.skipped().contains(2) && as_they_arrive.skipped().contains(7));
  EXPECT_THAT(skipped.at(2), StartsWith("cannot decode " + path_of(2).string() + " (sample 2): "));
}

TEST_F(Photographs, AreNamedOrSkippedIfTheirRecordHasAWrongChecksum) {
  const test::TemporaryDirectory elsewhere;
  std::string shard = shards_of(*open_dataset(home_.path(), {}), record_of);
  shard[shard.size() - 1] = static_cast<char>(shard.back() ^ 1);
  const auto records = open_dataset(test::write(elsewhere / "a.tfrecord", shard), {});
  const std::string why =
      "cannot decode " + records->describe(10) + " (sample 10): the checksum of its record is wrong (corrupt)";
  const PhotoAssembler failing(*records, transform(DType::kU8), OnCorrupt::kFail);
  EXPECT_EQ(test::thrown_by([&] { load(failing, loader_named("thread-pool"), {.workers = 2}); }).message, why);
  const PhotoAssembler skipping(*records, transform(DType::kU8), OnCorrupt::kSkip);
  load(skipping, loader_named("thread-pool"), {.workers = 2});
  EXPECT_EQ(skipping.skipped(), (std::map<SampleIndex, std::string>{{10, why}}));
}

TEST_F(Photographs, MakeEmptyBatchesIfAllAreCorrupt) {
  for (std::size_t i = 0; i < kPhotos; ++i) put(i, "no image");
  const auto dataset = open_dataset(home_.path(), {});
  const PhotoAssembler assembler(*dataset, transform(DType::kU8), OnCorrupt::kSkip);
  const test::ArrivalScript script;
  const test::ArrivingDataset arriving(*dataset, script);
  const PhotoAssembler as_they_arrive(arriving, transform(DType::kU8), OnCorrupt::kSkip);
  auto all = load(assembler, loader_named("thread-pool"), {.workers = 2});
  std::ranges::copy(load(as_they_arrive, loader_named("flow-graph"), {.workers = 2}), std::back_inserter(all));
  for (const Delivered& batch : all) {
    EXPECT_TRUE(batch.indices.empty());
    EXPECT_TRUE(batch.bytes.empty());
  }
  EXPECT_EQ(assembler.skipped().size(), kPhotos);
}

// Fills one slot with the samples that the test names, as a worker does.
class OneWorker {
 public:
  explicit OneWorker(const Assembler& assembler)
      : pool_(1, kPhotos, assembler.sample_bytes()), filler_(assembler.make_filler(kPhotos)), slot_(pool_.acquire()) {}

  // Returns the bytes of the batch, or no bytes and the message if it failed.
  std::pair<std::vector<std::byte>, std::string> fill(const std::vector<SampleIndex>& indices) {
    std::ranges::copy(indices, slot_->indices.begin());
    slot_->count = indices.size();
    const auto thrown = test::thrown_by([&] { filler_->fill(*slot_, Stores::kCached); });
    if (!thrown.message.empty()) return {{}, thrown.message};
    return {{slot_->bytes().begin(), slot_->bytes().end()}, ""};
  }

 private:
  BatchPool pool_;
  std::unique_ptr<Filler> filler_;
  Batch slot_;
};

TEST_F(Photographs, LeaveNothingBehindAfterAFailedBatchHoweverTheyAreRead) {
  put(1, "no image");
  const std::vector<SampleIndex> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<SampleIndex> sound{10, 9, 8, 7, 6, 5, 4, 3, 2, 0};
  const std::vector<SampleIndex> before{0, 2, 4, 6};
  for (const OnCorrupt on_corrupt : {OnCorrupt::kFail, OnCorrupt::kSkip}) {
    const auto files = open_dataset(home_.path(), {});
    const PhotoAssembler from_files(*files, transform(DType::kU8), on_corrupt);
    OneWorker expected(from_files);
    const auto work = [&](FileRead read) {
      const auto otherwise = open_dataset(home_.path(), {.read = read});
      const PhotoAssembler from_otherwise(*otherwise, transform(DType::kU8), on_corrupt);
      OneWorker worker(from_otherwise);
      for (int round = 0; round < 20; ++round) {
        for (const auto& indices : {all, sound, all, all, before, sound}) {
          EXPECT_EQ(worker.fill(indices), expected.fill(indices)) << name(read);
        }
      }
      // A file that has disappeared is a failure of storage, which is never skipped.
      fs::rename(path_of(0), home_ / "elsewhere");
      for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(worker.fill(all).second, "cannot open " + path_of(0).string() + ": No such file or directory");
      }
      fs::rename(home_ / "elsewhere", path_of(0));
    };
    work(FileRead::kMmap);
    const auto refusal = test::thrown_by([&] { work(FileRead::kUring); }).message;
    EXPECT_THAT(refusal, testing::AnyOf("", StartsWith("cannot read files by io_uring: "))) << "in a container";
  }
}

// Regression test: the destructor of a worker hung if more files were in flight than its batch has.
TEST_F(Photographs, EndTheFeedIfOneIsCorruptHoweverManyAreInFlight) {
  const std::string sound = test::bytes_of(path_of(0));
  for (int i = 0; i < 150; ++i) test::write(home_ / ("c/" + std::to_string(i) + ".jpg"), sound);
  test::write(home_ / "c/77.jpg", "no image");
  const auto refusal = test::thrown_by([&] {
    const auto dataset = open_dataset(home_.path(), {.read = FileRead::kUring});
    const PhotoAssembler assembler(*dataset, transform(DType::kU8), OnCorrupt::kFail);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Sampler sampler({.samples = dataset->info().samples, .batch_size = 64, .seed = seed});
      const auto feed = loader_named("thread-pool").make(assembler, sampler, {.workers = 1, .prefetch = 1});
      const auto load = [&] {
        while (feed->next()) continue;
      };
      EXPECT_THAT(test::thrown_by(load).message, StartsWith("cannot decode ")) << "seed " << seed;
    }
  });
  EXPECT_THAT(refusal.message, testing::AnyOf("", StartsWith("cannot read files by io_uring: "))) << "in a container";
}

}  // namespace
}  // namespace loadline
