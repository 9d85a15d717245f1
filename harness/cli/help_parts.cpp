#include "harness/cli/help_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "harness/cli/help.h"
#include "harness/show/wrap.h"

namespace loadline {
namespace {

constexpr std::size_t kTextColumn = 26;  // where descriptions of options begin
constexpr std::size_t kMany = 40;        // options: more make a page that nobody reads
constexpr std::string_view kHelpAll = "help-all";

std::vector<const CLI::Option*> options_of(const CLI::App& verb, const std::string& section) {
  return verb.get_options([&](const CLI::Option* option) {
    const bool of_no_use = option->check_lname(std::string(kHelpAll)) && !is_long(verb);
    return option->nonpositional() && option->get_group() == section && !of_no_use;
  });
}

}  // namespace

std::string lowered(std::string_view text) {
  std::string letters(text);
  std::ranges::transform(letters, letters.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return letters;
}

std::string section_name(std::string_view section) {
  return std::string(section.substr(0, section.find(" (")));
}

bool is_long(const CLI::App& verb) {
  return verb.get_options().size() > kMany;
}

std::vector<std::string> sections_with_options(const CLI::App& verb) {
  std::vector<std::string> sections = verb.get_groups();
  std::erase_if(sections, [&](const std::string& section) { return options_of(verb, section).empty(); });
  return sections;
}

std::string flags_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string type = option.get_type_name();
  return fmt::format("{}{}{}", fmt::join(names, ", "), type.empty() ? "" : " ", type);
}

std::string help_entry(const std::string& name, const std::string& what, std::size_t width) {
  const std::size_t of_text = width == kUnlimited ? width : std::max<std::size_t>(width, 2 * kTextColumn) - kTextColumn;
  std::string text = fmt::format("  {}", name);
  const bool beside = columns_of(text) + 2 <= kTextColumn;
  if (!beside) text += '\n';
  std::string lines = wrapped(what, of_text);
  std::size_t margin = beside ? kTextColumn - columns_of(text) : kTextColumn;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t first = lines.find_first_not_of(' ', begin);
    const std::size_t end = std::min(lines.find('\n', first), lines.size());
    text += std::string(margin, ' ') + lines.substr(first, end - first) + '\n';
    margin = kTextColumn;
    begin = end + 1;
  }
  if (what.empty()) text += '\n';
  return text;
}

std::string verbs_text(const CLI::App& app, std::size_t width) {
  std::string text;
  for (const CLI::App* verb : verbs_below(app)) text += help_entry(verb->get_name(), verb->get_description(), width);
  return text.empty() ? text : fmt::format("\nVerbs\n{}", text);
}

std::string section_text(const CLI::App& verb, const std::string& section, std::size_t width) {
  std::string text = wrapped(section + '\n', width);
  for (const CLI::Option* option : options_of(verb, section)) {
    text += help_entry(flags_of(*option), option->get_description(), width);
  }
  return text;
}

std::string names_in_sections(const CLI::App& verb, const std::vector<std::string>& sections, std::size_t width) {
  std::string text;
  for (const std::string& section : sections) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options_of(verb, section)) names.push_back(option->get_name());
    text += help_entry(section_name(section), fmt::format("{}", fmt::join(names, " ")), width);
  }
  return text;
}

}  // namespace loadline
