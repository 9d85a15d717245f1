#include "harness/ranks/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "loaders/error.h"

namespace loadline {

std::optional<std::span<float>> RankSums::meet(std::size_t values) {
  const auto others = ranks_.inner(fmt::format("{}", values), [](const std::vector<std::string>& parts) {
    for (std::size_t rank = 1; rank < parts.size(); ++rank) {
      if (parts[rank] != parts.front()) {
        return fmt::format("rank {} has {} values and rank 0 has {}", rank, parts[rank], parts.front());
      }
    }
    return std::string();
  });
  if (!others) return std::nullopt;
  if (!others->empty()) {
    throw Error(fmt::format("cannot sum up gradients: {}", *others));
  }
  if (pending_) left_behind_.push_back(std::move(*room_));
  const std::size_t size_bytes = values * sizeof(float);
  if (pending_ || !room_ || room_->bytes().size() < size_bytes) room_.emplace(size_bytes);
  const std::span<float> room{reinterpret_cast<float*>(room_->bytes().data()), values};
  std::ranges::fill(room, 0.0F);
  return room;
}

void RankSums::start(std::span<float> part) {
  pending_ = true;
  ranks_.start_sum(part);
}

bool RankSums::poll() {
  if (pending_ && ranks_.sums_done()) pending_ = false;
  return !pending_;
}

bool RankSums::wait() {
  // A slightly slower step on another rank is not worth a message.
  constexpr std::chrono::seconds kWorthTelling{1};
  const auto since = std::chrono::steady_clock::now();
  bool told = false;
  while (!poll() && !ranks_.failure()) {
    std::this_thread::yield();
    if (!told && std::chrono::steady_clock::now() - since > kWorthTelling) {
      told = true;
      ranks_.note_sum_wait(true);
    }
  }
  if (told) ranks_.note_sum_wait(false);
  return !pending_;
}

}  // namespace loadline
