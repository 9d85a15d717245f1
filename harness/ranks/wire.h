// The kinds of messages between ranks: a message's first byte. Private to the files of Ranks.
#pragma once

#include <chrono>

namespace loadline {

inline constexpr char kInnerPart = 'i';
inline constexpr char kOuterPart = 'o';
inline constexpr char kPatientPart = 'p';  // an outer one that waits without a limit
inline constexpr char kRelease = 'r';
inline constexpr char kLeft = 'l';
inline constexpr char kBeat = 'b';
inline constexpr char kStop = 's';
inline constexpr char kStopAnswer = 'a';
inline constexpr char kFailure = 'e';
inline constexpr char kDone = 'd';
inline constexpr char kWaitsForSum = 'w';
inline constexpr char kHasSum = 'h';

inline double since_seconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - time).count();
}

}  // namespace loadline
