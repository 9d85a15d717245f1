// What a result tells of data that was copied to the nodes before it was read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace loadline {

struct StagedCopy {
  std::filesystem::path from;
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t nodes = 1;          // that have a copy each
  std::size_t copied_nodes = 0;   // that made it for this run; the others had an earlier one that is the same
  std::optional<double> seconds;  // of the slowest of these, until the copy was on storage; none: there are none
};

}  // namespace loadline
