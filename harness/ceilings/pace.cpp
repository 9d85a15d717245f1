#include "harness/ceilings/pace.h"

#include <fmt/format.h>

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

Pace work_through(std::size_t thread, const Work& work, const Stint& stint, Time start, const Clock& clock,
                  const std::stop_token& stop) {
  std::size_t pieces = 1;
  Time now = start;
  while (now < start + stint.warm_up && !stop.stop_requested()) {
    for (std::size_t i = 0; i < pieces; ++i) work(thread);
    const Time before = now;
    now = clock.now();
    if (now - before < kBetweenLooks) pieces *= 2;
  }
  const Time begin = now;
  const double cpu_begin = thread_cpu_seconds();
  const Time end = start + stint.warm_up + stint.timed;
  double amount = 0;
  double last = 0;
  do {
    for (std::size_t i = 0; i < pieces; ++i) amount += last = work(thread);
    now = clock.now();
  } while (last > 0 && now < end && !stop.stop_requested());
  return {.amount = amount, .seconds = seconds(now - begin), .cpu_seconds = thread_cpu_seconds() - cpu_begin};
}

// All threads exist before any of them starts.
std::vector<Pace> paces_of(std::size_t threads, const Work& work, const Stint& stint, const Clock& clock,
                           const std::stop_token& stop) {
  std::latch ready(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::future<Pace>> working;
  std::promise<Time> start;  // broken if a thread cannot be started, which ends the others
  const std::shared_future<Time> started = start.get_future().share();
  try {
    for (std::size_t i = 0; i < threads; ++i) {
      working.push_back(std::async(std::launch::async, [&work, &stint, &clock, &stop, &ready, started, i] {
        ready.count_down();
        return work_through(i, work, stint, started.get(), clock, stop);
      }));
    }
  } catch (const std::system_error& error) {
    throw Error(fmt::format("cannot start thread {} of {}: {}", working.size() + 1, threads, error.code().message()));
  }
  ready.wait();
  start.set_value(clock.now());
  std::vector<Pace> paces;
  for (auto& one : working) paces.push_back(one.get());
  return paces;
}

}  // namespace

std::optional<Pace> pace_of(std::size_t threads, const Work& work, const Stint& stint, const Clock& clock,
                            const std::stop_token& stop) {
  const std::vector<Pace> paces = threads == 1 ? std::vector{work_through(0, work, stint, clock.now(), clock, stop)}
                                               : paces_of(threads, work, stint, clock, stop);
  if (stop.stop_requested()) return std::nullopt;
  Pace all{.cpu_seconds = 0};
  for (const Pace& one : paces) {
    *all.cpu_seconds += *one.cpu_seconds;
    all.amount += one.amount;
    all.seconds += one.seconds / static_cast<double>(threads);
  }
  return all;
}

}  // namespace loadline
