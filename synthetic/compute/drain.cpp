#include "synthetic/compute/drain.h"

namespace loadline {
namespace {

constexpr std::size_t kLineBytes = 64;

class Drain final : public Sink {
 public:
  void consume(Batch batch) override {
    const unsigned sum = touch_lines(batch->bytes());
    asm volatile("" : : "r"(sum));  // makes the sum count as used
  }
};

}  // namespace

unsigned touch_lines(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  // Four sums, so that no load waits for the addition before it.
  unsigned sums[4] = {};
  std::size_t at = 0;
  for (; at + 4 * kLineBytes <= bytes.size(); at += 4 * kLineBytes) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += data[at + k * kLineBytes];
  }
  for (; at < bytes.size(); at += kLineBytes) sums[0] += data[at];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

std::unique_ptr<Sink> make_drain(std::span<const double> /*values*/, const ComputeContext& /*context*/) {
  return std::make_unique<Drain>();
}

}  // namespace loadline
