#include "harness/ceilings/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <latch>
#include <system_error>
#include <vector>

#include "harness/machine/usage.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// Time between two clock readings, which take some 25 ns each.
constexpr Time kBetweenLooks = std::chrono::microseconds(10);

// What one thread did.
struct Share {
  Pace pace;
  bool did_any = false;
  bool found_none_left = false;
};

Share work_through(std::size_t thread, const Work& work, const Durations& durations, Time start, const Clock& clock,
                   const std::stop_token& stop) {
  std::size_t pieces = 1;
  Time now = start;
  while (now < start + durations.warm_up && !stop.stop_requested()) {
    for (std::size_t i = 0; i < pieces; ++i) work(thread);
    const Time before = now;
    now = clock.now();
    if (now - before < kBetweenLooks) pieces *= 2;
  }
  const Time begin = now;
  const double cpu_begin = thread_cpu_seconds();
  const Time end = start + durations.warm_up + durations.timed;
  Share share;
  double amount = 0;
  do {
    for (std::size_t i = 0; i < pieces && !share.found_none_left; ++i) {
      const std::optional<double> piece = work(thread);
      amount += piece.value_or(0);
      share.did_any |= piece.has_value();
      share.found_none_left = !piece.has_value();
    }
    now = clock.now();
  } while (!share.found_none_left && now < end && !stop.stop_requested());
  share.pace = {.amount = amount, .seconds = seconds(now - begin), .cpu_seconds = thread_cpu_seconds() - cpu_begin};
  return share;
}

// All threads exist before any of them starts.
std::vector<Share> work_of_all(std::size_t threads, const Work& work, const Durations& durations, const Clock& clock,
                               const std::stop_token& stop) {
  std::latch ready(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::future<Share>> working;
  std::promise<Time> start;  // broken if a thread cannot be started, which ends the others
  const std::shared_future<Time> started = start.get_future().share();
  try {
    for (std::size_t i = 0; i < threads; ++i) {
      working.push_back(std::async(std::launch::async, [&work, &durations, &clock, &stop, &ready, started, i] {
        ready.count_down();
        return work_through(i, work, durations, started.get(), clock, stop);
      }));
    }
  } catch (const std::system_error& error) {
    throw Error(fmt::format("cannot start thread {} of {}: {}", working.size() + 1, threads, error.code().message()));
  }
  ready.wait();
  start.set_value(clock.now());
  std::vector<Share> shares;
  for (auto& one : working) shares.push_back(one.get());
  return shares;
}

double seconds_they_took(const std::vector<Share>& shares) {
  double sum = 0;
  double longest = 0;
  for (const Share& one : shares) {
    sum += one.pace.seconds;
    if (one.did_any) longest = std::max(longest, one.pace.seconds);
  }
  const bool ran_out = std::ranges::any_of(shares, &Share::found_none_left);
  return ran_out && longest > 0 ? longest : sum / static_cast<double>(shares.size());
}

}  // namespace

std::optional<Pace> pace_of(std::size_t threads, const Work& work, const Durations& durations, const Clock& clock,
                            const std::stop_token& stop) {
  const std::vector<Share> shares = threads == 1
                                        ? std::vector{work_through(0, work, durations, clock.now(), clock, stop)}
                                        : work_of_all(threads, work, durations, clock, stop);
  if (stop.stop_requested()) return std::nullopt;
  Pace all{.seconds = seconds_they_took(shares), .cpu_seconds = 0};
  for (const Share& one : shares) {
    *all.cpu_seconds += *one.pace.cpu_seconds;
    all.amount += one.pace.amount;
  }
  return all;
}

}  // namespace loadline
