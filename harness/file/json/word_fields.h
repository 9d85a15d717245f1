// Fields of records that are one of a list of words in JSON, or null where they have no value.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/file/json/record.h"
#include "harness/plan/word_lists.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {

// A field whose default value (0, empty text and so on) means "none" and is null in the file.
template <typename T>
void none_as_null(auto& json, std::string_view key, T& value) {
  using Value = std::remove_const_t<T>;
  json.converted(
      key, value, [](const Value& known) { return known == Value() ? std::nullopt : std::optional<Value>(known); },
      [](const std::optional<Value>& stored) { return stored.value_or(Value()); });
}

// The value with this name(). Throws Error that says what is wanted: `or_else`, such as "null or ", and one of these
// words.
template <typename Enum, std::size_t N>
Enum value_named(const std::array<Enum, N>& values, const std::string& word, std::string_view or_else = "") {
  for (const Enum one : values) {
    if (name(one) == word) return one;
  }
  throw Error(fmt::format("want {}one of {}, got '{}'", or_else, list_of(words_of(values)), word));
}

// An enumerator by its name().
template <typename Enum, std::size_t N>
void word(auto& json, std::string_view key, auto& value, const std::array<Enum, N>& values) {
  json.converted(
      key, value, [](Enum known) { return std::string(name(known)); },
      [&](const std::string& stored) { return value_named(values, stored); });
  json.words(key, words_of(values));
}

// The same for a field that was added late.
template <typename Enum, std::size_t N>
void late_word(auto& json, std::string_view key, auto& value, const std::array<Enum, N>& values) {
  json.late_converted(
      key, value, [](Enum known) { return std::string(name(known)); },
      [&](const std::string& stored) { return value_named(values, stored); });
  json.words(key, words_of(values));
}

// The same for a field that may be absent, which is null in the file.
template <typename Enum, std::size_t N>
void word_or_null(auto& json, std::string_view key, auto& value, const std::array<Enum, N>& values) {
  json.converted(
      key, value,
      [](const std::optional<Enum>& known) { return known ? std::optional<std::string>(name(*known)) : std::nullopt; },
      [&](const std::optional<std::string>& stored) -> std::optional<Enum> {
        if (!stored) return std::nullopt;
        return value_named(values, *stored, "null or ");
      });
  json.words(key, words_of(values));
}

// An enumerator that follows from other fields: the value of make(), or std::nullopt.
template <typename Enum, std::size_t N, typename Make>
void derived_word(auto& json, std::string_view key, const std::array<Enum, N>& values, Make make) {
  json.derived(key, make);
  json.words(key, words_of(values));
}

}  // namespace loadline
