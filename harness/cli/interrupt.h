// SIGINT, SIGTERM and SIGHUP as a stop request, and SIGCONT as what it is: the end of a pause that the clock did not
// see.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <stop_token>
#include <thread>

namespace loadline {

// While an object lives, the first SIGINT, SIGTERM or SIGHUP requests a stop, and a SIGINT after it ends the process at
// once: that is a person who has no more patience. Further SIGTERMs and SIGHUPs say nothing new: a batch system sends
// them to every process of a job, the job's script to its own, and a lost terminal both. A SIGHUP that was ignored
// before, as by nohup, stays ignored. Other signals do what they always do. Made on the main thread before any other is
// started: threads inherit that these signals are not for them.
class Interrupt {
 public:
  // Throws Error where its thread is refused.
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  std::stop_token token() const { return source_.get_token(); }
  // The signal that came, 0 when none did.
  int signal() const { return signal_.load(); }
  // How often the process was stopped so far and went on, until a stop was requested.
  std::uint64_t times_resumed() const { return times_resumed_.load(); }

 private:
  void listen();

  const sigset_t signals_;
  std::stop_source source_;
  std::atomic<int> signal_{0};
  std::atomic<std::uint64_t> times_resumed_{0};
  std::jthread listener_;
};

}  // namespace loadline
