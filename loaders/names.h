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

// The name closest to `given` by Levenshtein distance, if it is close enough for a typing slip. The leading dashes of
// options do not count.
std::optional<std::string_view> nearest_name(std::string_view given, std::span<const std::string_view> names);

// " (did you mean --workload or --workers?)": the name that is one letter away, otherwise the names that begin with
// `given` if they are few, otherwise the nearest name; empty if there is none.
std::string hint_of(std::string_view given, std::span<const std::string_view> names);

// "loader 'thread-poll': want one of serial, thread-pool (did you mean thread-pool?)", as a usage Error.
Error unknown_name(std::string_view what, std::string_view given, std::span<const std::string_view> names);

// The names of all rows, for any table whose rows have a name.
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
