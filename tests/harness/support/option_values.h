// Values of options, made from their rows: tests that run over the table need no edit for a new option, unless its row
// does not tell what it takes.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/plan/options.h"

namespace loadline::test {

// A text for an option, and the value that it stands for.
struct OptionSample {
  std::string text;
  OptionValue value;
};

inline bool takes_a_whole_number(const OptionRow& row) {
  return std::holds_alternative<std::size_t RunOptions::*>(row.field) ||
         std::holds_alternative<std::optional<std::size_t> RunOptions::*>(row.field);
}

inline bool takes_a_listed_word(const OptionRow& row) {
  return std::holds_alternative<std::string RunOptions::*>(row.field) && row.choices != nullptr;
}

// A value that is not the default. nullopt: the row does not tell one, as for free text, lists and units.
inline std::optional<OptionSample> other_value(const OptionRow& row) {
  const OptionValue standard = read_option(RunOptions(), row);
  if (std::holds_alternative<bool RunOptions::*>(row.field)) {
    const bool other = standard != OptionValue(true);
    return OptionSample{.text = other ? "on" : "off", .value = other};
  }
  if (takes_a_whole_number(row)) {
    std::size_t other = static_cast<std::size_t>(row.least) + 1;
    if (standard == OptionValue(other)) ++other;
    return OptionSample{.text = std::to_string(other), .value = other};
  }
  if (!takes_a_listed_word(row)) return std::nullopt;
  for (const std::string_view word : row.choices()) {
    const std::string other(word);
    if (standard != OptionValue(other)) return OptionSample{.text = other, .value = other};
  }
  return std::nullopt;
}

// Two values of an axis, as on the command line. nullopt: as above.
inline std::optional<std::string> two_values(const OptionRow& row) {
  if (std::holds_alternative<bool RunOptions::*>(row.field)) return "off,on";
  if (takes_a_whole_number(row)) {
    const auto least = static_cast<std::size_t>(row.least);
    return fmt::format("{},{}", least, least + 1);
  }
  if (!takes_a_listed_word(row) || row.choices().size() < 2) return std::nullopt;
  // The last ones: the first is often "auto", which may stand for another.
  const std::vector<std::string_view> words = row.choices();
  return fmt::format("{},{}", words[words.size() - 2], words.back());
}

}  // namespace loadline::test
