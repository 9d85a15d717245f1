#include "loaders/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace loadline {
namespace {

// Capitals are no slip, nor is an underscore for a dash: the same word is written so elsewhere.
std::string plain(std::string_view name) {
  std::string letters(name);
  for (char& letter : letters) {
    if (letter == '_') letter = '-';
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return letters;
}

// Letters that are missing, added or replaced, and pairs of neighbours in the wrong order.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // the row above `row`
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> next(b.size() + 1);
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, std::move(next));
  }
  return row.back();
}

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

using Names = std::vector<std::string_view>;

void add_new(std::string_view name, Names& names) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// The names that begin with `given`, or the one of them that is the same word or else only a letter longer.
Names names_begun_by(std::string_view given, std::span<const std::string_view> names) {
  constexpr std::size_t kFewestLetters = 2;
  Names found;
  if (without_dashes(given).size() < kFewestLetters) return found;
  const std::string beginning = plain(given);
  for (const std::string_view name : names) {
    if (plain(name).starts_with(beginning)) add_new(name, found);
  }
  for (const std::size_t length : {given.size(), given.size() + 1}) {
    const auto has_length = [length](std::string_view name) { return name.size() == length; };
    if (std::ranges::count_if(found, has_length) == 1) return {*std::ranges::find_if(found, has_length)};
  }
  return found;
}

// The names of several words of which `given` is one: hdf5-mmap for mmap, --compute-threads for --threads.
Names names_with_word(std::string_view given, std::span<const std::string_view> names) {
  constexpr std::size_t kFewestLetters = 3;
  Names found;
  const std::string wanted = plain(without_dashes(given));
  if (wanted.size() < kFewestLetters) return found;
  const std::string word = fmt::format("-{}-", wanted);
  for (const std::string_view name : names) {
    if (fmt::format("-{}-", plain(without_dashes(name))).find(word) != std::string::npos) add_new(name, found);
  }
  return found;
}

Names nearest_names(std::string_view given, std::span<const std::string_view> names) {
  Names nearest;
  // If more than a third of the word differs, it is another word.
  std::size_t fewest = std::max<std::size_t>(1, without_dashes(given).size() / 3);
  const std::string word = plain(given);
  for (const std::string_view name : names) {
    const std::size_t edits = edits_between(word, plain(name));
    if (edits > fewest || edits >= name.size()) continue;
    if (edits < fewest) nearest.clear();
    fewest = edits;
    add_new(name, nearest);
  }
  return nearest;
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

std::vector<std::string_view> names_like(std::string_view given, std::span<const std::string_view> names) {
  constexpr std::size_t kFew = 3;
  Names meant = names_begun_by(given, names);
  if (meant.empty() || meant.size() > kFew) meant = nearest_names(given, names);
  if (meant.empty()) meant = names_with_word(given, names);
  if (meant.size() > kFew) meant.clear();
  return meant;
}

std::string hint_of(std::string_view given, std::span<const std::string_view> names) {
  const Names meant = names_like(given, names);
  return meant.empty() ? "" : fmt::format(" (did you mean {}?)", fmt::join(meant, " or "));
}

Error unknown_name(std::string_view what, std::string_view given, std::span<const std::string_view> names) {
  return usage_error(fmt::format("{} '{}': want {}{}{}", what, given, names.size() == 1 ? "" : "one of ",
                                 list_of(names), hint_of(given, names)));
}

}  // namespace loadline
