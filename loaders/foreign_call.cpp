#include "loaders/foreign_call.h"

#include <chrono>
#include <thread>

namespace loadline {
namespace {

thread_local Whereabouts* watched = nullptr;
thread_local const char* current_call = nullptr;

}  // namespace

Whereabouts* watched_by() {
  return watched;
}

void watch_this_thread(Whereabouts* whereabouts) {
  watched = whereabouts;
}

const char* foreign_call() {
  return current_call;
}

ForeignCall::ForeignCall(const char* call, const char* owner) : whereabouts_(watched), outer_(current_call) {
  current_call = call;
  if (whereabouts_ == nullptr) return;
  whereabouts_->owner_.store(owner, std::memory_order_relaxed);
  whereabouts_->call_.store(call, std::memory_order_relaxed);
  whereabouts_->calls_.fetch_add(1, std::memory_order_relaxed);
  whereabouts_->state_.store(Whereabouts::State::kAway, std::memory_order_release);
}

ForeignCall::~ForeignCall() {
  current_call = outer_;
  if (whereabouts_ == nullptr) return;
  auto away = Whereabouts::State::kAway;
  if (whereabouts_->state_.compare_exchange_strong(away, Whereabouts::State::kHere)) return;
  // Whatever this thread would continue with may be gone by now.
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace loadline
