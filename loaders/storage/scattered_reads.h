// A few places of a large mapping.
#pragma once

#include <cstddef>
#include <span>

namespace loadline {

// As long as it lives, the system reads what is touched of a mapped file and none of what lies around it, which it
// takes for wanted otherwise: up to 128 KiB for each place. The mapping must outlive it. Advice alone: nothing fails.
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
