// Looking things up by name, and what to say when there is no such name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/error.h"

namespace loadline {

// "a, b, c".
std::string list_of(std::span<const std::string_view> names);

// What `given` may have been meant for: the names that begin with it if they are few, of these the one that is the
// same word or else only a letter longer; otherwise the names at the smallest distance that typing slips may have, or
// else those of several words of which it is one, if they are few. Two letters in the wrong order are one slip,
// capitals and underscores for dashes are none, and the leading dashes of options do not count as letters.
std::vector<std::string_view> names_like(std::string_view given, std::span<const std::string_view> names);

// " (did you mean --workload or --workers?)", from names_like(); empty if there is none.
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
