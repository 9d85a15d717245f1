// SIGINT, SIGTERM and SIGHUP request a stop. SIGCONT marks the end of a pause that the clock did not notice.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <stop_token>
#include <thread>

namespace loadline {

// While an object lives, the first SIGINT, SIGTERM or SIGHUP requests a stop. One event can send several, from the
// terminal, a launcher, the batch system or the job's script: a SIGINT within `same_event` of the first, and later
// SIGTERMs and SIGHUPs, are ignored. A SIGINT after that ends the process at once with a sentence on stderr, for a user
// who is out of patience. A SIGHUP that was ignored before, as by nohup, stays ignored. Other signals keep their
// effect. Construct it on the main thread: it blocks these signals there, and threads that start later inherit that.
// Threads that were there before pass them on by a handler, so those of a Python program do not see them. One object
// at a time. A forked child has the effects of before, on threads that unblock the signals.
class Interrupt {
 public:
  static constexpr std::chrono::milliseconds kSameEvent{500};
  // Throws Error if its thread cannot be started.
  explicit Interrupt(std::chrono::milliseconds same_event = kSameEvent);
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  std::stop_token token() const { return source_.get_token(); }
  // The signal that arrived; 0: none.
  int signal() const { return signal_.load(); }
  static constexpr std::chrono::milliseconds kLeastPause{100};
  // How often the process was stopped for about that long or longer, and continued, up to a requested stop.
  std::uint64_t times_resumed() const { return times_resumed_.load(); }

 private:
  // Whether the signal ends the listener. Anybody may send the same one, but only the destructor's does.
  bool is_dismissal(int received) const;
  // Returns the signal that ends the wait. A pause after `last` counts, even one before the thread has started.
  int await_end(std::chrono::steady_clock::time_point last);
  void listen(std::chrono::steady_clock::time_point since);

  const std::chrono::milliseconds same_event_;
  const sigset_t signals_;
  std::stop_source source_;
  std::atomic<int> signal_{0};
  std::atomic<std::uint64_t> times_resumed_{0};
  std::atomic<bool> dismissed_{false};
  std::jthread listener_;
};

}  // namespace loadline
