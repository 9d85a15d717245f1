// Looking things up by name, and what to say when there is no such name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/error.h"

namespace loadline {

// "a, b, c".
std::string list_of(std::span<const std::string_view> names);

// The name closest to `given` by edits of one letter (Levenshtein distance), if one is close enough to be a slip. The
// dashes that options begin with are no letters.
std::optional<std::string_view> nearest_name(std::string_view given, std::span<const std::string_view> names);

// " (did you mean --workload or --workers?)": the name that is one letter away, or else those that `given` is the
// beginning of, if they are few, or else the nearest one; empty where there is none.
std::string hint_of(std::string_view given, std::span<const std::string_view> names);

// "loader 'thread-poll': want one of serial, thread-pool (did you mean thread-pool?)", as a usage Error.
Error unknown_name(std::string_view what, std::string_view given, std::span<const std::string_view> names);

// The rows' names, of any table whose rows have one.
template <typename Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.push_back(row.name);
  return names;
}

// The row of this name. Throws unknown_name().
template <typename Table>
const auto& row_named(const Table& table, std::string_view what, std::string_view name) {
  for (const auto& row : table) {
    if (row.name == name) return row;
  }
  throw unknown_name(what, name, names_of(table));
}

}  // namespace loadline
