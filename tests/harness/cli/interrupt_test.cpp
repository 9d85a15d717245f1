#include "harness/cli/interrupt.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <thread>

#include "tests/support/this_build.h"
#include "tests/support/watchdog.h"

namespace loadline {
namespace {

// A child process with an Interrupt, which answers each byte with the number of its pauses.
class Child {
 public:
  Child() {
    if (::pipe(asks_.data()) != 0 || ::pipe(answers_.data()) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) answer();
    pauses();  // its Interrupt listens now
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    for (const int file : {asks_[0], asks_[1], answers_[0], answers_[1]}) ::close(file);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  void send(int signal) const { ::kill(process_, signal); }

  // Only a process that has stopped can be paused for a known time, and only the clock can tell how long.
  void pause(std::chrono::milliseconds time) const {
    send(SIGSTOP);
    ::waitpid(process_, nullptr, WUNTRACED);
    std::this_thread::sleep_for(time);
    send(SIGCONT);
  }

  std::uint64_t pauses() const {
    std::uint64_t count = 0;
    const char ask = 0;
    EXPECT_EQ(::write(asks_[1], &ask, 1), 1);
    EXPECT_EQ(::read(answers_[0], &count, sizeof count), static_cast<ssize_t>(sizeof count));
    return count;
  }

 private:
  [[noreturn]] void answer() const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Interrupt interrupt;
    char ask = 0;
    while (::read(asks_[0], &ask, 1) == 1) {
      const std::uint64_t count = interrupt.times_resumed();
      if (::write(answers_[1], &count, sizeof count) < 0) break;
    }
    ::_exit(0);
  }

  std::array<int, 2> asks_{};
  std::array<int, 2> answers_{};
  pid_t process_ = -1;
};

TEST(Interrupt, CountsPausesButNotSignalsThatContinueWhatRuns) {
  if (test::kSanitized) GTEST_SKIP() << "a forked child of a sanitized process may not start threads";
  const test::Watchdog watchdog;
  const Child child;
  child.send(SIGCONT);
  child.pause(3 * Interrupt::kLeastPause);
  while (child.pauses() == 0) std::this_thread::yield();  // its listener wakes up
  EXPECT_EQ(child.pauses(), 1U);
}

}  // namespace
}  // namespace loadline
