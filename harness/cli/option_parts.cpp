#include "harness/cli/option_parts.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/cli/verb_options.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

std::string help_of(const OptionRow& row, const RowTexts& texts) {
  const auto own = texts.help.find(row.name);
  std::string text(own == texts.help.end() ? row.help : own->second);
  if (row.choices != nullptr) text += fmt::format(": {}", list_of(row.choices()));
  const std::string standard = standard_text(row, texts.defaults);
  if (!standard.empty()) text += fmt::format(" [{}]", standard);
  return text;
}

// The placeholder of the value, without what follows the first one if there are no lists.
std::string type_of(const OptionRow& row, bool lists) {
  constexpr std::string_view kMore = ",...";
  const bool of_channels = std::holds_alternative<std::vector<double> RunOptions::*>(row.field);
  const std::string_view more = lists ? kMore : "";
  if (row.axis) return row.value.empty() ? fmt::format("[on|off{}]", more) : fmt::format("{}{}", row.value, more);
  const bool one = !lists && !of_channels && row.value.ends_with(kMore);
  return std::string(row.value.substr(0, row.value.size() - (one ? kMore.size() : 0)));
}

// Remarks in parentheses are about lists.
std::string section_of(const OptionRow& row, bool lists) {
  return std::string(lists ? row.group : row.group.substr(0, row.group.find(" (")));
}

}  // namespace

void add_row(CLI::App& app, const OptionRow& row, GivenOptions& given, const RowTexts& texts) {
  const std::string flag = fmt::format("--{}{}", row.name,
                                       row.name == "output"  ? ",-o"
                                       : row.name == "quiet" ? ",-q"
                                                             : "");
  const auto give = [&given, &row](const std::string& text) { given.emplace_back(&row, text); };
  CLI::Option* option = nullptr;
  if (row.value.empty() && row.axis) {
    // Without a value it is on, like any flag.
    option = app.add_option_function<std::string>(
        flag, [give](const std::string& text) { give(text.empty() ? "on" : text); }, help_of(row, texts));
    option->expected(0, 1);
    option->type_name(type_of(row, texts.lists));
  } else if (row.value.empty()) {
    option = app.add_flag_callback(
        flag, [&given, &row] { given.emplace_back(&row, "true"); }, help_of(row, texts));
  } else {
    option = app.add_option_function<std::string>(flag, give, help_of(row, texts));
    if (row.together != nullptr) option->trigger_on_parse();  // for each of several, where otherwise the last counts
    option->type_name(type_of(row, texts.lists));
  }
  option->group(section_of(row, texts.lists));
}

void runs(CLI::App& verb, Request& request, std::function<int()> run) {
  verb.callback([&request, run = std::move(run)] { request.verb = run; });
}

void add_overwrite(CLI::App& verb, bool& overwrite, std::string_view replaced) {
  verb.add_flag("--overwrite", overwrite, fmt::format("replace {}", replaced))->group("Output");
}

void add_number(CLI::App& app, const std::string& flag, const std::string& help,
                std::function<void(std::uint64_t)> take) {
  const auto give = [flag, take = std::move(take)](const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc{} || end != text.data() + text.size()) {
      throw usage_error(fmt::format("{}: want a whole number, got '{}'", flag, text));
    }
    take(number);
  };
  app.add_option_function<std::string>(flag, give, help)->type_name("N");
}

void add_number(CLI::App& app, const std::string& flag, std::string_view help, std::uint64_t& number) {
  add_number(app, flag, fmt::format("{} [{}]", help, number), [&number](std::uint64_t value) { number = value; });
}

}  // namespace loadline
