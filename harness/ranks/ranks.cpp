#include "harness/ranks/ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "harness/machine/kernel_text.h"
#include "harness/ranks/wire.h"
#include "loaders/error.h"

namespace loadline {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kListenEvery{20};

// Joins parts of different lengths into one text, and splits it again.
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

void Ranks::watch_processes(std::function<bool(std::size_t)> has_ended) {
  const std::scoped_lock lock(mutex_);
  has_ended_ = std::move(has_ended);
}

int Ranks::signal() const {
  const std::scoped_lock lock(mutex_);
  return signal_;
}

std::optional<Ranks::Failure> Ranks::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

void Ranks::fail(const std::string& sentence) {
  const std::scoped_lock lock(mutex_);
  fail_locked(sentence, rank_, true, true);
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

void Ranks::start_sum(std::span<float> numbers) {
  const std::scoped_lock lock(mutex_);
  if (failure_) return;
  try {
    messages_->start_sum(numbers);
  } catch (const Error& error) {
    fail_locked(fmt::format("{}: cannot sum up gradients: {}", name_of(rank_), error.what()), rank_, true, true);
  }
}

bool Ranks::sums_done() {
  const std::scoped_lock lock(mutex_);
  if (failure_) return false;
  try {
    return messages_->sums_done();
  } catch (const Error& error) {
    fail_locked(fmt::format("{}: cannot sum up gradients: {}", name_of(rank_), error.what()), rank_, true, true);
    return false;
  }
}

void Ranks::note_sum_wait(bool waits) {
  const std::scoped_lock lock(mutex_);
  if (rank_ != 0) return send(0, std::string(1, waits ? kWaitsForSum : kHasSum));
  peers_[0].sum_waits = waits ? std::optional(Steady::now()) : std::nullopt;
}

// Only the first failure counts. The listener requests the stop, because its callbacks may take long and must not run
// under the lock.
void Ranks::fail_locked(const std::string& sentence, std::size_t of, bool orderly, bool tell) {
  if (failure_) return;
  // If this process was suspended that long, the ranks that seem lost have in fact given up on it, and said so. Their
  // silence is noticed when it has lasted for a while after this process is back.
  if (away_seconds_ && since_seconds(back_) < 2 * limits_.silence_seconds && of != rank_ && !orderly) {
    failure_ = Failure{.sentence = fmt::format("{} was suspended for {:.2g} s, so the others gave up on it",
                                               name_of(rank_), *away_seconds_),
                       .of = rank_,
                       .orderly = false};
    failed_at_ = Steady::now();
    return;
  }
  failure_ = Failure{.sentence = sentence, .of = of, .orderly = orderly};
  failed_at_ = Steady::now();
  if (!tell) return;
  const std::string bytes = fmt::format("{}{}:{}:{}", kFailure, of, orderly ? 1 : 0, sentence);
  if (rank_ == 0) return send_all(bytes);
  send(0, bytes);
}

void Ranks::pump() {
  try {
    while (auto message = messages_->receive()) dispatch(std::move(*message));
  } catch (const Error& error) {
    fail_locked(fmt::format("{} cannot receive messages: {}", name_of(rank_), error.what()), rank_, false, true);
  }
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
    case kWaitsForSum: peer.sum_waits = peer.heard; return;
    case kHasSum: peer.sum_waits.reset(); return;
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
      // A process that was suspended itself, such as by a batch system that borrows a job's nodes, knows nothing
      // about the others.
      const double away = since_seconds(last);
      if (away > std::max(1.0, limits_.silence_seconds - beat_period())) {
        away_seconds_ = away;
        back_ = Steady::now();
      }
      if (away > std::max(1.0, limits_.silence_seconds / 2)) {
        for (Peer& peer : peers_) {
          peer.heard = Steady::now();
          if (peer.waits) peer.waits = peer.heard;
          if (peer.sum_waits) peer.sum_waits = peer.heard;
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

double Ranks::beat_period() const {
  return std::min(1.0, limits_.silence_seconds / 5);
}

bool Ranks::look_after() {
  if (since_seconds(last_beat_) > beat_period() && !leaving_) {
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

// Notices it sooner than by silence, and before a launcher stops the others.
void Ranks::look_for_ended() {
  if (!has_ended_) return;
  std::vector<std::size_t> ended;
  for (std::size_t r = 0; r < size_; ++r) {
    if (r != rank_ && (rank_ == 0 || r == 0) && has_ended_(r)) ended.push_back(r);
  }
  if (ended.empty()) return;
  fail_locked(missing_text(ended, ended.size() == 1 ? "was killed or crashed" : "were killed or crashed"),
              ended.front(), false, rank_ == 0);
}

// Ranks that have not joined a sum for which others have waited too long.
void Ranks::look_for_missing_in_sum() {
  const double most = limits_.silence_seconds + limits_.trial_seconds;
  double longest = 0;
  std::vector<std::size_t> missing;
  for (std::size_t r = 0; r < size_; ++r) {
    if (peers_[r].sum_waits) longest = std::max(longest, since_seconds(*peers_[r].sum_waits));
    if (!peers_[r].sum_waits) missing.push_back(r);
  }
  if (longest <= most) return;
  if (missing.empty()) return fail_locked("no rank gets its sum of gradients", 0, false, true);
  fail_locked(
      missing_text(missing, fmt::format("kept the others waiting for its gradients for more than {:g} s", most)),
      missing.front(), false, true);
}

void Ranks::look_for_lost() {
  look_for_ended();
  if (rank_ == 0) look_for_missing_in_sum();
  if (failure_) return;
  std::vector<std::size_t> silent;
  std::vector<std::size_t> gone;
  for (std::size_t r = 0; r < size_; ++r) {
    // Everything they send goes to rank 0.
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
    return fail_locked(missing_text(gone, "did not answer when the run was stopped; it may be hanging or killed"),
                       gone.front(), false, true);
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

// All messages have arrived once everyone knows that everyone is done: messages of one sender keep their order.
bool Ranks::all_left(std::unique_lock<std::mutex>& lock) {
  const bool lost = failure_ && !failure_->orderly;
  // Rank 0 ends the processes that a lost rank leaves behind, after it has written its result.
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
