#include "harness/measure/resident.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

struct Setting {
  std::unique_ptr<Dataset> dataset = test::patterned_dataset(12);
  ImageTransform transform{dataset->info().shape, {.dtype = DType::kU8}, kernels_named("auto")};
  ImageAssembler assembler{*dataset, transform};
  Sampler sampler{{.samples = 12, .batch_size = 4, .order = Order::kSequential}};
};

TEST(ResidentFeed, LendsTheSameBatchesAgainAndAgain) {
  const Setting setting;
  ResidentFeed feed(setting.assembler, setting.sampler, 2);
  std::set<const std::byte*> places;
  for (int i = 0; i < 100; ++i) {
    const Batch batch = feed.next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->count, 4U);
    places.insert(batch->bytes().data());
  }
  EXPECT_LE(places.size(), 2U);
}

TEST(ResidentFeed, HoldsTheFirstBatchesOfTheSampler) {
  const Setting setting;
  ResidentFeed feed(setting.assembler, setting.sampler, 2);
  const Batch first = feed.next();
  const Batch second = feed.next();
  std::set<SampleIndex> indices;
  for (const Batch* batch : {&first, &second}) {
    for (const SampleIndex index : (*batch)->indices.first((*batch)->count)) indices.insert(index);
  }
  EXPECT_EQ(indices, (std::set<SampleIndex>{0, 1, 2, 3, 4, 5, 6, 7}));
  const SampleIndex index = first->indices[0];
  EXPECT_EQ(std::to_integer<unsigned>(first->bytes()[0]), 31 * index % 251);
  EXPECT_EQ(first->labels[0], static_cast<std::int32_t>(index % 7));
}

TEST(ResidentFeed, GoesOnPastTheEndOfTheEpoch) {
  const Setting setting;
  ResidentFeed feed(setting.assembler, setting.sampler, 5);
  std::vector<Batch> held;
  for (int i = 0; i < 5; ++i) held.push_back(feed.next());
  for (const Batch& batch : held) EXPECT_EQ(batch->count, 4U);
}

TEST(ResidentFeed, RefusesToLendMoreThanItHas) {
  const Setting setting;
  ResidentFeed feed(setting.assembler, setting.sampler, 1);
  const Batch held = feed.next();
  EXPECT_EQ(test::thrown_by([&] { feed.next(); }),
            test::failed("resident batches: the consumer holds more batches than it announced"));
}

TEST(ResidentFeed, DetectsCorruptStorageBeforeAnyTrial) {
  const Setting setting;
  const test::FailingDataset failing(*setting.dataset, 2);
  const ImageAssembler assembler(failing, setting.transform);
  EXPECT_EQ(test::thrown_by([&] { ResidentFeed(assembler, setting.sampler, 1); }),
            test::failed(test::FailingDataset::message(2)));
}

TEST(KeptFeed, LendsTheBatchesOfAnotherFeedAgainAndAgain) {
  const Setting setting;
  KeptFeed feed(std::make_unique<ResidentFeed>(setting.assembler, setting.sampler, 3), 2);
  std::set<const std::byte*> places;
  for (int i = 0; i < 100; ++i) {
    const Batch batch = feed.next();
    ASSERT_TRUE(batch);
    places.insert(batch->bytes().data());
  }
  EXPECT_EQ(places.size(), 2U);
}

TEST(KeptFeed, RefusesToLendMoreThanItHas) {
  const Setting setting;
  KeptFeed feed(std::make_unique<ResidentFeed>(setting.assembler, setting.sampler, 2), 1);
  const Batch held = feed.next();
  EXPECT_EQ(test::thrown_by([&] { feed.next(); }),
            test::failed("resident batches: the consumer holds more batches than it announced"));
}

TEST(KeptFeed, RefusesALoaderThatEndsTooEarly) {
  const Setting setting;
  const LoaderOptions once{.held_batches = 5, .stream = {.epochs = 1}};
  auto serial = loader_named("serial").make(setting.assembler, setting.sampler, once);
  EXPECT_EQ(test::thrown_by([&] { KeptFeed(std::move(serial), 4); }),
            test::failed("resident batches: the loader ended before it had delivered enough"));
}

}  // namespace
}  // namespace loadline
