// The processes that are measured as one run: how they agree, and how they notice that one of them is lost.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/ranks/messages.h"

namespace loadline {

struct RankLimits {
  // How long a rank may stay silent, or keep the others waiting in a trial, before it counts as lost.
  double silence_seconds = 30;
  double trial_seconds = 0;        // added to that within a trial: how long trials are
  double last_call_seconds = 0.4;  // for the answer to a stop request: a launcher kills soon after one
  double grace_seconds = 5;        // from the failure of a run to the end of its processes
};

// One rank of a run. Ranks agree by exchanges, which all of them enter in the same order. There are outer exchanges
// and, between two of these, inner ones, which a rank may skip by going to the next outer one. Meanwhile a separate
// thread listens, and tells the others that this process is alive.
//
// A run of ranks fails as a whole: after fail() on any rank, no exchange succeeds on any of them. Exchanges are for
// one thread; everything else is for any thread.
class Ranks {
 public:
  // Combines the parts of all ranks, in rank order, into what all of them get. Called on rank 0.
  using Combine = std::function<std::string(const std::vector<std::string>& parts)>;

  // Exchanges the names of the hosts. `messages`: nothing else may use it from now on. `last_words`: called with the
  // sentence of a failure just before this object ends the process because the process has not ended by itself.
  // Throws Error.
  Ranks(std::unique_ptr<Messages> messages, std::string host, const RankLimits& limits,
        std::function<void(const std::string&)> last_words);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  // Waits until the others are done too, for at most the grace period, and ends the transport. After a failure that
  // has lost a rank it does not return: it ends this process, with exit code 1, and all others.
  ~Ranks();

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  std::string description() const;
  const std::vector<std::string>& hosts() const { return hosts_; }  // by rank
  // "rank 1 on node2".
  std::string name_of(std::size_t rank) const;

  // Sets the limits from now on.
  void set_limits(const RankLimits& limits);
  // From now on, a stop requested by `token` stops all ranks; `signal` gives the signal to report.
  void watch(std::stop_token token, std::function<int()> signal);
  // Sets the function that tells whether another rank's process has ended; empty: that is not known for any.
  void watch_processes(std::function<bool(std::size_t rank)> has_ended);
  // Its stop is requested when any rank must stop or the run has failed.
  std::stop_token stop_token() const { return stop_.get_token(); }
  // The signal that requested the stop; 0: none.
  int signal() const;

  // Throws Error with the sentence of the failure. `patient`: waits without a limit, as when ranks read data.
  std::string outer(std::string mine, const Combine& combine, bool patient = false);
  // nullopt: another rank has gone on to the next outer exchange, and this one must follow.
  std::optional<std::string> inner(std::string mine, const Combine& combine);
  // Returns rank 0's text on all ranks.
  std::string broadcast(std::string mine);

  // Sums of numbers, independent of the exchanges, as in Messages. If a sum fails, the run fails.
  void start_sum(std::span<float> numbers);
  bool sums_done();
  // Tells rank 0 that this rank waits for a sum, or no longer does. Ranks that do not join a sum in time count as
  // lost.
  void note_sum_wait(bool waits);

  // This rank cannot go on: ends the run on all ranks, none of which is lost.
  void fail(const std::string& sentence);
  // The sentence of the failure, and the rank that it is about.
  struct Failure {
    std::string sentence;
    std::size_t of = 0;   // rank
    bool orderly = true;  // false: a rank is lost, so none may wait for it
  };
  std::optional<Failure> failure() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Peer {
    Time heard;                     // the last message
    std::deque<std::string> parts;  // of exchanges, with their kinds; at rank 0
    std::optional<Time> waits;      // since when the first of them does
    std::optional<Time> sum_waits;  // since when it waits for a sum; at rank 0, of itself too
    bool answered_stop = false;
    bool done = false;
  };

  void listen(const std::stop_token& dismissed);
  void pump();
  void dispatch(Message message);
  double beat_period() const;  // seconds
  bool look_after();           // false: this process was to be ended
  void look_for_lost();
  void look_for_ended();
  void look_for_missing_in_sum();
  void relay_stop();
  void send(std::size_t to, std::string bytes);
  void send_all(const std::string& bytes);
  void fail_locked(const std::string& sentence, std::size_t of, bool orderly, bool tell);
  void check_failure();
  std::optional<std::string> collect(char kind, std::string mine, const Combine& combine, bool patient);
  std::optional<std::string> ask(char kind, const std::string& mine);
  void wait_a_moment(std::unique_lock<std::mutex>& lock, Time since) const;
  std::string missing_text(const std::vector<std::size_t>& missing, const std::string& what) const;
  bool all_done() const;
  bool all_left(std::unique_lock<std::mutex>& lock);
  void leave();

  std::unique_ptr<Messages> messages_;
  std::size_t rank_;
  std::size_t size_;
  std::vector<std::string> hosts_;
  RankLimits limits_;
  std::function<void(const std::string&)> last_words_;
  mutable std::mutex mutex_;  // of all below, and of messages_
  std::vector<Peer> peers_;
  std::deque<std::string> releases_;  // of exchanges, from rank 0
  std::optional<Failure> failure_;
  std::optional<Time> failed_at_;
  std::optional<Time> stopped_at_;
  int signal_ = 0;
  std::stop_token watched_;
  std::function<int()> watched_signal_;
  std::function<bool(std::size_t)> has_ended_;
  bool told_stop_ = false;
  bool in_exchange_ = false;
  bool leaving_ = false;
  Time last_beat_;
  std::optional<double> away_seconds_;  // that this process was suspended, longer than the others wait
  Time back_;                           // when that was over
  std::stop_source stop_;
  std::jthread listener_;
};

}  // namespace loadline
