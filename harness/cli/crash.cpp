#include "harness/cli/crash.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "loaders/foreign_call.h"

namespace loadline {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct Crash {
  int signal;
  const char* name;
  struct sigaction before;
};

// A handler can reach nothing but globals.
std::array<Crash, 5> crashes{{{SIGSEGV, "SIGSEGV", {}},
                              {SIGBUS, "SIGBUS", {}},
                              {SIGFPE, "SIGFPE", {}},
                              {SIGILL, "SIGILL", {}},
                              {SIGABRT, "SIGABRT", {}}}};
std::atomic_flag said;

// Calls only what a signal handler may.
void say(const char* text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

// "next() of loader ./libmine.so".
void say_call(const CallName& foreign) {
  say(foreign.call);
  say(" of ");
  say(foreign.owner[0] != '\0' ? foreign.owner : "the loader or compute");
}

void on_crash(int signal) {
  for (const Crash& crash : crashes) {
    if (crash.signal != signal) continue;
    if (!said.test_and_set()) {
      say("loadline: ");
      say(crash.name);
      say(" in ");
      const CallName foreign = foreign_call();
      if (foreign.call == nullptr) {
        say("loadline, or in a thread or library of a loader or compute");
      } else {
        say_call(foreign);
      }
      say(saved_words());
      say("\n");
    }
    // Blocked until this handler returns.
    ::sigaction(signal, &crash.before, nullptr);
    ::raise(signal);
  }
}

// Whoever calls exit() in a loader or compute would end the run as if it had succeeded.
void on_exit_by_foreign_code() {
  const CallName foreign = foreign_call();
  if (foreign.call == nullptr) return;
  say("loadline: ");
  say_call(foreign);
  say(" called exit()");
  say(saved_words());
  say("\n");
  ::_exit(kExitFailed);
}

}  // namespace

void name_crashes() {
  [[maybe_unused]] static const int kRegistered = std::atexit(on_exit_by_foreign_code);
  if (kSanitized) return;
  give_signals_a_stack();
  for (Crash& crash : crashes) {
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    // A second call must not take this handler for the one before.
    struct sigaction now {};
    if (::sigaction(crash.signal, nullptr, &now) != 0 || now.sa_handler == on_crash) continue;
    crash.before = now;
    ::sigaction(crash.signal, &action, nullptr);
  }
}

}  // namespace loadline
