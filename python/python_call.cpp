#include "python/python_call.h"

#include <pybind11/pybind11.h>

#include <csignal>

namespace loadline {
namespace {

// Ends a system call that Python waits in; it does nothing itself.
int nudge() {
  static const int kSignal = [] {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGRTMAX - 1, &action, nullptr);
    return SIGRTMAX - 1;
  }();
  return kSignal;
}

}  // namespace

PythonCall::PythonCall(std::string_view owner, std::string_view call)
    : call_(kept_for_ever(call), kept_for_ever(owner)) {
  if (const WatchedThread* thread = watched_thread()) {
    interruption_.emplace(thread->stop(), Interruption{::pthread_self()});
  }
}

PythonCall::~PythonCall() {
  interruption_.reset();
  // Drops an interruption that came too late.
  if (told_to_stop() && PyErr_CheckSignals() != 0) PyErr_Clear();
}

void PythonCall::Interruption::operator()() const {
  interrupt_python(thread);
}

void interrupt_python(pthread_t thread) {
  PyErr_SetInterrupt();
  ::pthread_kill(thread, nudge());
}

bool told_to_stop() {
  const WatchedThread* thread = watched_thread();
  return thread != nullptr && thread->stop().stop_requested();
}

}  // namespace loadline
