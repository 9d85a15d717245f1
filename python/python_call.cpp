#include "python/python_call.h"

#include <pybind11/pybind11.h>

#include <csignal>
#include <set>
#include <string>

namespace loadline {
namespace {

// A copy that lives for ever, because whoever watches the thread may read it at any time. They are few.
const char* kept(std::string_view text) {
  static auto& all = *new std::set<std::string, std::less<>>();
  return all.emplace(text).first->c_str();
}

// Ends a system call that Python waits in; it does nothing itself.
int nudge() {
  static const int signal = [] {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGRTMAX - 1, &action, nullptr);
    return SIGRTMAX - 1;
  }();
  return signal;
}

}  // namespace

PythonCall::PythonCall(std::string_view owner, std::string_view call) : call_(kept(call), kept(owner)) {
  if (const Whereabouts* whereabouts = watched_by()) {
    interruption_.emplace(whereabouts->stop(), Interruption{::pthread_self()});
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
  const Whereabouts* whereabouts = watched_by();
  return whereabouts != nullptr && whereabouts->stop().stop_requested();
}

}  // namespace loadline
