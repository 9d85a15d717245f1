#include "harness/ceilings/fillers.h"

#include <algorithm>

#include "harness/ceilings/kernels.h"
#include "loaders/batch_pool.h"
#include "synthetic/compute/drain.h"

namespace loadline {
namespace {

// After this many the order repeats: except for the smallest samples, far more than a cache holds.
constexpr std::size_t kMostOrdered = std::size_t{1} << 20;

// One for each side, and one in transit.
constexpr std::size_t kFewestExchanged = 3;

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

}  // namespace

Fillers::Fillers(const CeilingSubject& subject, std::size_t threads)
    : streams_(subject.assembler.effective(Stores::kStreaming) == Stores::kStreaming),
      batch_size_(subject.sampler.batch_size()),
      order_(order_of(subject.sampler)) {
  for (std::size_t i = 0; i < threads; ++i) {
    hands_.push_back({.filler = subject.assembler.make_filler(batch_size_), .next = i});
  }
}

std::vector<std::string_view> Fillers::ways() const {
  if (!streams_) return {name(Stores::kCached)};
  return {name(Stores::kCached), name(Stores::kStreaming)};
}

double Fillers::fill(std::size_t thread, std::size_t way, Slot& slot) {
  Hand& hand = hands_[thread];
  const std::size_t batches = order_.size() / batch_size_;
  slot.count = batch_size_;
  slot.epoch = hand.next / batches;
  std::ranges::copy(std::span(order_).subspan(hand.next % batches * batch_size_, batch_size_), slot.indices.begin());
  hand.next += hands_.size();
  hand.filler->fill(slot, way == 0 ? Stores::kCached : Stores::kStreaming);
  return static_cast<double>(slot.count);
}

std::size_t slots_exchanged(std::size_t slot_bytes) {
  constexpr std::size_t kMost = 64;
  return std::min(kMost, kFewestExchanged + kReuseBytes / std::max<std::size_t>(1, slot_bytes));
}

SlotsAcross slots_across(std::size_t slot_bytes) {
  const std::size_t exchanged = slots_exchanged(slot_bytes);
  if (exchanged == kFewestExchanged) return {.own = 1, .spare = 3};
  return {.own = exchanged, .spare = 0};
}

std::size_t slots_drained(std::size_t writers, std::size_t slot_bytes) {
  return writers + 1 + slots_exchanged(slot_bytes) - kFewestExchanged;
}

void read_lines(std::span<const std::byte> bytes) {
  const unsigned sum = touch_lines(bytes);
  asm volatile("" : : "r"(sum));  // the sum counts as used
}

}  // namespace loadline
