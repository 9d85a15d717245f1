// The command line: the only place that prints, and the only one that turns errors into exit codes.
#pragma once

namespace loadline {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitRegression = 3;
inline constexpr int kExitSignal = 128;  // plus the number of the signal that interrupted it

// Runs the tool. Returns its exit code: 0, 1 failed, 2 usage, 3 a regression was found, 128 + signal when
// interrupted.
int run_cli(int argc, char** argv);

}  // namespace loadline
