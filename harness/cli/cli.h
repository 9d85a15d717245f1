// The command line: the only place that prints, and the only one that turns errors into exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace loadline {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitRegression = 3;
inline constexpr int kExitSignal = 128;  // plus the number of the signal that interrupted it

// Runs the tool. Returns its exit code: 0, 1 failed, 2 usage, 3 a regression was found, 128 + signal when
// interrupted. `failure` gets the sentence of the Error that ended it; nothing if none did.
int run_cli(int argc, char** argv, std::string* failure = nullptr);

// The names of the options of `loadline run` that are on without a value: "dry-run", "in-memory". Without those that
// print help.
std::vector<std::string> flags_of_run();

// Ends the process with the exit code that `last` returns or that of the error that it throws, which is printed. For a
// thread other than the main one, while that one stands in a call that never returns: no destructor runs.
[[noreturn]] void end_process(const std::function<int()>& last);

// The same in such a call, for the reason given. `signal`: the one that stopped the work; 0: none did.
[[noreturn]] void end_process_stuck(const std::string& why, int signal);

}  // namespace loadline
