// Converts option values from text and back.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/plan/one_value.h"
#include "harness/plan/option_units.h"
#include "harness/plan/options.h"
#include "harness/plan/ranges.h"
#include "harness/plan/script_workload.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using Words = std::vector<std::string_view>;
using O = RunOptions;

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

// `most`: the largest number of the option's type, for text that is beyond it; empty for other text.
std::string range_text(const OptionRow& row, bool whole, std::string_view most = "") {
  if (row.value == kDurationValue)
    return row.most == kMostMonitorPeriod ? std::string("a time from 10ms to 1h, such as 200ms")
                                          : "a time such as 90s, 20m or 1.5h";
  if (row.value == kShareValue)
    return fmt::format("a share from {} to {}, such as {}", row.least, row.most, "0.05 or 5%");
  const std::string kind = whole ? "whole number" : "number";
  if (row.most == 0 && most.empty()) return fmt::format("a {} of at least {}", kind, row.least);
  if (row.most == 0) return fmt::format("a {} from {} to {}", kind, row.least, most);
  return fmt::format("a {} from {} to {:.16g}", kind, row.least, row.most);
}

// Compares as a number of its own type: a double cannot distinguish 2^53 from the next integer.
template <typename Number>
bool in_range(const OptionRow& row, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return false;
  }
  return value >= static_cast<Number>(row.least) && (row.most == 0 || value <= static_cast<Number>(row.most));
}

// The factor for the unit after a number of this option; nullopt: no such unit.
std::optional<double> unit_of(const OptionRow& row, std::string_view behind) {
  if (behind.empty()) return 1;
  if (row.value == kShareValue && behind == "%") return 0.01;
  if (row.value != kDurationValue) return std::nullopt;
  return behind == "ms"  ? std::optional(1e-3)
         : behind == "s" ? std::optional(1.0)
         : behind == "m" ? std::optional(60.0)
         : behind == "h" ? std::optional(3600.0)
                         : std::nullopt;
}

template <typename Number>
Number parse_number(const OptionRow& row, std::string_view text) {
  Number value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc{}) {
    const auto unit = unit_of(row, {end, static_cast<std::size_t>(text.data() + text.size() - end)});
    if constexpr (std::is_floating_point_v<Number>) value *= unit.value_or(0);
    if (unit && in_range(row, value)) return value;
  }
  const std::string most =
      status == std::errc::result_out_of_range ? fmt::format("{}", std::numeric_limits<Number>::max()) : "";
  throw usage_error(
      fmt::format("--{}: want {}, got '{}'", row.name, range_text(row, std::is_integral_v<Number>, most), text));
}

std::string parse_word(const OptionRow& row, std::string_view text) {
  if (row.choices == nullptr) return std::string(text);
  const Words words = row.choices();
  // An external loader is checked when it is opened; a result that names one is read without opening it.
  const bool external = row.name == "loader" && (may_name_external_loader(text) || known_loader(text) != nullptr);
  if (row.name == "workload" && text == kScriptWorkload) return std::string(text);
  if (!external && std::ranges::find(words, text) == words.end()) {
    throw unknown_name(fmt::format("--{}", row.name), text, words);
  }
  return std::string(text);
}

// A flag's value, as one of two words.
std::string_view parse_switch(const OptionRow& row, std::string_view text) {
  if (text == "true" || text == "on") return "on";
  if (text == "false" || text == "off") return "off";
  throw usage_error(fmt::format("--{}: want on or off, got '{}'", row.name, text));
}

// A list gets the reason why the option takes none, not that it is no word or number.
void refuse_list(const OptionRow& row, std::string_view text) {
  const bool whole = std::holds_alternative<std::size_t O::*>(row.field) ||
                     std::holds_alternative<std::optional<std::size_t> O::*>(row.field);
  const bool may_have_commas = row.choices == nullptr && !whole;
  const auto why = why_one_value(row);
  if (why.empty() || may_have_commas || text.find(',') == std::string_view::npos) return;
  throw usage_error(fmt::format("--{}: want one value, got '{}': {}", row.name, text, why));
}

template <typename T>
void refuse_repetition(const OptionRow& row, const std::vector<T>& items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (std::find(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(i), items[i]) ==
        items.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    throw usage_error(fmt::format("--{}: the list contains '{}' twice", row.name, items[i]));
  }
}

// "rows=4" continues the parameters of a loader, because no loader's name begins like this.
bool goes_on(std::string_view text) {
  const std::string_view key = text.substr(0, text.find_first_of("=,"));
  return key.size() < text.size() && text[key.size()] == '=' && key.find_first_of("/:") == std::string_view::npos;
}

// Computes, placements and external loaders may contain commas: there an item begins only with a word of the option.
bool begins_item(const OptionRow& row, std::string_view text) {
  if (row.name == "loader") return !goes_on(text);
  const Words heads = row.name == "compute"     ? names_of(computes())
                      : row.name == "placement" ? Words{"shared", "split", "numa", "pin"}
                                                : Words{};
  if (heads.empty()) return true;
  if (row.name == "compute" && may_name_external_compute(text.substr(0, text.find(',')))) return true;
  return std::ranges::find(heads, text.substr(0, text.find_first_of(":,"))) != heads.end();
}

std::vector<std::string_view> items_of(const OptionRow& row, std::string_view text) {
  std::vector<std::string_view> items;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    if (!begins_item(row, text.substr(comma + 1))) continue;
    items.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  items.push_back(text.substr(begin));
  return items;
}

std::vector<std::size_t> parse_whole_numbers(const OptionRow& row, std::string_view text) {
  std::vector<std::size_t> numbers;
  for (const std::string_view item : items_of(row, text)) {
    // Anything but a range is checked against what the option takes.
    if (item.find(':') == std::string_view::npos) {
      numbers.push_back(parse_number<std::size_t>(row, item));
      continue;
    }
    for (const std::size_t number : expand_range(fmt::format("--{}", row.name), item)) {
      if (!in_range(row, number)) {
        throw usage_error(fmt::format("--{}: want {}, but the range '{}' contains {}", row.name, range_text(row, true),
                                      item, number));
      }
      numbers.push_back(number);
    }
  }
  refuse_repetition(row, numbers);
  return numbers;
}

std::vector<double> parse_numbers(const OptionRow& row, std::string_view text) {
  std::vector<double> numbers;
  for (const std::string_view item : items_of(row, text)) numbers.push_back(parse_number<double>(row, item));
  return numbers;
}

// Of conditions, a value alone is another one of the setting before it: "mode=io workers=1,2" is "mode=io
// workers=1,mode=io workers=2". Only after "=", because with "!=" people mean neither of the values.
std::string spelt_out(std::string_view item, const std::vector<std::string>& earlier) {
  if (earlier.empty() || item.empty() || item.find_first_of("=!<> ") != std::string_view::npos)
    return std::string(item);
  const std::string_view whole = earlier.back();
  const std::string_view last = whole.substr(whole.rfind(' ') + 1);
  const std::string_view value = last.substr(std::min(last.size(), last.find_first_of("=!<>")));
  if (!value.starts_with('=')) return std::string(item);
  return fmt::format("{}={}", whole.substr(0, whole.size() - value.size()), item);
}

std::vector<std::string> parse_words(const OptionRow& row, std::string_view text) {
  std::vector<std::string> words;
  if (text == "all" && row.choices != nullptr) {
    for (const std::string_view word : row.choices()) words.emplace_back(word);
    return words;
  }
  for (const std::string_view item : items_of(row, text)) {
    words.push_back(row.together == nullptr ? parse_word(row, item) : spelt_out(item, words));
  }
  refuse_repetition(row, words);
  return words;
}

// The values that an axis is given, each as text.
std::vector<std::string> parse_axis(const OptionRow& row, std::string_view text) {
  if (std::holds_alternative<bool O::*>(row.field)) {
    if (text == "all") return {"off", "on"};
    std::vector<std::string> switches;
    for (const std::string_view item : items_of(row, text)) switches.emplace_back(parse_switch(row, item));
    refuse_repetition(row, switches);
    return switches;
  }
  const bool whole = std::holds_alternative<std::size_t O::*>(row.field) ||
                     std::holds_alternative<std::optional<std::size_t> O::*>(row.field);
  if (!whole) {
    std::vector<std::string> words = parse_words(row, text);
    // `auto` lets the tool choose one of the others, so `all` would include that one twice.
    if (text == "all") std::erase(words, "auto");
    return words;
  }
  std::vector<std::string> values;
  for (const std::size_t number : parse_whole_numbers(row, text)) values.push_back(fmt::format("{}", number));
  return values;
}

void write_one(RunOptions& options, const OptionRow& row, std::string_view text) {
  std::visit(Overloaded{
                 [&](bool O::*field) { options.*field = parse_switch(row, text) == "on"; },
                 [&](std::size_t O::*field) { options.*field = parse_number<std::size_t>(row, text); },
                 [&](std::optional<std::size_t> O::*field) { options.*field = parse_number<std::size_t>(row, text); },
                 [&](double O::*field) { options.*field = parse_number<double>(row, text); },
                 [&](std::optional<double> O::*field) { options.*field = parse_number<double>(row, text); },
                 [&](std::string O::*field) {
                   // An empty text is no value: a configuration would read it back as the default.
                   if (text.empty() && !(O().*field).empty()) {
                     throw usage_error(fmt::format("--{}: want a value, got ''", row.name));
                   }
                   options.*field = parse_word(row, text);
                 },
                 [&](std::vector<std::size_t> O::*field) { options.*field = parse_whole_numbers(row, text); },
                 [&](std::vector<double> O::*field) { options.*field = parse_numbers(row, text); },
                 [&](std::vector<std::string> O::*field) { options.*field = parse_words(row, text); },
             },
             row.field);
}

// The text beside those that were given before it.
void write_beside(RunOptions& options, const OptionRow& row, std::string_view text) {
  const auto field = std::get<std::vector<std::string> O::*>(row.field);
  const std::vector<std::string> earlier = options.*field;
  write_one(options, row, text);
  options.*field = row.together(earlier, options.*field);
}

OptionValue values_of(const Axis& axis, const OptionRow& row) {
  const bool of_words =
      std::holds_alternative<std::string O::*>(row.field) || std::holds_alternative<bool O::*>(row.field);
  if (of_words) return axis.values;
  std::vector<std::size_t> numbers;
  for (const std::string& value : axis.values) numbers.push_back(parse_number<std::size_t>(row, value));
  return numbers;
}

}  // namespace

OptionValue read_option(const RunOptions& options, const OptionRow& row) {
  for (const Axis& axis : options.axes) {
    if (axis.option == row.name) return values_of(axis, row);
  }
  const auto list = [](const auto& values) { return values.empty() ? OptionValue() : OptionValue(values); };
  return std::visit(Overloaded{
                        [&](std::optional<std::size_t> O::*field) {
                          return options.*field ? OptionValue(*(options.*field)) : OptionValue();
                        },
                        [&](std::optional<double> O::*field) {
                          return options.*field ? OptionValue(*(options.*field)) : OptionValue();
                        },
                        [&](std::string O::*field) { return list(options.*field); },
                        [&](std::vector<std::size_t> O::*field) { return list(options.*field); },
                        [&](std::vector<double> O::*field) { return list(options.*field); },
                        [&](std::vector<std::string> O::*field) { return list(options.*field); },
                        [&](auto field) { return OptionValue(options.*field); },
                    },
                    row.field);
}

void write_option(RunOptions& options, const OptionRow& row, std::string_view text) {
  const bool again = !options.given.insert(row.name).second;
  if (!row.axis) {
    refuse_list(row, text);
    if (again && row.together != nullptr) return write_beside(options, row, text);
    return write_one(options, row, text);
  }
  const auto values = parse_axis(row, text);
  std::erase_if(options.axes, [&](const Axis& axis) { return axis.option == row.name; });
  for (const std::string& value : values) {
    RunOptions scratch;
    write_one(scratch, row, value);
  }
  write_one(options, row, values.front());
  if (values.size() > 1) options.axes.push_back({std::string(row.name), values});
}

std::string standard_text(const OptionRow& row, const RunOptions& defaults) {
  const auto join = [](const auto& values) {
    std::string text;
    for (const auto& value : values) text += fmt::format("{}{}", text.empty() ? "" : ",", value);
    return text;
  };
  return std::visit(Overloaded{
                        [](std::monostate) { return std::string(); },
                        [](bool) { return std::string(); },
                        [](std::size_t value) { return fmt::format("{}", value); },
                        [](double value) { return fmt::format("{}", value); },
                        [](const std::string& value) { return value; },
                        [&](const auto& values) { return join(values); },
                    },
                    read_option(defaults, row));
}

std::vector<std::string_view> loaders_in(std::string_view text) {
  return items_of(*std::ranges::find(run_options(), "loader", &OptionRow::name), text);
}

double parse_share(std::string_view name, std::string_view text, double least, double most) {
  return parse_number<double>({name, "", kShareValue, "", &O::trial_seconds, nullptr, least, most}, text);
}

}  // namespace loadline
