#include "harness/ranks/ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "harness/result/kernel_text.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using Steady = std::chrono::steady_clock;

// The first byte of a message.
constexpr char kInnerPart = 'i';
constexpr char kOuterPart = 'o';
constexpr char kPatientPart = 'p';  // an outer one that may wait
constexpr char kRelease = 'r';
constexpr char kLeft = 'l';
constexpr char kBeat = 'b';
constexpr char kStop = 's';
constexpr char kStopAnswer = 'a';
constexpr char kFailure = 'e';
constexpr char kDone = 'd';

constexpr std::chrono::milliseconds kListenEvery{20};

double since_seconds(Steady::time_point time) {
  return std::chrono::duration<double>(Steady::now() - time).count();
}

bool is_outer(char kind) {
  return kind == kOuterPart || kind == kPatientPart;
}

std::string with_kind(char kind, const std::string& text) {
  return kind + text;
}

// Parts of different lengths in one text, and back.
std::string joined_texts(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += fmt::format("{}:{}", text.size(), text);
  return joined;
}

std::vector<std::string> split_texts(std::string_view joined) {
  std::vector<std::string> texts;
  while (!joined.empty()) {
    const auto colon = joined.find(':');
    const auto length = parse_whole(joined.substr(0, colon)).value_or(0);
    texts.emplace_back(joined.substr(colon + 1, length));
    joined.remove_prefix(colon + 1 + length);
  }
  return texts;
}

}  // namespace

Ranks::Ranks(std::unique_ptr<Messages> messages, std::string host, const RankLimits& limits,
             std::function<void(const std::string&)> last_words)
    : messages_(std::move(messages)),
      rank_(messages_->rank()),
      size_(messages_->size()),
      hosts_(size_),
      limits_(limits),
      last_words_(std::move(last_words)),
      peers_(size_),
      last_beat_(Steady::now()) {
  for (Peer& peer : peers_) peer.heard = Steady::now();
  listener_ = std::jthread([this](const std::stop_token& dismissed) { listen(dismissed); });
  auto hosts = split_texts(outer(std::move(host), joined_texts, true));
  const std::scoped_lock lock(mutex_);
  hosts_ = std::move(hosts);
}

Ranks::~Ranks() {
  leave();
}

std::string Ranks::description() const {
  const std::scoped_lock lock(mutex_);
  return messages_->description();
}

std::string Ranks::name_of(std::size_t rank) const {
  return hosts_[rank].empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} on {}", rank, hosts_[rank]);
}

void Ranks::set_limits(const RankLimits& limits) {
  const std::scoped_lock lock(mutex_);
  limits_ = limits;
}

void Ranks::watch(std::stop_token token, std::function<int()> signal) {
  const std::scoped_lock lock(mutex_);
  watched_ = std::move(token);
  watched_signal_ = std::move(signal);
}

int Ranks::signal() const {
  const std::scoped_lock lock(mutex_);
  return signal_;
}

std::optional<Ranks::Failure> Ranks::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

std::string Ranks::outer(std::string mine, const Combine& combine, bool patient) {
  const char kind = patient ? kPatientPart : kOuterPart;
  return (is_first() ? collect(kind, std::move(mine), combine, patient) : ask(kind, mine, patient)).value();
}

std::optional<std::string> Ranks::inner(std::string mine, const Combine& combine) {
  return is_first() ? collect(kInnerPart, std::move(mine), combine, false) : ask(kInnerPart, mine, false);
}

std::string Ranks::broadcast(std::string mine) {
  return outer(
      is_first() ? std::move(mine) : "", [](const std::vector<std::string>& parts) { return parts.front(); }, true);
}

void Ranks::fail(const std::string& sentence) {
  const std::scoped_lock lock(mutex_);
  fail_locked(sentence, rank_, true, true);
}

// Rank 0's side of an exchange.
std::optional<std::string> Ranks::collect(char kind, std::string mine, const Combine& combine, bool patient) {
  std::unique_lock lock(mutex_);
  in_exchange_ = true;
  const Time since = Steady::now();
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
          send(r, std::string(1, kLeft));  // it is to come here too
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
  send_all(with_kind(kRelease, combined));
  return combined;
}

// The side of the others.
std::optional<std::string> Ranks::ask(char kind, const std::string& mine, bool /*patient*/) {
  std::unique_lock lock(mutex_);
  const Time since = Steady::now();
  check_failure();
  send(0, with_kind(kind, mine));
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

// Those who wait have no CPU to take from those who are waited for: they look often at first and ever less often.
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

void Ranks::send(std::size_t to, std::string bytes) {
  try {
    messages_->send(to, std::move(bytes));
  } catch (const Error& error) {
    fail_locked(fmt::format("{} cannot be reached: {}", name_of(to), error.what()), to, false, rank_ == 0);
  }
}

void Ranks::send_all(const std::string& bytes) {
  for (std::size_t r = 0; r < size_; ++r) {
    if (r != rank_) send(r, bytes);
  }
}

void Ranks::check_failure() {
  if (!failure_) return;
  in_exchange_ = false;
  throw Error(failure_->sentence);
}

// The first failure is the one that counts. The listener asks for the stop: whoever is called back by that may take its
// time, and may not do so under the lock.
void Ranks::fail_locked(const std::string& sentence, std::size_t of, bool orderly, bool tell) {
  if (failure_) return;
  failure_ = Failure{.sentence = sentence, .of = of, .orderly = orderly};
  failed_at_ = Steady::now();
  if (!tell) return;
  const std::string bytes = fmt::format("{}{}:{}:{}", kFailure, of, orderly ? 1 : 0, sentence);
  if (rank_ == 0) return send_all(bytes);
  send(0, bytes);
}

void Ranks::pump() {
  while (auto message = messages_->receive()) dispatch(std::move(*message));
}

void Ranks::dispatch(Message message) {
  Peer& peer = peers_[message.from];
  peer.heard = Steady::now();
  const std::string& bytes = message.bytes;
  switch (bytes.front()) {
    case kInnerPart:
    case kOuterPart:
    case kPatientPart:
      peer.waits = bytes.front() == kPatientPart ? std::nullopt : std::optional(peer.heard);
      peer.parts.push_back(std::move(message.bytes));
      return;
    case kRelease:
    case kLeft: releases_.push_back(std::move(message.bytes)); return;
    case kStop:
      peer.answered_stop = true;
      if (rank_ != 0) send(0, std::string(1, kStopAnswer));
      if (stopped_at_) return;
      stopped_at_ = Steady::now();
      signal_ = static_cast<int>(parse_whole(bytes.substr(1)).value_or(0));
      if (rank_ == 0) send_all(bytes);
      return;
    case kStopAnswer: peer.answered_stop = true; return;
    case kFailure: {
      const std::string text = bytes.substr(1);
      const auto first = text.find(':');
      const auto second = text.find(':', first + 1);
      fail_locked(text.substr(second + 1), parse_whole(text.substr(0, first)).value_or(0),
                  text.substr(first + 1, second - first - 1) == "1", rank_ == 0);
      return;
    }
    case kDone: peer.done = true; return;
    default: return;  // a beat
  }
}

void Ranks::listen(const std::stop_token& dismissed) {
  Time last = Steady::now();
  bool ended = false;
  while (!dismissed.stop_requested() && !ended) {
    std::this_thread::sleep_for(kListenEvery);
    bool stops = false;
    {
      const std::scoped_lock lock(mutex_);
      // A process that was itself suspended, as by a batch system that takes a job's nodes for a while, knows nothing
      // of the others.
      if (since_seconds(last) > std::max(1.0, limits_.silence_seconds / 2)) {
        for (Peer& peer : peers_) {
          peer.heard = Steady::now();
          if (peer.waits) peer.waits = peer.heard;
        }
      }
      last = Steady::now();
      pump();
      ended = !look_after();
      stops = failed_at_ || stopped_at_;
    }
    if (stops) stop_.request_stop();
  }
}

bool Ranks::look_after() {
  const double period = std::min(1.0, limits_.silence_seconds / 5);
  if (since_seconds(last_beat_) > period && !leaving_) {
    last_beat_ = Steady::now();
    if (rank_ == 0) {
      send_all(std::string(1, kBeat));
    } else {
      send(0, std::string(1, kBeat));
    }
  }
  relay_stop();
  if (!leaving_) look_for_lost();
  if (!failed_at_) return true;
  // Rank 0 first: it has the result.
  const double grace = limits_.grace_seconds * (rank_ == 0 ? 1 : 1.5);
  if (since_seconds(*failed_at_) < grace) return true;
  if (rank_ == 0 || (failure_->of == 0 && rank_ == 1)) last_words_(failure_->sentence);
  messages_->abort(1);
  return false;
}

void Ranks::relay_stop() {
  if (told_stop_ || !watched_.stop_requested()) return;
  told_stop_ = true;
  if (stopped_at_) return;
  stopped_at_ = Steady::now();
  signal_ = watched_signal_();
  const std::string bytes = fmt::format("{}{}", kStop, signal_);
  if (rank_ == 0) return send_all(bytes);
  send(0, bytes);
}

void Ranks::look_for_lost() {
  if (failure_) return;
  std::vector<std::size_t> silent;
  std::vector<std::size_t> gone;
  for (std::size_t r = 0; r < size_; ++r) {
    // All that they have to say goes to rank 0.
    if (r == rank_ || (rank_ != 0 && r != 0)) continue;
    if (since_seconds(peers_[r].heard) > limits_.silence_seconds) silent.push_back(r);
    if (stopped_at_ && !peers_[r].answered_stop && since_seconds(*stopped_at_) > limits_.last_call_seconds) {
      gone.push_back(r);
    }
    if (rank_ == 0 && !in_exchange_ && peers_[r].waits &&
        since_seconds(*peers_[r].waits) > limits_.silence_seconds + limits_.trial_seconds) {
      return fail_locked(missing_text({0}, fmt::format("kept the others waiting for more than {:g} s",
                                                       limits_.silence_seconds + limits_.trial_seconds)),
                         0, false, true);
    }
  }
  if (!gone.empty()) {
    return fail_locked(missing_text(gone, "did not answer when the run was stopped"), gone.front(), false, true);
  }
  if (silent.empty()) return;
  fail_locked(missing_text(silent, fmt::format("was silent for {:g} s", limits_.silence_seconds)), silent.front(),
              false, rank_ == 0);
}

std::string Ranks::missing_text(const std::vector<std::size_t>& missing, const std::string& what) const {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> names;
  for (const std::size_t r : missing) {
    if (names.size() < kMostNamed) names.push_back(name_of(r));
  }
  const std::string others =
      missing.size() > kMostNamed ? fmt::format(" and {} others", missing.size() - kMostNamed) : "";
  return fmt::format("{}{} {}", fmt::join(names, ", "), others, what);
}

bool Ranks::all_done() const {
  if (rank_ != 0) return peers_[0].done;
  return std::ranges::all_of(peers_.begin() + 1, peers_.end(), [](const Peer& peer) { return peer.done; });
}

// All that was sent has come once everyone has heard of everyone's end: messages of one sender keep their order.
bool Ranks::all_left(std::unique_lock<std::mutex>& lock) {
  const bool lost = failure_ && !failure_->orderly;
  // Rank 0 ends what a lost one leaves behind, when it has written what it has.
  if (lost && (rank_ == 0 || (failure_->of == 0 && rank_ == 1))) return false;
  const Time since = Steady::now();
  if (rank_ != 0) send(0, std::string(1, kDone));
  while (lost || !all_done()) {
    pump();
    if (since_seconds(since) > limits_.grace_seconds * (rank_ == 0 ? 1 : 1.5)) return false;
    wait_a_moment(lock, since);
  }
  if (rank_ == 0) send_all(std::string(1, kDone));
  return true;
}

void Ranks::leave() {
  std::unique_lock lock(mutex_);
  leaving_ = true;
  const bool orderly = all_left(lock);
  if (!orderly) messages_->abort(1);
  lock.unlock();
  listener_.request_stop();
  listener_.join();
  if (orderly) messages_->finish();
}

}  // namespace loadline
