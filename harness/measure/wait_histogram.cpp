#include "harness/measure/wait_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace loadline {

// Each value below 2^kSubBits has its own bin; above, every power of two is divided into 2^kSubBits bins.
std::size_t WaitHistogram::bin_of(std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= kSubBits) return value;
  const unsigned shift = width - kSubBits - 1;
  return (std::size_t{shift} << kSubBits) + (value >> shift);
}

std::uint64_t WaitHistogram::middle_of(std::size_t bin) {
  if (bin < (std::size_t{2} << kSubBits)) return bin;
  const std::size_t shift = (bin >> kSubBits) - 1;
  const std::uint64_t low = (bin - (shift << kSubBits)) << shift;
  return low + (std::uint64_t{1} << shift) / 2;
}

void WaitHistogram::add(Time wait) {
  wait = std::max(wait, Time(0));
  ++bins_[bin_of(static_cast<std::uint64_t>(wait.count()))];
  ++count_;
  largest_ = std::max(largest_, wait);
  total_ += wait;
}

Time WaitHistogram::percentile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    seen += bins_[bin];
    // A bin's middle may lie above the largest value in it.
    if (seen > 0 && seen >= wanted) return std::min(Time(static_cast<Time::rep>(middle_of(bin))), largest_);
  }
  return Time(0);
}

}  // namespace loadline
