// Ends the test program when a test waits for ever.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/support/this_build.h"

namespace loadline::test {

// ctest ends a test a little later, and does not say why.
inline std::chrono::seconds watchdog_patience() {
  return std::chrono::seconds(kSanitized ? 250 : 50);
}

// The hint of tests of loaders.
inline constexpr const char* kWhyALoaderBlocks =
    "a worker may wait for another's batch: loaders/loader.h, LoaderKind; loaders/engines/worker_feed.h";

// A member of a fixture whose tests wait for code that may never answer. Unless it is destroyed within `patience`, it
// says on stderr which test has not ended, with a hint if there is one, and aborts: a blocked thread can neither be
// stopped nor fail by itself.
class Watchdog {
 public:
  explicit Watchdog(const char* hint = "", std::chrono::milliseconds patience = watchdog_patience())
      : thread_([this, hint, patience, test = name_of_this_test()](const std::stop_token& destroyed) {
          std::unique_lock lock(mutex_);
          never_.wait_for(lock, destroyed, patience, [] { return false; });
          if (destroyed.stop_requested()) return;
          const double seconds = std::chrono::duration<double>(patience).count();
          std::fprintf(stderr, "%s has not ended after %g s: one of its calls waits for ever%s%s\n", test.c_str(),
                       seconds, *hint == '\0' ? "" : "; ", hint);
          std::abort();
        }) {}

 private:
  static std::string name_of_this_test() {
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "." + test->name();
  }

  // The thread allocates nothing: it may begin late, while a test counts allocations.
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread thread_;
};

}  // namespace loadline::test
