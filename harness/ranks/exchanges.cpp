// The exchanges of Ranks, by which ranks agree.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/ranks/ranks.h"
#include "harness/ranks/wire.h"

namespace loadline {
namespace {

bool is_outer(char kind) {
  return kind == kOuterPart || kind == kPatientPart;
}

}  // namespace

std::string Ranks::outer(std::string mine, const Combine& combine, bool patient) {
  const char kind = patient ? kPatientPart : kOuterPart;
  return (is_first() ? collect(kind, std::move(mine), combine, patient) : ask(kind, mine)).value();
}

std::optional<std::string> Ranks::inner(std::string mine, const Combine& combine) {
  return is_first() ? collect(kInnerPart, std::move(mine), combine, false) : ask(kInnerPart, mine);
}

std::string Ranks::broadcast(std::string mine) {
  return outer(
      is_first() ? std::move(mine) : "", [](const std::vector<std::string>& parts) { return parts.front(); }, true);
}

// Rank 0's side of an exchange.
std::optional<std::string> Ranks::collect(char kind, std::string mine, const Combine& combine, bool patient) {
  std::unique_lock lock(mutex_);
  in_exchange_ = true;
  const Time since = std::chrono::steady_clock::now();
  std::vector<std::string> parts(size_);
  std::vector<bool> there(size_);
  parts[0] = std::move(mine);
  there[0] = true;
  for (;;) {
    pump();
    check_failure();
    bool left = false;
    for (std::size_t r = 1; r < size_; ++r) {
      Peer& peer = peers_[r];
      while (!there[r] && !left && !peer.parts.empty()) {
        if (kind == kInnerPart && is_outer(peer.parts.front().front())) {
          left = true;
          break;
        }
        const std::string part = std::move(peer.parts.front());
        peer.parts.pop_front();
        peer.waits.reset();
        if (is_outer(kind) != is_outer(part.front())) {
          send(r, std::string(1, kLeft));  // it must come here too
          continue;
        }
        parts[r] = part.substr(1);
        there[r] = true;
      }
    }
    if (left) {
      for (std::size_t r = 1; r < size_; ++r) {
        if (there[r]) send(r, std::string(1, kLeft));
      }
      in_exchange_ = false;
      return std::nullopt;
    }
    if (std::ranges::find(there, false) == there.end()) break;
    if (!patient && since_seconds(since) > limits_.silence_seconds + limits_.trial_seconds) {
      std::vector<std::size_t> missing;
      for (std::size_t r = 1; r < size_; ++r) {
        if (!there[r]) missing.push_back(r);
      }
      fail_locked(missing_text(missing, fmt::format("kept the others waiting for more than {:g} s",
                                                    limits_.silence_seconds + limits_.trial_seconds)),
                  missing.front(), false, true);
      check_failure();
    }
    wait_a_moment(lock, since);
  }
  in_exchange_ = false;
  lock.unlock();
  std::string combined = combine(parts);
  lock.lock();
  send_all(kRelease + combined);
  return combined;
}

// The side of the others.
std::optional<std::string> Ranks::ask(char kind, const std::string& mine) {
  std::unique_lock lock(mutex_);
  const Time since = std::chrono::steady_clock::now();
  check_failure();
  send(0, kind + mine);
  for (;;) {
    pump();
    if (!releases_.empty()) {
      const std::string release = std::move(releases_.front());
      releases_.pop_front();
      if (release.front() == kLeft) return std::nullopt;
      return release.substr(1);
    }
    check_failure();
    wait_a_moment(lock, since);
  }
}

// Ranks that wait must not take CPU from those that are waited for: they poll often at first, then less and less.
void Ranks::wait_a_moment(std::unique_lock<std::mutex>& lock, Time since) const {
  const double waited = since_seconds(since);
  lock.unlock();
  if (waited < 1e-4) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(waited < 0.01 ? 20 : 100));
  }
  lock.lock();
}

}  // namespace loadline
