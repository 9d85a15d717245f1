// Tests what is specific to oneTBB; conformance_test.cpp tests the rest.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <memory>
#include <thread>

#include "loaders/loader.h"
#include "tests/loaders/support/datasets.h"

namespace loadline {
namespace {

namespace tbb = oneapi::tbb;

class FlowGraph : public testing::Test {
 protected:
  std::unique_ptr<Feed> feed(const Assembler& assembler, const LoaderOptions& options) const {
    return loader_named("flow-graph").make(assembler, sampler_, options);
  }

  const std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(64);
  const ImageTransform transform_{{1, 4, 4}, {.dtype = DType::kU8}, kernels_named("auto")};

 private:
  const Sampler sampler_{{.samples = 64, .batch_size = 1, .order = Order::kSequential}};
};

TEST_F(FlowGraph, HasAllItsWorkersThoughTheProcessLimitsOneTbbToOneThread) {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const test::MeetingDataset meeting(*dataset_, 3);
  const ImageAssembler assembler(meeting, transform_);
  EXPECT_TRUE(feed(assembler, {.workers = 3})->next());
}

// The first thread that reads sample 0 waits in oneTBB, as a library under a decoder may, until `others` more reads
// have begun.
class WaitingDataset final : public test::DecoratedDataset {
 public:
  WaitingDataset(const Dataset& inner, int others) : DecoratedDataset(inner), others_(others) {}

  bool waiting_thread_read_on() const { return read_on_; }

 private:
  void before_reading(std::span<const SampleIndex> indices) const override {
    if (std::this_thread::get_id() == waiting_) read_on_ = true;
    if (others_.fetch_sub(1) == 0) unfinished_ = {};
    if (!test::contains(indices, 0) || waiting_ != std::thread::id()) return;
    waiting_ = std::this_thread::get_id();
    parallel_->wait();
    waiting_ = std::thread::id();
  }

  mutable std::atomic<int> others_;
  mutable std::atomic<std::thread::id> waiting_{};
  mutable std::atomic<bool> read_on_{false};
  const std::unique_ptr<tbb::task_group> parallel_ = std::make_unique<tbb::task_group>();
  mutable tbb::task_handle unfinished_ = parallel_->defer([] {});
};

TEST_F(FlowGraph, FinishesABatchThatWaitsInOneTbbBeforeTheSameThreadTakesTheNext) {
  constexpr int others = 5000;
  const WaitingDataset waiting(*dataset_, others);
  const ImageAssembler assembler(waiting, transform_);
  const auto one = feed(assembler, {.workers = 2, .prefetch = others});
  EXPECT_TRUE(one->next());
  EXPECT_FALSE(waiting.waiting_thread_read_on());
}

}  // namespace
}  // namespace loadline
