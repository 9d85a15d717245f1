#include "loaders/system/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace loadline {

void in_parallel(std::size_t count, std::size_t threads,
                 const std::function<void(std::size_t worker, std::size_t i)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards the two below
  std::size_t failed = count;
  std::exception_ptr failure;
  const auto run = [&](std::size_t worker) {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        work(worker, i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(run, i);
    } catch (const std::system_error&) {
      // A limit on threads: those that were started, and this one, do all the work.
    }
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace loadline
