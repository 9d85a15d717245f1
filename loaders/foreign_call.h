// Calls into foreign code that may never return.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <utility>

namespace loadline {

// A thread that calls foreign code: tells whether it is in such a call, where it can be abandoned.
class WatchedThread {
 public:
  // `stop`: ends what the thread does.
  explicit WatchedThread(std::stop_token stop = {}) : stop_(std::move(stop)) {}

  // Abandons the thread if it is in a foreign call, and returns whether it was. If that call returns after all, the
  // thread stops there for ever. Whatever the thread refers to must live on, but is no longer touched. Any thread.
  bool write_off() {
    State away = State::kAway;
    return state_.compare_exchange_strong(away, State::kWrittenOff);
  }
  bool away() const { return state_.load() == State::kAway; }
  // How many foreign calls the thread has made so far. Any thread.
  std::uint64_t calls() const { return calls_.load(); }
  // The latest call, such as "next()".
  std::string_view call() const { return call_.load(); }
  // Whose call it is: "compute train.py:make_step"; empty if it does not say.
  std::string_view owner() const { return owner_.load(); }
  const std::stop_token& stop() const { return stop_; }

 private:
  friend class ForeignCall;
  enum class State : std::uint8_t { kHere, kAway, kWrittenOff };

  std::atomic<State> state_{State::kHere};
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<const char*> call_{""};
  std::atomic<const char*> owner_{""};
  const std::stop_token stop_;
};

// This thread, if its foreign calls are recorded; null if they are not. Borrowed.
WatchedThread* watched_thread();
void watch_this_thread(WatchedThread* thread);

// A foreign call of a thread.
struct CallName {
  const char* call = nullptr;  // such as "next()"; null: the thread is in none
  const char* owner = "";      // such as "loader ./libmine.so"; empty if it does not say
};

// The foreign call in which this thread is. A signal handler may call it.
CallName foreign_call();

// A copy of the text that lives for ever, since whoever watches a thread may read it at any time. Equal texts share
// one. Any thread.
const char* kept_for_ever(std::string_view text);

// Gives this thread, unless it has one, a stack for signal handlers until the thread ends: a handler can then name the
// foreign call that has overflowed the thread's own.
void give_signals_a_stack();

// Guards a foreign call. Costs four atomic writes if the thread is watched.
class ForeignCall {
 public:
  // Both must live for ever, like string literals and kept_for_ever().
  explicit ForeignCall(const char* call, const char* owner = "");
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;
  // Never returns if the thread was written off meanwhile.
  ~ForeignCall();

 private:
  WatchedThread* thread_;
  CallName outer_;
};

}  // namespace loadline
