#include "harness/cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>

#include "harness/cli/examples.h"
#include "harness/show/wrap.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

constexpr std::size_t kTextColumn = 26;  // where descriptions of options begin
constexpr std::size_t kMany = 40;        // options: more make a page that nobody reads
constexpr std::string_view kHelpAll = "help-all";

// Sections for first-time users, by the beginnings of their names.
constexpr std::array<std::string_view, 4> kFirst{"Options", "What to run", "Output", "Configuration"};

std::string lower(std::string_view text) {
  std::string letters(text);
  std::ranges::transform(letters, letters.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return letters;
}

// Text in parentheses after a name is only for the page of the section.
std::string section_name(std::string_view section) {
  return std::string(section.substr(0, section.find(" (")));
}

std::string path_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name()
                                      : fmt::format("{} {}", path_of(*verb.get_parent()), verb.get_name());
}

std::vector<const CLI::App*> verb_apps_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool is_long(const CLI::App& verb) {
  return verb.get_options().size() > kMany;
}

std::vector<const CLI::Option*> options_of(const CLI::App& verb, const std::string& section) {
  return verb.get_options([&](const CLI::Option* option) {
    const bool of_no_use = option->check_lname(std::string(kHelpAll)) && !is_long(verb);
    return option->nonpositional() && option->get_group() == section && !of_no_use;
  });
}

std::vector<std::string> sections_of(const CLI::App& verb) {
  std::vector<std::string> sections = verb.get_groups();
  std::erase_if(sections, [&](const std::string& section) { return options_of(verb, section).empty(); });
  return sections;
}

// "-o, --output FILE".
std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string type = option.get_type_name();
  return fmt::format("{}{}{}", fmt::join(names, ", "), type.empty() ? "" : " ", type);
}

// "FILE...": of a positional.
std::string placeholder(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool several = option.get_items_expected_max() > 1 && !type.ends_with("...");
  return several ? type + "..." : type;
}

// The name, followed by its description in a column of its own.
std::string entry(const std::string& name, const std::string& what, std::size_t width) {
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

std::string usage_of(const CLI::App& verb, std::size_t width) {
  std::string text = fmt::format("Usage: {}", path_of(verb));
  if (!verb_apps_of(verb).empty()) return text + " VERB ...\n";
  text += " [OPTIONS]";
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) continue;
    text +=
        option->get_required() ? fmt::format(" {}", placeholder(*option)) : fmt::format(" [{}]", placeholder(*option));
  }
  return wrapped(text + '\n', width);
}

std::string positionals_of(const CLI::App& verb, std::size_t width) {
  std::string text;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) text += entry(placeholder(*option), option->get_description(), width);
  }
  return text.empty() ? text : '\n' + text;
}

std::string verbs_text(const CLI::App& app, std::size_t width) {
  std::string text;
  for (const CLI::App* verb : verb_apps_of(app)) text += entry(verb->get_name(), verb->get_description(), width);
  return text.empty() ? text : fmt::format("\nVerbs\n{}", text);
}

std::string section_of(const CLI::App& verb, const std::string& section, std::size_t width) {
  std::string text = wrapped(section + '\n', width);
  for (const CLI::Option* option : options_of(verb, section)) {
    text += entry(names_of(*option), option->get_description(), width);
  }
  return text;
}

bool is_first(const std::string& section) {
  return std::ranges::any_of(kFirst, [&](std::string_view first) { return section.starts_with(first); });
}

// The names of what the short help leaves out, and how to see it.
std::string others_text(const CLI::App& verb, std::size_t width) {
  std::string text;
  for (const std::string& section : sections_of(verb)) {
    if (is_first(section)) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : options_of(verb, section)) names.push_back(option->get_name());
    text += entry(section_name(section), fmt::format("{}", fmt::join(names, " ")), width);
  }
  return text.empty()
             ? text
             : wrapped(
                   fmt::format("\nFurther sections: `loadline help {} SECTION` explains one, --help-all explains all\n",
                               verb.get_name()),
                   width) +
                   text;
}

std::string examples_text(const CLI::App& verb, std::size_t width) {
  std::string text;
  for (const std::string_view line : examples_of(path_of(verb))) text += fmt::format("  {}\n", line);
  return text.empty() ? text : wrapped("\nExamples\n" + text, width);
}

bool names_section(const std::string& section, const std::string& word) {
  const std::string letters = ' ' + lower(section_name(section));
  return !word.empty() && letters.find(' ' + lower(word)) != std::string::npos;
}

}  // namespace

std::string help_text(const CLI::App& verb, HelpExtent extent, std::string_view more, std::size_t width) {
  std::string text = usage_of(verb, width) + '\n' + wrapped(verb.get_description() + ".\n", width);
  text += positionals_of(verb, width) + verbs_text(verb, width);
  const bool all = extent == HelpExtent::kAll || !is_long(verb);
  for (const std::string& section : sections_of(verb)) {
    if (all || is_first(section)) text += '\n' + section_of(verb, section, width);
  }
  text += all ? fmt::format("{}{}", more.empty() ? "" : "\n", wrapped(more, width)) : others_text(verb, width);
  text += examples_text(verb, width);
  const std::string notes = notes_of(verb);
  return notes.empty() ? text : text + '\n' + wrapped(notes + '\n', width);
}

std::string notes_of(const CLI::App& verb) {
  std::string notes = verb.get_footer();
  if (notes.ends_with('\n')) notes.pop_back();
  if (!verb_apps_of(verb).empty() || notes.find("Exit codes:") != std::string::npos) return notes;
  if (!notes.empty()) notes += '\n';
  return notes += "Exit codes: 0 ok, 1 failed, 2 usage.";
}

HelpSubject help_subject(const CLI::App& app, const std::vector<std::string>& words) {
  HelpSubject subject{&app, ""};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto verbs = verb_apps_of(*subject.verb);
    const auto verb = std::ranges::find(verbs, words[i], [](const CLI::App* one) { return one->get_name(); });
    if (verb != verbs.end()) {
      subject.verb = *verb;
      continue;
    }
    const auto sections = sections_of(*subject.verb);
    const auto section =
        std::ranges::find_if(sections, [&](const std::string& one) { return names_section(one, words[i]); });
    if (verbs.empty() && section != sections.end()) {
      if (i + 1 < words.size()) {
        throw usage_error(fmt::format("help: '{}': nothing follows a section, which {} is", words[i + 1], words[i]));
      }
      subject.section = *section;
      return subject;
    }
    std::vector<std::string> names;
    for (const CLI::App* one : verbs) names.push_back(one->get_name());
    if (verbs.empty()) names = section_names(*subject.verb);
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw unknown_name(verbs.empty() ? fmt::format("help: section of {}", subject.verb->get_name()) : "help: verb",
                       words[i], views);
  }
  return subject;
}

std::vector<std::string> section_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const std::string& section : sections_of(verb)) names.push_back(lower(section_name(section)));
  return names;
}

std::string section_text(const HelpSubject& subject, std::size_t width) {
  return section_of(*subject.verb, subject.section, width);
}

}  // namespace loadline
