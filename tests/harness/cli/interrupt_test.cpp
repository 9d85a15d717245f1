#include "harness/cli/interrupt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "harness/cli/result_file.h"
#include "harness/cli/run_output.h"
#include "harness/cli/verbs.h"
#include "harness/result/result.h"
#include "tests/loaders/support/files.h"
#include "tests/support/this_build.h"
#include "tests/support/watchdog.h"

namespace loadline {
namespace {

// A child process with an Interrupt, which answers each byte with what that knows. The byte is a signal that it sends
// before to a thread which was there before its Interrupt; 0: none.
class Child {
 public:
  struct Answer {
    std::uint64_t pauses;
    int signal;
  };

  explicit Child(std::chrono::milliseconds same_event = Interrupt::kSameEvent) {
    for (auto* const pipe : {&asks_, &answers_, &errors_}) {
      if (::pipe(pipe->data()) != 0) throw std::runtime_error("no pipe");
    }
    process_ = ::fork();
    if (process_ == 0) answer(same_event);
    // Only the child holds these, so that its end is seen.
    for (const int file : {asks_[0], answers_[1], errors_[1]}) ::close(file);
    ask();  // its Interrupt listens now
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    for (const int file : {asks_[1], answers_[0], errors_[0]}) ::close(file);
    if (process_ <= 0) return;
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

  // Sends the signal until it ends the child. Returns what that wrote on stderr, and the signal that ended it.
  std::pair<std::string, int> end_by(int signal) {
    int status = 0;
    do send(signal);
    while (::waitpid(process_, &status, WNOHANG) == 0);
    process_ = -1;
    std::string text(4096, '\0');
    const ssize_t got = ::read(errors_[0], text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return {text, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  }

  Answer ask(char signal_to_older_thread = 0) const {
    Answer answer{};
    const char byte = signal_to_older_thread;
    EXPECT_EQ(::write(asks_[1], &byte, 1), 1);
    EXPECT_EQ(::read(answers_[0], &answer, sizeof answer), static_cast<ssize_t>(sizeof answer)) << "it has ended";
    return answer;
  }

 private:
  [[noreturn]] void answer(std::chrono::milliseconds same_event) const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(errors_[1], STDERR_FILENO);
    std::thread older([] {
      while (true) ::pause();
    });
    const Interrupt interrupt(same_event);
    char byte = 0;
    while (::read(asks_[0], &byte, 1) == 1) {
      if (byte != 0) ::pthread_kill(older.native_handle(), byte);
      const Answer answer{.pauses = interrupt.times_resumed(), .signal = interrupt.signal()};
      if (::write(answers_[1], &answer, sizeof answer) < 0) break;
    }
    ::_exit(0);
  }

  std::array<int, 2> asks_{};
  std::array<int, 2> answers_{};
  std::array<int, 2> errors_{};
  pid_t process_ = -1;
};

TEST(Interrupt, CountsPausesButNotSignalsThatContinueWhatRuns) {
  if (test::kSanitized) GTEST_SKIP() << "a forked child of a sanitized process may not start threads";
  const test::Watchdog watchdog;
  const Child child;
  child.send(SIGCONT);
  child.pause(3 * Interrupt::kLeastPause);
  while (child.ask().pauses == 0) std::this_thread::yield();  // its listener wakes up
  EXPECT_EQ(child.ask().pauses, 1U);
}

TEST(Interrupt, TakesSigintsOfTheSameEventForOne) {
  if (test::kSanitized) GTEST_SKIP() << "a forked child of a sanitized process may not start threads";
  const test::Watchdog watchdog;
  const Child child(std::chrono::hours(1));
  child.send(SIGINT);
  while (child.ask().signal == 0) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) {
    child.send(SIGINT);
    EXPECT_EQ(child.ask().signal, SIGINT);
  }
}

TEST(Interrupt, GoesOnListeningAfterASignalThatHasNoEffect) {
  if (test::kSanitized) GTEST_SKIP() << "a forked child of a sanitized process may not start threads";
  const test::Watchdog watchdog;
  Child child(std::chrono::milliseconds(0));
  child.send(SIGURG);
  EXPECT_EQ(child.ask().signal, 0);
  child.send(SIGTERM);
  while (child.ask().signal == 0) std::this_thread::yield();
  EXPECT_EQ(child.ask().signal, SIGTERM);
  child.send(SIGURG);
  EXPECT_EQ(child.end_by(SIGINT).second, SIGINT);
}

TEST(Interrupt, HearsSignalsThatThreadsFromBeforeReceive) {
  if (test::kSanitized) GTEST_SKIP() << "a forked child of a sanitized process may not start threads";
  const test::Watchdog watchdog;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Child child(std::chrono::hours(1));
    child.ask(static_cast<char>(signal));
    while (child.ask().signal == 0) std::this_thread::yield();
    EXPECT_EQ(child.ask().signal, signal);
    for (const int later : {SIGINT, SIGTERM, SIGHUP}) EXPECT_EQ(child.ask(static_cast<char>(later)).signal, signal);
  }
}

TEST(Interrupt, EndsAtOnceOnALaterSigint) {
  if (test::kSanitized) GTEST_SKIP() << "a forked child of a sanitized process may not start threads";
  const test::Watchdog watchdog;
  Child child(std::chrono::milliseconds(0));
  const auto [sentence, signal] = child.end_by(SIGINT);
  EXPECT_EQ(sentence, "loadline: interrupted while it was stopping, so ended at once\n");
  EXPECT_EQ(signal, SIGINT);
}

constexpr MeasuringVerb kRunsCells{.scope = nullptr, .figures = nullptr, .cells = true};
constexpr MeasuringVerb kRunsCeilings{.scope = nullptr, .figures = nullptr, .cells = false};

TEST(InterruptionText, SaysThatNoTrialHadEnded) {
  EXPECT_EQ(interruption_text({}, Result(), std::nullopt, kRunsCells), "interrupted before the first trial ended");
}

TEST(InterruptionText, SaysHowARunWithoutTrialsContinues) {
  const test::TemporaryDirectory home;
  const std::string path = (home.path() / "result.json").string();
  std::optional<ResultFile> file;
  file.emplace(path);
  EXPECT_EQ(interruption_text({}, Result(), file, kRunsCells),
            fmt::format("interrupted before the first trial ended; continue with loadline run --resume {}", path));
  EXPECT_EQ(interruption_text({}, Result(), file, kRunsCeilings),
            fmt::format("interrupted before the first trial ended; {} has no trials", path));
}

// It used to say only that the file has no trials.
TEST(InterruptionText, SaysThatASearchCannotBeContinued) {
  const test::TemporaryDirectory home;
  const std::string path = (home.path() / "result.json").string();
  std::optional<ResultFile> file;
  file.emplace(path);
  RunRequest request;
  request.options.find = "max-rate";
  Result result;
  EXPECT_EQ(interruption_text(request, result, file, kRunsCells),
            "interrupted before the first trial ended; a search cannot be continued: run it again");
  result.search = Search{.kind = "max-rate", .probes = {Probe{.value = 1000}}};
  EXPECT_EQ(
      interruption_text(request, result, file, kRunsCells),
      fmt::format("interrupted; what was measured so far is in {}; a search cannot be continued: run it again", path));
}

TEST(LostText, SaysHowTheRunContinues) {
  const test::TemporaryDirectory home;
  const std::string path = (home.path() / "result.json").string();
  std::optional<ResultFile> file;
  file.emplace(path);
  Result result;
  result.ranks = RunRanks{.places = {{}, {}}};
  EXPECT_EQ(lost_text("rank 1 is lost", {}, result, file, kRunsCells), "rank 1 is lost") << "no trial has ended";
  result.cells.push_back({.trials = {Trial()}});
  EXPECT_EQ(
      lost_text("rank 1 is lost", {}, result, file, kRunsCells),
      fmt::format("rank 1 is lost; what was measured before is in {0}; continue with loadline run --resume {0} on 2 "
                  "ranks, started as before",
                  path));
  EXPECT_EQ(lost_text("rank 1 is lost", {}, result, file, kRunsCeilings),
            fmt::format("rank 1 is lost; what was measured before is in {}", path));
}

TEST(InterruptionText, RepeatsTheOptionsThatTheResultDoesNotHold) {
  const test::TemporaryDirectory home;
  const std::string path = (home.path() / "result.json").string();
  std::optional<ResultFile> file;
  file.emplace(path);
  const auto continued_with = [&](const RunRequest& request) {
    const std::string text = interruption_text(request, Result(), file, kRunsCells);
    return text.substr(text.find(path) + path.size());
  };
  EXPECT_EQ(continued_with({.overwrite = true, .trace = "my trace.json"}), " --trace 'my trace.json' --overwrite");
  EXPECT_EQ(continued_with({.baseline = "main", .save_baseline = "new", .trace = "t.json", .trace_trials = 3}),
            " --trace t.json --trace-trials 3 --baseline main --save-baseline new");
  EXPECT_EQ(continued_with({.overwrite = true}), "") << "the file of the result is continued";
}

}  // namespace
}  // namespace loadline
