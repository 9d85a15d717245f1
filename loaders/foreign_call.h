// Calls of code that is not ours and may never return.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace loadline {

// Where a thread is: in our code, or in foreign code, from which it may be written off.
class Whereabouts {
 public:
  // Whether the thread is in a foreign call, which then is the last thing it ever does: if that returns after all, the
  // thread stops there. What the thread refers to must live on, but is not touched any more. Any thread.
  bool write_off() {
    State away = State::kAway;
    return state_.compare_exchange_strong(away, State::kWrittenOff);
  }
  bool away() const { return state_.load() == State::kAway; }
  // How many foreign calls there were so far. Any thread.
  std::uint64_t calls() const { return calls_.load(); }
  // The latest one: "next()".
  std::string_view call() const { return call_.load(); }

 private:
  friend class ForeignCall;
  enum class State : std::uint8_t { kHere, kAway, kWrittenOff };

  std::atomic<State> state_{State::kHere};
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<const char*> call_{""};
};

// Where foreign calls of this thread are recorded; null: they are not. Borrowed.
Whereabouts* watched_by();
void watch_this_thread(Whereabouts* whereabouts);

// Stands around a foreign call. Costs two atomic writes where the thread is watched.
class ForeignCall {
 public:
  // `call` is a literal.
  explicit ForeignCall(const char* call);
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;
  // Never ends where the thread was written off meanwhile.
  ~ForeignCall();

 private:
  Whereabouts* whereabouts_;
};

}  // namespace loadline
