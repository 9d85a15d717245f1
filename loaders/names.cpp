#include "loaders/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace loadline {
namespace {

std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// The names that begin with `given`.
std::vector<std::string_view> names_begun_by(std::string_view given, std::span<const std::string_view> names) {
  constexpr std::size_t kFewestLetters = 2;
  std::vector<std::string_view> found;
  if (without_dashes(given).size() < kFewestLetters) return found;
  std::ranges::copy_if(names, std::back_inserter(found),
                       [&](std::string_view name) { return name.starts_with(given); });
  return found;
}

}  // namespace

std::string list_of(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

std::optional<std::string_view> nearest_name(std::string_view given, std::span<const std::string_view> names) {
  std::optional<std::string_view> nearest;
  // If more than a third of the word differs, it is another word.
  std::size_t fewest = without_dashes(given).size() / 3 + 2;
  for (const std::string_view name : names) {
    const std::size_t edits = edits_between(given, name);
    if (edits >= fewest || edits >= name.size()) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

std::string hint_of(std::string_view given, std::span<const std::string_view> names) {
  constexpr std::size_t kFew = 3;
  const auto nearest = nearest_name(given, names);
  const bool slip = nearest && edits_between(given, *nearest) == 1;
  const auto begun = names_begun_by(given, names);
  if (!slip && !begun.empty() && begun.size() <= kFew) {
    return fmt::format(" (did you mean {}?)", fmt::join(begun, " or "));
  }
  return nearest ? fmt::format(" (did you mean {}?)", *nearest) : "";
}

Error unknown_name(std::string_view what, std::string_view given, std::span<const std::string_view> names) {
  return usage_error(fmt::format("{} '{}': want {}{}{}", what, given, names.size() == 1 ? "" : "one of ",
                                 list_of(names), hint_of(given, names)));
}

}  // namespace loadline
