// The processes that are measured as one run: what they agree on, and how they notice that one of them is lost.
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
  // For so long a rank may say nothing at all, or have the others wait for it in a trial, before it is given up.
  double silence_seconds = 30;
  double trial_seconds = 0;        // that the others wait beyond that in a trial, as they are that long
  double last_call_seconds = 0.4;  // for the answer to a request to stop: a launcher kills soon after it
  double grace_seconds = 5;        // from the end of a run that has failed to the end of its processes
};

// One rank of a run. All ranks agree by exchanges, which each of them enters in the same order: outer ones, and inner
// ones between two of these, which a rank may skip by going to the next outer one. A thread of its own listens
// meanwhile, and tells the others that this process is there.
//
// A run of ranks fails as a whole: after fail(), by whichever rank, no exchange succeeds any more on any of them.
// Exchanges are for one thread. The rest is for any.
class Ranks {
 public:
  // Makes of what each rank gave, in their order, what all of them get. Called at rank 0.
  using Combine = std::function<std::string(const std::vector<std::string>& parts)>;

  // Exchanges the names of the hosts. `messages`: not used by others from here on. `last_words`: is told the sentence
  // of a failure where the process is ended because its own thread does not end it. Throws Error.
  Ranks(std::unique_ptr<Messages> messages, std::string host, const RankLimits& limits,
        std::function<void(const std::string&)> last_words);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  // Waits for the others to be done as well, for the time of grace, and ends what carries messages. After a failure
  // that has left a rank behind it does not return: it ends the process, with exit code 1, and all others.
  ~Ranks();

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  std::string description() const;
  const std::vector<std::string>& hosts() const { return hosts_; }  // one a rank
  // "rank 1 on node2".
  std::string name_of(std::size_t rank) const;

  // For how long a rank may be silent, from here on.
  void set_limits(const RankLimits& limits);
  // A stop of this one, by this signal, is a stop of all.
  void watch(std::stop_token token, std::function<int()> signal);
  // What tells whether the process of another rank has ended; none: nobody knows that of any.
  void watch_processes(std::function<bool(std::size_t rank)> has_ended);
  // Requested when any rank must stop, or when the run has failed.
  std::stop_token stop_token() const { return stop_.get_token(); }
  // The signal that asked for the stop; 0: none.
  int signal() const;

  // Throws Error with the sentence of the failure. `patient`: for as long as it takes, as where ranks read data.
  std::string outer(std::string mine, const Combine& combine, bool patient = false);
  // Absent: another rank is on its way to the next outer exchange, and this one must follow.
  std::optional<std::string> inner(std::string mine, const Combine& combine);
  // Rank 0's.
  std::string broadcast(std::string mine);

  // Sums of numbers, beside the exchanges, as Messages has them. Where they cannot be made the run fails.
  void start_sum(std::span<float> numbers);
  bool sums_done();
  // That this rank waits for one, or no more: others that do not come in time are lost.
  void note_sum_wait(bool waits);

  // This rank cannot go on: ends the run of all, who are all there to hear it.
  void fail(const std::string& sentence);
  // The sentence of the failure, and whether it came from another rank.
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
  std::optional<std::string> ask(char kind, const std::string& mine, bool patient);
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
