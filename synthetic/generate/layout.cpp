#include "synthetic/generate/layout.h"

#include <array>
#include <utility>

#include "loaders/random.h"

namespace loadline {
namespace {

// Random streams of one split, kept apart by their numbers.
constexpr std::uint64_t kLabelStream = 0;
constexpr std::uint64_t kPictureStream = 1;

}  // namespace

std::uint8_t balanced_label(const SplitPlan& split, std::size_t index, std::size_t classes) {
  std::array<std::uint8_t, 256> order;
  for (std::size_t label = 0; label < classes; ++label) order[label] = static_cast<std::uint8_t>(label);
  Random random(key_of(split.key, kLabelStream, index / classes));
  for (std::size_t left = classes; left > 1; --left)
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
  return order[index % classes];
}

std::uint64_t picture_key(const SplitPlan& split, std::size_t index) {
  return key_of(split.key, kPictureStream, index);
}

}  // namespace loadline
