#include "harness/cli/interrupt.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <initializer_list>
#include <string>
#include <system_error>

#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/ranks/mpi.h"
#include "loaders/error.h"
#include "synthetic/clock.h"

namespace loadline {
namespace {

// A signal that nothing else here uses, to end the listener. By default it has no effect, so one from outside has none.
constexpr int kDismissal = SIGURG;

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

// A blocked signal arrives even if it is ignored. A run started with it ignored should go on: nohup, or a shell that
// runs it in the background.
bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t listened() {
  sigset_t set = set_of({SIGCONT, kDismissal});
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  return set;
}

struct Passed {
  int signal;
  struct sigaction before;
};

// A handler can reach nothing but globals.
std::array<Passed, 4> passed_on{{{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}, {SIGCONT, {}}}};
std::atomic<pid_t> listening_thread{0};

// Runs on threads that do not block the signal, because they were there before: those of a Python program, of NumPy or
// of MPI. A child forked off this process inherits the handler but not the listener, and takes signals as before.
void pass_on(int signal) {
  const int its_error = errno;
  if (::tgkill(::getpid(), listening_thread.load(), signal) != 0) {
    for (const Passed& one : passed_on) {
      if (one.signal == signal) ::sigaction(signal, &one.before, nullptr);
    }
    ::raise(signal);  // blocked until this handler returns
  }
  errno = its_error;
}

void start_to_pass_on(const sigset_t& signals) {
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (Passed& one : passed_on) {
    if (sigismember(&signals, one.signal) == 1) ::sigaction(one.signal, &action, &one.before);
  }
}

// Leaves what a script or the listener has set meanwhile.
void stop_to_pass_on() {
  for (const Passed& one : passed_on) {
    struct sigaction now {};
    if (::sigaction(one.signal, nullptr, &now) != 0 || now.sa_handler != pass_on) continue;
    ::sigaction(one.signal, &one.before, nullptr);
  }
}

// By SIGINT, on this thread, which does not wait for others: one of them may be stuck. The process that started this
// one, or the first of several ranks, says so.
[[noreturn]] void end_at_once() {
  const auto launch = this_launch();
  if (!is_child_of_loadline() && (!launch || launch->rank == 0)) {
    const std::string sentence =
        fmt::format("loadline: interrupted while it was stopping, so ended at once{}\n", saved_words());
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  }
  std::signal(SIGINT, SIG_DFL);
  const sigset_t interrupt = set_of({SIGINT});
  pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  ::raise(SIGINT);
  ::_exit(kExitSignal + SIGINT);  // the first process of a container outlives that signal
}

}  // namespace

Interrupt::Interrupt(std::chrono::milliseconds same_event) : same_event_(same_event), signals_(listened()) {
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  try {
    listener_ = std::jthread([this, since = std::chrono::steady_clock::now()] { listen(since); });
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    throw Error(
        fmt::format("cannot start a thread to wait for signals: {} (limits on processes, such as RLIMIT_NPROC or the "
                    "control group's, also count threads)",
                    error.code().message()));
  }
  listening_thread.wait(0);
  start_to_pass_on(signals_);
}

Interrupt::~Interrupt() {
  dismissed_.store(true);
  pthread_kill(listener_.native_handle(), kDismissal);
  listener_.join();
  listening_thread.store(0);
  stop_to_pass_on();
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

bool Interrupt::is_dismissal(int received) const {
  return received == kDismissal && dismissed_.load();
}

// SIGCONT continues a stopped process even though a thread waits for it. But launchers also send it to processes that
// run, before the signal that ends them: only a stopped process misses beats. The first wait that ends after a stop
// ends with EINTR, and is no beat; or its time was up just before the stop, and then the signal is there already.
int Interrupt::await_end(std::chrono::steady_clock::time_point last) {
  constexpr timespec kBeat{.tv_sec = 0, .tv_nsec = 50'000'000};
  constexpr timespec kNow{};
  bool late = false;
  while (true) {
    const int received = ::sigtimedwait(&signals_, nullptr, late ? &kNow : &kBeat);
    const bool is_beat = (received == -1 && errno == EAGAIN) || received == kDismissal;
    const auto now = std::chrono::steady_clock::now();
    const bool is_for_run = received > 0 && received != SIGCONT && received != kDismissal;
    if (is_for_run || is_dismissal(received)) return received;
    if (received == SIGCONT && now - last > kLeastPause) times_resumed_.fetch_add(1);
    late = is_beat && !late && now - last > kLeastPause;
    if ((is_beat && !late) || received == SIGCONT) last = now;
  }
}

void Interrupt::listen(std::chrono::steady_clock::time_point since) {
  listening_thread.store(::gettid());
  listening_thread.notify_one();
  int received = await_end(since);
  if (received == kDismissal) return;
  const auto first = std::chrono::steady_clock::now();
  signal_.store(received);
  source_.request_stop();
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  const bool ignores_more = is_ignored(SIGINT);
  const sigset_t awaited = ignores_more ? set_of({kDismissal}) : set_of({kDismissal, SIGINT});
  for (auto passed = Time::zero(); passed < same_event_ && !ignores_more;
       passed = std::chrono::steady_clock::now() - first) {
    const Time left = same_event_ - passed;
    const auto whole = std::chrono::floor<std::chrono::seconds>(left);
    const timespec wait{.tv_sec = whole.count(), .tv_nsec = std::chrono::nanoseconds(left - whole).count()};
    if (is_dismissal(::sigtimedwait(&awaited, nullptr, &wait))) return;
  }
  do sigwait(&awaited, &received);
  while (received == kDismissal && !is_dismissal(received));
  if (received != kDismissal) end_at_once();
}

}  // namespace loadline
