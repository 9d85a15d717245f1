// Reads a few places of a large mapping.
#pragma once

#include <cstddef>
#include <span>

namespace loadline {

// While it lives, the system reads only the touched pages of a mapped file; otherwise it reads up to 128 KiB around
// each of them. The mapping must outlive it. Only advice: it never fails.
class ScatteredReads {
 public:
  explicit ScatteredReads(std::span<const std::byte> mapped);
  ScatteredReads(const ScatteredReads&) = delete;
  ScatteredReads& operator=(const ScatteredReads&) = delete;
  ~ScatteredReads();

 private:
  std::span<const std::byte> pages_;
};

}  // namespace loadline
