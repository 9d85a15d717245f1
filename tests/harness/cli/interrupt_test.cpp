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
#include <string>
#include <thread>
#include <utility>

#include "tests/support/this_build.h"
#include "tests/support/watchdog.h"

namespace loadline {
namespace {

// A child process with an Interrupt, which answers each byte with the number of its pauses.
class Child {
 public:
  Child() {
    for (auto* const pipe : {&asks_, &answers_, &errors_}) {
      if (::pipe(pipe->data()) != 0) throw std::runtime_error("no pipe");
    }
    process_ = ::fork();
    if (process_ == 0) answer();
    pauses();  // its Interrupt listens now
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    for (const int file : {asks_[0], asks_[1], answers_[0], answers_[1], errors_[0], errors_[1]}) ::close(file);
    if (ended_) return;
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

  // What the child wrote on stderr until a signal ended it, and which.
  std::pair<std::string, int> end() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    ended_ = true;
    std::string text(4096, '\0');
    const ssize_t got = ::read(errors_[0], text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return {text, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
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
    ::dup2(errors_[1], STDERR_FILENO);
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
  std::array<int, 2> errors_{};
  pid_t process_ = -1;
  bool ended_ = false;
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

TEST(Interrupt, TakesSigintsOfTheSameEventForOneAndThenEndsAtOnce) {
  if (test::kSanitized) GTEST_SKIP() << "a forked child of a sanitized process may not start threads";
  const test::Watchdog watchdog;
  Child child;
  for (int i = 0; i < 3; ++i) {
    child.send(SIGINT);
    EXPECT_EQ(child.pauses(), 0U) << "it still answers";
  }
  std::this_thread::sleep_for(Interrupt::kSameEvent);  // that long only the clock can tell
  child.send(SIGINT);
  const auto [sentence, signal] = child.end();
  EXPECT_EQ(sentence, "loadline: interrupted again, so ended at once; what was saved before stays\n");
  EXPECT_EQ(signal, SIGINT);
}

}  // namespace
}  // namespace loadline
