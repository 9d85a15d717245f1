// Sums over ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "synthetic/compute/gradient_sum.h"

namespace loadline::test {

// What the ranks share. The last rank that starts a sum computes it.
class SumWorld {
 public:
  explicit SumWorld(std::size_t size) : started_(size) {}

  std::size_t size() const { return started_.size(); }
  void start(std::size_t rank, std::span<float> numbers) {
    const std::scoped_lock lock(mutex_);
    const std::size_t index = started_[rank]++;
    if (sums_.size() <= index) sums_.resize(index + 1);
    std::vector<std::span<float>>& parts = sums_[index].parts;
    parts.resize(size());
    parts[rank] = numbers;
    if (++sums_[index].started < size()) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      float sum = 0;
      for (const auto& part : parts) sum += part[i];
      for (const auto& part : parts) part[i] = sum;
    }
    ++done_;
    changed_.notify_all();
  }
  bool is_done(std::size_t rank) {
    const std::scoped_lock lock(mutex_);
    return done_ >= started_[rank];
  }
  void wait(std::size_t rank) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= started_[rank]; });
  }
  // The lengths of the parts, in the order in which their sums were started.
  std::vector<std::size_t> lengths() {
    const std::scoped_lock lock(mutex_);
    std::vector<std::size_t> lengths;
    for (const Sum& sum : sums_) lengths.push_back(sum.parts.front().size());
    return lengths;
  }

 private:
  struct Sum {
    std::vector<std::span<float>> parts;  // by rank
    std::size_t started = 0;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Sum> sums_;
  std::vector<std::size_t> started_;  // sums that each rank has started
  std::size_t done_ = 0;
};

class LocalSum final : public GradientSum {
 public:
  LocalSum(SumWorld& world, std::size_t rank) : world_(world), rank_(rank) {}

  std::size_t ranks() const override { return world_.size(); }
  std::optional<std::span<float>> meet(std::size_t values) override {
    room_.assign(values, 0.0F);
    return room_;
  }
  void start(std::span<float> part) override { world_.start(rank_, part); }
  bool poll() override { return world_.is_done(rank_); }
  bool wait() override {
    world_.wait(rank_);
    return true;
  }

 private:
  SumWorld& world_;
  std::size_t rank_;
  std::vector<float> room_;
};

}  // namespace loadline::test
