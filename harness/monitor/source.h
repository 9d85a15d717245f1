// What a monitor samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace loadline {

inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// How a series is made from the numbers that a source reads.
enum class Shape : std::uint8_t {
  kState,     // the number itself
  kRate,      // for a number that only grows: its growth per second
  kQuotient,  // for two such numbers: the growth of one divided by that of the other
};

struct SeriesRow {
  std::string name;
  std::string of;
  std::string unit;
  std::string source;
  Shape shape = Shape::kState;
  std::size_t number = 0;  // index among the source's numbers
  double scale = 1;        // factor from the number to the unit
  std::size_t over = 0;    // for a quotient: index of the denominator
};

// One file, or one library.
struct MonitorSource {
  std::vector<SeriesRow> rows;
  std::size_t numbers = 0;
  // Fills in the numbers, which are all kNotKnown before; missing ones stay so. Never throws, and does not allocate
  // after its first call. One thread.
  std::function<void(std::span<double>)> read;
};

}  // namespace loadline
