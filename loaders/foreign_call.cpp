#include "loaders/foreign_call.h"

#include <signal.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>

namespace loadline {
namespace {

thread_local WatchedThread* watched = nullptr;
thread_local CallName current_call;

// Of the thread that makes it.
class SignalStack {
 public:
  SignalStack() {
    stack_t now{};
    if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    // Room for the registers of any CPU, of which the kernel saves several KiB, and for a handler of few calls.
    constexpr std::size_t kBytes = std::size_t{64} << 10;
    memory_.reset(new (std::nothrow) std::byte[kBytes]);
    if (!memory_) return;
    const stack_t mine{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = kBytes};
    if (::sigaltstack(&mine, nullptr) != 0) memory_.reset();
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack() {
    if (!memory_) return;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ::sigaltstack(&none, nullptr);
  }

 private:
  std::unique_ptr<std::byte[]> memory_;  // null: the thread had a stack, or there is no memory
};

}  // namespace

WatchedThread* watched_thread() {
  return watched;
}

void watch_this_thread(WatchedThread* thread) {
  watched = thread;
}

CallName foreign_call() {
  return current_call;
}

const char* kept_for_ever(std::string_view text) {
  static std::mutex mutex;
  static auto& all = *new std::set<std::string, std::less<>>();
  const std::lock_guard lock(mutex);
  return all.emplace(text).first->c_str();
}

void give_signals_a_stack() {
  thread_local SignalStack stack;
}

ForeignCall::ForeignCall(const char* call, const char* owner) : thread_(watched), outer_(current_call) {
  current_call = {.call = call, .owner = owner};
  if (thread_ == nullptr) return;
  thread_->owner_.store(owner, std::memory_order_relaxed);
  thread_->call_.store(call, std::memory_order_relaxed);
  thread_->calls_.fetch_add(1, std::memory_order_relaxed);
  thread_->state_.store(WatchedThread::State::kAway, std::memory_order_release);
}

ForeignCall::~ForeignCall() {
  current_call = outer_;
  if (thread_ == nullptr) return;
  auto away = WatchedThread::State::kAway;
  if (thread_->state_.compare_exchange_strong(away, WatchedThread::State::kHere)) return;
  // Whatever this thread would continue with may be gone by now.
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace loadline
