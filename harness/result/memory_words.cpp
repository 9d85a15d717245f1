#include "harness/result/memory_words.h"

#include <fmt/format.h>

namespace loadline {

std::string memory_words(const MemoryUse& use) {
  std::string text = fmt::format("the run needs {} of memory", size_words(use.needed_bytes));
  if (!use.largest.empty()) text += fmt::format(", {} of it for {}", size_words(use.largest_bytes), use.largest);
  if (use.available_bytes) text += fmt::format(", and {} leaves {}", use.limit, size_words(*use.available_bytes));
  return text;
}

bool is_short(const MemoryUse& use) {
  constexpr double kShort = 0.8;
  return use.available_bytes &&
         static_cast<double>(use.needed_bytes) >= kShort * static_cast<double>(*use.available_bytes);
}

}  // namespace loadline
