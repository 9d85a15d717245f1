#include "harness/cli/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "harness/cli/examples.h"
#include "harness/cli/help_parts.h"
#include "harness/show/wrap.h"

namespace loadline {
namespace {

// Sections for first-time users, by the beginnings of their names.
constexpr std::array<std::string_view, 4> kFirst{"Options", "What to run", "Output", "Configuration"};

std::string path_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name()
                                      : fmt::format("{} {}", path_of(*verb.get_parent()), verb.get_name());
}

// "FILE...": of a positional.
std::string placeholder(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool several = option.get_items_expected_max() > 1 && !type.ends_with("...");
  return several ? type + "..." : type;
}

std::string usage_of(const CLI::App& verb, std::size_t width) {
  std::string text = fmt::format("Usage: {}", path_of(verb));
  if (!verbs_below(verb).empty()) return text + " VERB ...\n";
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
    if (option->get_positional()) text += help_entry(placeholder(*option), option->get_description(), width);
  }
  return text.empty() ? text : '\n' + text;
}

bool is_in_short_help(const std::string& section) {
  return std::ranges::any_of(kFirst, [&](std::string_view first) { return section.starts_with(first); });
}

// What the short help leaves out, and how to see it.
std::string others_text(const CLI::App& verb, std::size_t width) {
  std::vector<std::string> others = sections_with_options(verb);
  std::erase_if(others, is_in_short_help);
  if (others.empty()) return "";
  const std::string heading = fmt::format(
      "\nFurther sections: `loadline help {} SECTION` explains one, --help-all explains all\n", verb.get_name());
  return wrapped(heading, width) + names_in_sections(verb, others, width);
}

std::string examples_text(const CLI::App& verb, std::size_t width) {
  std::string text;
  for (const std::string_view line : examples_of(path_of(verb))) text += fmt::format("  {}\n", line);
  return text.empty() ? text : wrapped("\nExamples\n" + text, width);
}

}  // namespace

std::vector<const CLI::App*> verbs_below(const CLI::App& verb) {
  return verb.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* verb_below(const CLI::App& verb, const std::string& name) {
  const auto verbs = verbs_below(verb);
  const auto found = std::ranges::find(verbs, name, [](const CLI::App* one) { return one->get_name(); });
  return found == verbs.end() ? nullptr : *found;
}

std::string help_text(const CLI::App& verb, HelpExtent extent, std::string_view more, std::size_t width) {
  std::string text = usage_of(verb, width) + '\n' + wrapped(verb.get_description() + ".\n", width);
  text += positionals_of(verb, width) + verbs_text(verb, width);
  const bool all = extent == HelpExtent::kAll || !is_long(verb);
  for (const std::string& section : sections_with_options(verb)) {
    if (all || is_in_short_help(section)) text += '\n' + section_text(verb, section, width);
  }
  text += all ? fmt::format("{}{}", more.empty() ? "" : "\n", wrapped(more, width)) : others_text(verb, width);
  text += examples_text(verb, width);
  const std::string notes = notes_of(verb);
  return notes.empty() ? text : text + '\n' + wrapped(notes + '\n', width);
}

std::string notes_of(const CLI::App& verb) {
  std::string notes = verb.get_footer();
  if (notes.ends_with('\n')) notes.pop_back();
  if (!verbs_below(verb).empty() || notes.find("Exit codes:") != std::string::npos) return notes;
  if (!notes.empty()) notes += '\n';
  return notes += "Exit codes: 0 ok, 1 failed, 2 usage.";
}

const CLI::App& main_verb(const CLI::App& app) {
  return *app.get_subcommand("run");
}

std::vector<std::string> section_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const std::string& section : sections_with_options(verb)) names.push_back(lowered(section_name(section)));
  return names;
}

const CLI::App* verb_named(const CLI::App& app, std::span<const std::string> words) {
  const CLI::App* verb = &app;
  for (const std::string& word : words) {
    verb = verb_below(*verb, word);
    if (verb == nullptr) return nullptr;
  }
  return verb;
}

}  // namespace loadline
