// What a result says about data that was copied to the nodes before it was read.
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
  std::size_t nodes = 1;          // that each have a copy
  std::size_t copied_nodes = 0;   // that made theirs for this run; the others already had the same copy
  std::optional<double> seconds;  // of the slowest of these, until the copy was on storage; nullopt: none was made
};

}  // namespace loadline
