#include "harness/measure/apart.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "loaders/error.h"
#include "loaders/foreign_call.h"

namespace loadline {
namespace {

using WallClock = std::chrono::steady_clock;  // a hanging call hangs in real time

std::atomic<bool> left_behind{false};

// What an abandoned thread may still use.
struct Shared {
  Whereabouts whereabouts;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  std::exception_ptr failure;
};

void work_on(Shared& shared, const std::function<void(const std::stop_token&)>& work) {
  watch_this_thread(&shared.whereabouts);
  try {
    work(shared.stop.get_token());
  } catch (...) {
    shared.failure = std::current_exception();
  }
  watch_this_thread(nullptr);
  const std::lock_guard lock(shared.mutex);
  shared.done = true;
  shared.done_changed.notify_one();
}

// How long the thread has been in its current call.
class Stay {
 public:
  Time update(const Whereabouts& whereabouts) {
    const std::uint64_t calls = whereabouts.calls();
    const auto now = WallClock::now();
    if (calls != calls_ || !whereabouts.away()) since_ = now;
    calls_ = calls;
    return std::chrono::duration_cast<Time>(now - since_);
  }

 private:
  std::uint64_t calls_ = 0;
  WallClock::time_point since_ = WallClock::now();
};

}  // namespace

namespace {

constexpr auto kLook = std::chrono::milliseconds(20);

template <typename Work>
std::thread started(const Work& work, const ApartOptions& options) {
  try {
    return std::thread(work);
  } catch (const std::system_error& error) {
    throw Error(fmt::format("cannot start a thread for {}: {}", options.who, error.code().message()));
  }
}

void finish(const Shared& shared, bool asked, const std::string& hung_in, const ApartOptions& options) {
  if (shared.failure) std::rethrow_exception(shared.failure);
  if (asked && !options.stop.stop_requested()) {
    throw Error(
        fmt::format("{}: {} did not return before the run's time was up, and was stopped", options.who, hung_in));
  }
}

}  // namespace

void run_watched(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options) {
  Shared shared;
  bool asked = false;
  std::string hung_in;
  const auto watch = [&] {
    Stay stay;
    std::unique_lock lock(shared.mutex);
    while (!shared.done_changed.wait_for(lock, kLook, [&] { return shared.done; })) {
      const bool hangs = stay.update(shared.whereabouts) >= options.patience;
      if (asked || !(options.stop.stop_requested() || (hangs && options.overdue()))) continue;
      asked = true;
      hung_in = shared.whereabouts.call();
      lock.unlock();
      shared.stop.request_stop();
      lock.lock();
    }
  };
  std::thread watcher = started(watch, options);
  work_on(shared, work);
  watcher.join();
  finish(shared, asked, hung_in, options);
}

void run_apart(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options) {
  const auto shared = std::make_shared<Shared>();
  std::thread thread = started([shared, work] { work_on(*shared, work); }, options);
  Stay stay;
  std::optional<WallClock::time_point> asked;
  std::string hung_in;  // when it was asked
  std::unique_lock lock(shared->mutex);
  while (!shared->done_changed.wait_for(lock, kLook, [&] { return shared->done; })) {
    const Time stayed = stay.update(shared->whereabouts);
    const bool hangs = stayed >= options.patience;
    if (!asked) {
      if (!options.stop.stop_requested() && !(hangs && options.overdue())) continue;
      asked = WallClock::now();
      hung_in = shared->whereabouts.call();
      lock.unlock();
      shared->stop.request_stop();
      lock.lock();
    } else if (hangs && WallClock::now() - *asked >= options.patience && shared->whereabouts.write_off()) {
      lock.unlock();
      left_behind.store(true);
      thread.detach();
      throw Error(fmt::format("{}: {} has not returned {:.1f} s after it was called, and was abandoned", options.who,
                              shared->whereabouts.call(), seconds(stayed)));
    }
  }
  lock.unlock();
  thread.join();
  finish(*shared, asked.has_value(), hung_in, options);
}

void run_guarded(Hang hang, const std::function<void(const std::stop_token&)>& work, const ApartOptions& options) {
  switch (hang) {
    case Hang::kNever: return work(options.stop);
    case Hang::kUntilClosed: return run_watched(work, options);
    case Hang::kForEver: return run_apart(work, options);
  }
}

bool any_left_behind() {
  return left_behind.load();
}

}  // namespace loadline
