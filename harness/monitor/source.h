// What a monitor looks at.
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

// What becomes of the numbers that a source reads.
enum class Shape : std::uint8_t {
  kState,     // as it is
  kRate,      // of a number that only grows: by how much a second
  kQuotient,  // of two such numbers: by how much one grew for each that the other did
};

struct SeriesRow {
  std::string name;
  std::string of;
  std::string unit;
  std::string source;
  Shape shape = Shape::kState;
  std::size_t number = 0;  // which of those that the source reads
  double scale = 1;        // that turns it into the unit
  std::size_t over = 0;    // of a quotient: the number below the line
};

// One file, or one library.
struct MonitorSource {
  std::vector<SeriesRow> rows;
  std::size_t numbers = 0;
  // Fills in the numbers, all of which are kNotKnown before; what is not there stays so. Throws nothing, allocates
  // nothing after its first call. One thread.
  std::function<void(std::span<double>)> read;
};

}  // namespace loadline
