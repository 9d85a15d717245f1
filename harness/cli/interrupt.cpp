#include "harness/cli/interrupt.h"

#include <fmt/format.h>

#include <csignal>
#include <initializer_list>
#include <system_error>

#include "loaders/error.h"

namespace loadline {
namespace {

// A signal that nothing else here uses, to end the listener.
constexpr int kDismissal = SIGURG;

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

sigset_t listened() {
  return set_of({SIGINT, SIGTERM, SIGCONT, kDismissal});
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t set = listened();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  try {
    listener_ = std::jthread([this] { listen(); });
  } catch (const std::system_error& error) {
    throw Error(fmt::format("cannot start the thread that waits for signals: {}", error.code().message()));
  }
}

Interrupt::~Interrupt() {
  pthread_kill(listener_.native_handle(), kDismissal);
  listener_.join();
  const sigset_t set = listened();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::listen() {
  const sigset_t set = listened();
  int received = 0;
  sigwait(&set, &received);
  // A stopped process goes on by this signal whoever waits for it.
  while (received == SIGCONT) {
    times_resumed_.fetch_add(1);
    sigwait(&set, &received);
  }
  if (received == kDismissal) return;
  signal_.store(received);
  source_.request_stop();
  // From here on this thread alone lets a SIGINT through, to its default: the end of the process.
  const sigset_t again = set_of({SIGINT});
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_IGN);
  pthread_sigmask(SIG_UNBLOCK, &again, nullptr);
  const sigset_t dismissal = set_of({kDismissal});
  sigwait(&dismissal, &received);
}

}  // namespace loadline
