// The work of a loader without the loader: threads that fill slots of their own, and one that reads a batch.
#include <algorithm>
#include <utility>
#include <vector>

#include "harness/ceilings/kernels.h"
#include "loaders/batch_pool.h"
#include "synthetic/compute/drain.h"

namespace loadline {
namespace {

// After this many the order repeats: except for the smallest samples, far more than a cache holds.
constexpr std::size_t kMostOrdered = std::size_t{1} << 20;

void read_lines(std::span<const std::byte> bytes) {
  const unsigned sum = touch_lines(bytes);
  asm volatile("" : : "r"(sum));  // the sum counts as used
}

// The full batches of one epoch, in the cell's own order, with the indices of one batch after the other.
std::vector<SampleIndex> order_of(const Sampler& sampler) {
  std::vector<SampleIndex> permutation(sampler.permutation_size());
  sampler.permute(0, permutation);
  const std::size_t size = sampler.batch_size();
  const std::size_t most = std::max<std::size_t>(1, kMostOrdered / size);
  const std::size_t batches = std::min(sampler.samples_per_epoch() / size, most);
  std::vector<SampleIndex> order(batches * size);
  for (std::size_t i = 0; i < batches; ++i) sampler.batch(0, permutation, i, std::span(order).subspan(i * size, size));
  return order;
}

class Gathering final : public CeilingKernel {
 public:
  Gathering(const CeilingSubject& subject, bool drain)
      : streams_(subject.assembler.effective(Stores::kStreaming) == Stores::kStreaming),
        batch_size_(subject.sampler.batch_size()),
        drain_(drain),
        order_(order_of(subject.sampler)),
        pool_(subject.threads, batch_size_, subject.assembler.sample_bytes()) {
    for (std::size_t i = 0; i < subject.threads; ++i) {
      hands_.push_back({.slot = pool_.try_acquire(),
                        .cached = subject.assembler.make_filler(batch_size_, Stores::kCached),
                        .streaming = subject.assembler.make_filler(batch_size_, Stores::kStreaming),
                        .next = i});
    }
  }

  std::vector<std::string_view> ways() const override {
    if (!streams_) return {name(Stores::kCached)};
    return {name(Stores::kCached), name(Stores::kStreaming)};
  }

  std::optional<Pace> run(std::size_t way, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this, way](std::size_t thread) { return fill(hands_[thread], way); };
    return pace_of(hands_.size(), work, stint, clock, stop);
  }

 private:
  // What one thread needs, on its own cache lines.
  struct alignas(64) Hand {
    Batch slot;
    std::unique_ptr<Filler> cached;
    std::unique_ptr<Filler> streaming;
    std::size_t next;  // batch, of all that the threads take in turn
  };

  double fill(Hand& hand, std::size_t way) {
    const std::size_t batches = order_.size() / batch_size_;
    Slot& slot = *hand.slot;
    slot.count = batch_size_;
    slot.epoch = hand.next / batches;
    std::ranges::copy(std::span(order_).subspan(hand.next % batches * batch_size_, batch_size_), slot.indices.begin());
    hand.next += hands_.size();
    (way == 0 ? hand.cached : hand.streaming)->fill(slot);
    if (drain_) read_lines(slot.bytes());
    return static_cast<double>(slot.count);  // fewer than requested if corrupt ones are skipped
  }

  bool streams_;
  std::size_t batch_size_;
  bool drain_;
  std::vector<SampleIndex> order_;
  BatchPool pool_;
  std::vector<Hand> hands_;
};

class Draining final : public CeilingKernel {
 public:
  explicit Draining(const CeilingSubject& subject)
      : batch_size_(subject.sampler.batch_size()), pool_(1, batch_size_, subject.assembler.sample_bytes()) {
    batch_ = pool_.try_acquire();
    batch_->count = batch_size_;
    const auto order = order_of(subject.sampler);
    std::ranges::copy(std::span(order).first(batch_size_), batch_->indices.begin());
    subject.assembler.make_filler(batch_size_, Stores::kCached)->fill(*batch_);
  }

  std::optional<Pace> run(std::size_t /*way*/, const Stint& stint, const Clock& clock,
                          const std::stop_token& stop) override {
    const Work work = [this](std::size_t /*thread*/) {
      read_lines(batch_->bytes());
      return static_cast<double>(batch_size_);
    };
    return pace_of(1, work, stint, clock, stop);
  }

 private:
  std::size_t batch_size_;
  BatchPool pool_;
  Batch batch_;
};

}  // namespace

std::unique_ptr<CeilingKernel> make_gather(const CeilingSubject& subject) {
  return std::make_unique<Gathering>(subject, false);
}

std::unique_ptr<CeilingKernel> make_gather_drain(const CeilingSubject& subject) {
  return std::make_unique<Gathering>(subject, true);
}

std::unique_ptr<CeilingKernel> make_drain(const CeilingSubject& subject) {
  return std::make_unique<Draining>(subject);
}

}  // namespace loadline
