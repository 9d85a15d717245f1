// Ranks as threads of one process.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/ranks/messages.h"
#include "harness/ranks/ranks.h"

namespace loadline {

// What they share.
class LocalWorld {
 public:
  explicit LocalWorld(std::size_t size) : boxes_(size), gone_(size), begun_(size) {}

  std::size_t size() const { return boxes_.size(); }
  void send(std::size_t from, std::size_t to, std::string bytes) {
    const std::scoped_lock lock(mutex_);
    if (!gone_[from]) boxes_[to].push_back({from, std::move(bytes)});
  }
  std::optional<Message> receive(std::size_t rank) {
    const std::scoped_lock lock(mutex_);
    if (gone_[rank] || boxes_[rank].empty()) return std::nullopt;
    Message message = std::move(boxes_[rank].front());
    boxes_[rank].pop_front();
    return message;
  }
  // From here on nothing comes from it and nothing gets to it, as if its process were gone.
  void lose(std::size_t rank) {
    const std::scoped_lock lock(mutex_);
    gone_[rank] = true;
  }
  std::size_t finished() const { return finished_; }
  void finish() { ++finished_; }

  struct Sum {
    std::vector<std::span<float>> values;
    std::size_t there = 0;
    bool done = false;
  };
  std::shared_ptr<Sum> begin_sum(std::size_t rank, std::span<float> values) {
    const std::scoped_lock lock(mutex_);
    const std::size_t number = begun_[rank]++;
    if (number == sums_.size()) sums_.push_back(std::make_shared<Sum>(Sum{std::vector<std::span<float>>(size())}));
    const auto sum = sums_[number];
    sum->values[rank] = values;
    if (++sum->there < size()) return sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
      float total = 0;
      for (const auto& of_rank : sum->values) total += of_rank[i];
      for (const auto& of_rank : sum->values) of_rank[i] = total;
    }
    sum->done = true;
    return sum;
  }
  bool is_done(const Sum& sum) const {
    const std::scoped_lock lock(mutex_);
    return sum.done;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::deque<Message>> boxes_;
  std::vector<bool> gone_;
  std::vector<std::size_t> begun_;
  std::vector<std::shared_ptr<Sum>> sums_;
  std::atomic<std::size_t> finished_{0};
};

class LocalMessages final : public Messages {
 public:
  LocalMessages(LocalWorld& world, std::size_t rank) : world_(world), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return world_.size(); }
  std::string description() const override { return "threads of one process"; }
  void send(std::size_t to, std::string bytes) override { world_.send(rank_, to, std::move(bytes)); }
  std::optional<Message> receive() override { return world_.receive(rank_); }
  std::unique_ptr<PendingSum> begin_sum(std::span<float> values) override {
    class Pending final : public PendingSum {
     public:
      Pending(LocalWorld& world, std::shared_ptr<LocalWorld::Sum> sum) : world_(world), sum_(std::move(sum)) {}
      bool done() override { return world_.is_done(*sum_); }

     private:
      LocalWorld& world_;
      std::shared_ptr<LocalWorld::Sum> sum_;
    };
    return std::make_unique<Pending>(world_, world_.begin_sum(rank_, values));
  }
  void finish() override { world_.finish(); }
  void abort(int /*code*/) override { world_.lose(rank_); }

 private:
  LocalWorld& world_;
  std::size_t rank_;
};

}  // namespace loadline
