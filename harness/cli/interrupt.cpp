#include "harness/cli/interrupt.h"

#include <csignal>

namespace loadline {
namespace {

// A signal that nothing else here uses, to end the listener.
constexpr int kDismissal = SIGURG;

sigset_t listened(bool dismissal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (dismissal) sigaddset(&set, kDismissal);
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t set = listened(true);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  listener_ = std::jthread([this] { listen(); });
}

Interrupt::~Interrupt() {
  pthread_kill(listener_.native_handle(), kDismissal);
  listener_.join();
  const sigset_t set = listened(true);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::listen() {
  const sigset_t set = listened(true);
  int received = 0;
  sigwait(&set, &received);
  if (received == kDismissal) return;
  signal_.store(received);
  source_.request_stop();
  // From here on this thread alone lets the signals through, to their default: the end of the process.
  const sigset_t again = listened(false);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &again, nullptr);
  sigset_t dismissal;
  sigemptyset(&dismissal);
  sigaddset(&dismissal, kDismissal);
  sigwait(&dismissal, &received);
}

}  // namespace loadline
