#include "loaders/listed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

namespace loadline {

std::string listed(const std::vector<std::string>& names, std::string_view conjunction) {
  if (names.empty()) return "";
  if (names.size() == 1) return names.front();
  return fmt::format("{} {} {}", fmt::join(std::span(names).first(names.size() - 1), ", "), conjunction, names.back());
}

}  // namespace loadline
