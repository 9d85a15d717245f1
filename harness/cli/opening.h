// What a command does before its first trial: it imports the user's functions, makes the plan and reads the data.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "harness/plan/options.h"
#include "synthetic/clock.h"

namespace loadline {

// Runs the parts of an opening on the thread that calls. One of them may call a function of the user that never
// returns: once a stop is requested or the time limit is over, the process then ends with a sentence about that call.
class Opening {
 public:
  // `options`: with the time limit, which counts from here; null if they are not known yet, or if each of two sides has
  // its own: then there is no limit, and the calls are watched whatever they call. `signal`: the one that stopped the
  // run; 0: none. `done`: what nobody has done yet when the opening ends. Borrows options and clock.
  Opening(const RunOptions* options, const Clock& clock, std::stop_token stop, std::function<int()> signal,
          std::string_view done = "measured");

  // Returns early when stopped.
  void run(const std::function<void()>& work);

  // Says that a signal ended the opening, and returns the exit code.
  int interrupted() const;

 private:
  [[noreturn]] void give_up(const std::string& why);

  const std::optional<double> limit_seconds_;
  const Clock& clock_;
  const Time began_;
  const std::stop_token stop_;
  const std::function<int()> signal_;
  const bool foreign_;
  const std::string nothing_;
  std::string hung_;
};

}  // namespace loadline
