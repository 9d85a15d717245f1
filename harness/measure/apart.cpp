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
#include <string_view>
#include <system_error>
#include <thread>

#include "loaders/error.h"
#include "loaders/foreign_call.h"

namespace loadline {
namespace {

using WallClock = std::chrono::steady_clock;  // a hanging call hangs in real time

std::atomic<bool> left_behind{false};
std::atomic<bool> gives_up{true};

// What an abandoned thread may still use.
struct Shared {
  std::stop_source stop;
  WatchedThread thread{stop.get_token()};
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  std::exception_ptr failure;
};

void work_on(Shared& shared, const std::function<void(const std::stop_token&)>& work) {
  give_signals_a_stack();
  watch_this_thread(&shared.thread);
  try {
    work(shared.stop.get_token());
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInterrupted) shared.failure = std::current_exception();
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
  Time update(const WatchedThread& thread) {
    const std::uint64_t calls = thread.calls();
    const auto now = WallClock::now();
    if (calls != calls_ || !thread.away()) since_ = now;
    calls_ = calls;
    return std::chrono::duration_cast<Time>(now - since_);
  }

 private:
  std::uint64_t calls_ = 0;
  WallClock::time_point since_ = WallClock::now();
};

// "loader ./libmine.so: next()".
std::string call_of(const WatchedThread& thread, const ApartOptions& options) {
  const std::string_view owner = thread.owner();
  return fmt::format("{}: {}", owner.empty() ? options.who : owner, thread.call());
}

// When the work was asked to stop, and the call in which it hung then.
struct Asked {
  WallClock::time_point when = WallClock::now();
  std::string call;
  Time stayed{};
  bool hung = false;
};

// Asks the work to stop, if there is a reason. `lock` is that of `shared`.
std::optional<Asked> ask(Shared& shared, Time stayed, const ApartOptions& options, std::unique_lock<std::mutex>& lock) {
  const bool hangs = stayed >= options.patience;
  if (!options.stop.stop_requested() && !(hangs && options.overdue())) return std::nullopt;
  Asked asked{.call = call_of(shared.thread, options), .stayed = stayed, .hung = hangs};
  lock.unlock();
  shared.stop.request_stop();
  lock.lock();
  return asked;
}

// Whether to wait no longer for work that was asked to stop.
bool is_stuck(const Asked& asked, Time stayed, const ApartOptions& options) {
  return stayed >= options.patience && WallClock::now() - asked.when >= options.patience;
}

std::string not_returned(std::string_view call, Time stayed) {
  return fmt::format("{} has not returned {:.1f} s after it was called", call, seconds(stayed));
}

constexpr auto kLook = std::chrono::milliseconds(20);

template <typename Work>
std::thread started(const Work& work, const ApartOptions& options) {
  try {
    return std::thread(work);
  } catch (const std::system_error& error) {
    throw Error(fmt::format("cannot start a thread for {}: {}", options.who, error.code().message()));
  }
}

std::string finish(const Shared& shared, const std::optional<Asked>& asked, const ApartOptions& options) {
  if (shared.failure) std::rethrow_exception(shared.failure);
  if (!asked) return "";
  if (options.stop.stop_requested()) return asked->hung ? not_returned(asked->call, asked->stayed) : "";
  throw Error(fmt::format("{} did not return before the run's time was up, and was stopped", asked->call));
}

}  // namespace

std::string run_watched(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options) {
  Shared shared;
  std::optional<Asked> asked;
  const auto watch = [&] {
    Stay stay;
    std::unique_lock lock(shared.mutex);
    while (!shared.done_changed.wait_for(lock, kLook, [&] { return shared.done; })) {
      const Time stayed = stay.update(shared.thread);
      if (!asked) {
        asked = ask(shared, stayed, options, lock);
      } else if (options.give_up && gives_up.load() && is_stuck(*asked, stayed, options) && shared.thread.write_off()) {
        lock.unlock();
        options.give_up(not_returned(call_of(shared.thread, options), stayed));
        return;
      }
    }
  };
  std::thread watcher = started(watch, options);
  work_on(shared, work);
  watcher.join();
  return finish(shared, asked, options);
}

void set_gives_up(bool may) {
  gives_up.store(may);
}

std::string run_apart(const std::function<void(const std::stop_token&)>& work, const ApartOptions& options) {
  const auto shared = std::make_shared<Shared>();
  std::thread thread = started([shared, work] { work_on(*shared, work); }, options);
  Stay stay;
  std::optional<Asked> asked;
  std::unique_lock lock(shared->mutex);
  while (!shared->done_changed.wait_for(lock, kLook, [&] { return shared->done; })) {
    const Time stayed = stay.update(shared->thread);
    if (!asked) {
      asked = ask(*shared, stayed, options, lock);
    } else if (is_stuck(*asked, stayed, options) && shared->thread.write_off()) {
      lock.unlock();
      left_behind.store(true);
      thread.detach();
      throw Error(not_returned(call_of(shared->thread, options), stayed) + ", and was abandoned");
    }
  }
  lock.unlock();
  thread.join();
  return finish(*shared, asked, options);
}

std::string run_guarded(Hang hang, const std::function<void(const std::stop_token&)>& work,
                        const ApartOptions& options) {
  switch (hang) {
    case Hang::kNever: work(options.stop); return "";
    case Hang::kUntilClosed: return run_watched(work, options);
    case Hang::kForEver: return run_apart(work, options);
  }
  return "";
}

bool any_left_behind() {
  return left_behind.load();
}

}  // namespace loadline
