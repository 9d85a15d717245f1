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
#include "loaders/error.h"
#include "tests/synthetic/compute/local_sum.h"

namespace loadline {

// What the ranks share.
class LocalWorld {
 public:
  explicit LocalWorld(std::size_t size) : boxes_(size), gone_(size), sums_(size) {}

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
  // From now on the rank sends and receives nothing, as if its process were gone.
  void lose(std::size_t rank) {
    const std::scoped_lock lock(mutex_);
    gone_[rank] = true;
  }
  test::SumWorld& sums() { return sums_; }
  std::size_t finished() const { return finished_; }
  void finish() { ++finished_; }

 private:
  mutable std::mutex mutex_;
  std::vector<std::deque<Message>> boxes_;
  std::vector<bool> gone_;
  test::SumWorld sums_;
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
  void start_sum(std::span<float> numbers) override { world_.sums().start(rank_, numbers); }
  bool sums_done() override { return world_.sums().is_done(rank_); }
  void finish() override { world_.finish(); }
  void abort(int /*code*/) override { world_.lose(rank_); }

 private:
  LocalWorld& world_;
  std::size_t rank_;
};

inline constexpr RankLimits kPatient{.silence_seconds = 600, .grace_seconds = 600};

// Runs `work` on each of `size` ranks, each rank on its own thread, and waits for all of them.
inline void on_all(std::size_t size, const RankLimits& limits, const std::function<void(Ranks&, LocalWorld&)>& work) {
  LocalWorld world(size);
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      Ranks ranks(std::make_unique<LocalMessages>(world, rank), "host" + std::to_string(rank), limits,
                  [](const std::string& /*sentence*/) {});
      work(ranks, world);
    });
  }
}

inline std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace loadline
