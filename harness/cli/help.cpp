#include "harness/cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "harness/cli/examples.h"
#include "harness/cli/option_hint.h"
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

// "data make" of "loadline data make"; "loadline" itself.
std::string short_path_of(const CLI::App& verb) {
  const CLI::App* parent = verb.get_parent();
  const bool is_below_verb = parent != nullptr && parent->get_parent() != nullptr;
  return is_below_verb ? fmt::format("{} {}", short_path_of(*parent), verb.get_name()) : verb.get_name();
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
    if (option->get_positional()) text += entry(placeholder(*option), option->get_description(), width);
  }
  return text.empty() ? text : '\n' + text;
}

std::string verbs_text(const CLI::App& app, std::size_t width) {
  std::string text;
  for (const CLI::App* verb : verbs_below(app)) text += entry(verb->get_name(), verb->get_description(), width);
  return text.empty() ? text : fmt::format("\nVerbs\n{}", text);
}

std::string section_of(const CLI::App& verb, const std::string& section, std::size_t width) {
  std::string text = wrapped(section + '\n', width);
  for (const CLI::Option* option : options_of(verb, section)) {
    text += entry(names_of(*option), option->get_description(), width);
  }
  return text;
}

bool is_in_short_help(const std::string& section) {
  return std::ranges::any_of(kFirst, [&](std::string_view first) { return section.starts_with(first); });
}

// The names of sections and of their options.
std::string names_text(const CLI::App& verb, const std::vector<std::string>& sections, std::size_t width) {
  std::string text;
  for (const std::string& section : sections) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options_of(verb, section)) names.push_back(option->get_name());
    text += entry(section_name(section), fmt::format("{}", fmt::join(names, " ")), width);
  }
  return text;
}

// What the short help leaves out, and how to see it.
std::string others_text(const CLI::App& verb, std::size_t width) {
  std::vector<std::string> others = sections_of(verb);
  std::erase_if(others, is_in_short_help);
  if (others.empty()) return "";
  const std::string heading = fmt::format(
      "\nFurther sections: `loadline help {} SECTION` explains one, --help-all explains all\n", verb.get_name());
  return wrapped(heading, width) + names_text(verb, others, width);
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

// "--read", "-q" or "read".
bool names_option(const CLI::Option& option, const std::string& word) {
  if (!option.nonpositional()) return false;
  return word.starts_with('-') ? option.check_name(word) : option.check_lname(word);
}

struct VerbOption {
  const CLI::App* verb;
  const CLI::Option* option;
};

// The options of this name of the verbs below `verb`, in the order of help, or else its own: --version is of no verb.
std::vector<VerbOption> options_named(const CLI::App& verb, const std::string& word) {
  std::vector<VerbOption> found;
  for (const CLI::App* below : verbs_below(verb)) {
    const auto more = options_named(*below, word);
    found.insert(found.end(), more.begin(), more.end());
  }
  if (!found.empty()) return found;
  for (const CLI::Option* option : verb.get_options()) {
    if (names_option(*option, word)) found.push_back({&verb, option});
  }
  return found;
}

// The verb whose sections may follow `verb`; null: none may.
const CLI::App* owner_of_sections(const CLI::App& verb) {
  if (verb.get_parent() == nullptr) return &main_verb(verb);
  return verbs_below(verb).empty() ? &verb : nullptr;
}

std::optional<std::string> section_named(const CLI::App& verb, const std::string& word) {
  for (const std::string& section : sections_of(verb)) {
    if (names_section(section, word)) return section;
  }
  return std::nullopt;
}

void add_once(std::string name, std::vector<std::string>& names) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

// Adds the names that options have in `verb` and in the verbs below it, each once.
void add_option_names(const CLI::App& verb, std::string_view dashes, std::vector<std::string>& names) {
  for (const CLI::App* below : verbs_below(verb)) add_option_names(*below, dashes, names);
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) add_once(fmt::format("{}{}", dashes, name), names);
  }
}

void add_words(const WordList& list, std::vector<std::string>& names) {
  for (const HelpWord& word : list.words) {
    for (const std::string& name : word.names) add_once(name, names);
  }
}

// "data make" if `word` is "make": the verbs of this name that are further below than the next level.
std::vector<std::string> deeper_verbs(const CLI::App& verb, const std::string& word) {
  std::vector<std::string> found;
  for (const CLI::App* below : verbs_below(verb)) {
    if (const CLI::App* deeper = verb_below(*below, word)) found.push_back(short_path_of(*deeper));
  }
  return found;
}

// What could have stood in place of `word` after `verb`. `lists`: empty if their words could not.
Error unknown_topic(const CLI::App& verb, const std::string& word, std::span<const WordList> lists) {
  std::string wanted;
  std::vector<std::string> names;
  for (const CLI::App* below : verbs_below(verb)) names.push_back(below->get_name());
  if (!names.empty()) wanted = fmt::format("a verb: {}; ", fmt::join(names, ", "));
  if (const CLI::App* owner = owner_of_sections(verb)) {
    auto sections = section_names(*owner);
    // A verb of that name comes first.
    std::erase_if(sections, [&](const std::string& one) { return std::ranges::find(names, one) != names.end(); });
    wanted += fmt::format("a section of {}: {}; ", short_path_of(*owner), fmt::join(sections, ", "));
    names.insert(names.end(), sections.begin(), sections.end());
  }
  const bool dashes = word.starts_with('-');
  add_option_names(verb, dashes ? "--" : "", names);
  for (const WordList& list : lists) {
    wanted += fmt::format("{}; ", list.one);
    if (dashes) continue;
    add_once(std::string(list.topic), names);
    add_words(list, names);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::vector<std::string> deeper = deeper_verbs(verb, word);
  return usage_error(fmt::format(
      "help: '{}': want {}or an option{}", word, wanted,
      deeper.empty() ? option_hint(verb, word, views) : fmt::format(" (did you mean {}?)", fmt::join(deeper, " or "))));
}

// The words of the list that `word` names, or all if it is the list's topic; empty if there are none.
std::string list_text(const WordList& list, const std::string& word, std::size_t width) {
  const auto is_name = [&](const std::string& name) { return lower(name) == lower(word); };
  std::string entries;
  for (const HelpWord& one : list.words) {
    if (word == list.topic || is_name(one.shown) || std::ranges::any_of(one.names, is_name)) {
      entries += entry(one.shown, one.meaning, width);
    }
  }
  return entries.empty() ? "" : fmt::format("{}\n{}", list.heading, entries);
}

// Throws usage Error if the list lacks the word.
std::string word_text(const WordList& list, const std::string& word, std::size_t width) {
  std::string text = list_text(list, word, width);
  if (!text.empty()) return text;
  std::vector<std::string> names;
  add_words(list, names);
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw usage_error(fmt::format("help: '{}': want {}{}", word, list.one, hint_of(word, views)));
}

std::string option_text(const CLI::App& app, const VerbOption& found, std::size_t width) {
  const CLI::Option& option = *found.option;
  const std::string name = option.get_name();
  const std::string heading =
      fmt::format("Option of {} (section {})\n", short_path_of(*found.verb), lower(section_name(option.get_group())));
  std::string text = wrapped(heading, width) + entry(names_of(option), option.get_description(), width);
  std::vector<std::string> others;
  for (const VerbOption& one : options_named(app, name)) {
    if (one.verb != found.verb) others.push_back(short_path_of(*one.verb));
  }
  if (others.empty()) return text;
  return text + wrapped(fmt::format("\nOther verbs with an option {}: {}; `loadline help VERB {}` explains theirs\n",
                                    name, fmt::join(others, ", "), name),
                        width);
}

std::string topics_text(const CLI::App& app, std::span<const WordList> lists, std::size_t width) {
  const CLI::App& verb = main_verb(app);
  std::string text = fmt::format("Usage: loadline help TOPIC\n{}\nSections of {}, with their options\n{}",
                                 verbs_text(app, width), verb.get_name(), names_text(verb, sections_of(verb), width));
  text += "\nWords that loadline prints\n";
  for (const WordList& list : lists) {
    std::vector<std::string> names;
    add_words(list, names);
    text += entry(std::string(list.topic), fmt::format("{}", fmt::join(names, ", ")), width);
  }
  return text;
}

// Each thing that `word` names after `verb`.
std::vector<std::string> texts_about(const CLI::App& app, const CLI::App& verb, const std::string& word,
                                     std::span<const WordList> lists, std::size_t width) {
  const CLI::App* owner = owner_of_sections(verb);
  const auto section = owner == nullptr ? std::nullopt : section_named(*owner, word);
  std::vector<std::string> texts;
  if (!section || lower(section_name(*section)) != lower(word)) {
    if (const auto options = options_named(verb, word); !options.empty()) {
      texts.push_back(option_text(app, options.front(), width));
    }
  }
  for (const WordList& list : lists) {
    if (std::string text = list_text(list, word, width); !text.empty()) texts.push_back(std::move(text));
  }
  if (section) texts.push_back(section_of(*owner, *section, width));
  return texts;
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
  for (const std::string& section : sections_of(verb)) {
    if (all || is_in_short_help(section)) text += '\n' + section_of(verb, section, width);
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
  for (const std::string& section : sections_of(verb)) names.push_back(lower(section_name(section)));
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

std::string topic_text(const CLI::App& app, std::span<const std::string> words, std::span<const WordList> lists,
                       std::size_t width) {
  if (words.size() == 1 && words.front() == kTopics) return topics_text(app, lists, width);
  const CLI::App* verb = &app;
  while (const CLI::App* below = verb_below(*verb, words.front())) {
    verb = below;
    words = words.subspan(1);
  }
  if (verb != &app) lists = {};  // their words belong to no verb
  const auto text_of = [](std::span<const std::string> several) { return fmt::format("{}", fmt::join(several, " ")); };
  const auto list = std::ranges::find(lists, words.front(), &WordList::topic);
  if (list != lists.end() && words.size() > 1) return word_text(*list, text_of(words.subspan(1)), width);
  const std::string topic = text_of(words);  // "load line" is one
  const auto texts = texts_about(app, *verb, topic, lists, width);
  if (!texts.empty()) return fmt::format("{}", fmt::join(texts, "\n"));
  if (words.size() > 1 && !texts_about(app, *verb, words.front(), lists, width).empty()) {
    throw usage_error(fmt::format("help: want one topic, got '{}' and '{}'", words[0], words[1]));
  }
  throw unknown_topic(*verb, topic, lists);
}

}  // namespace loadline
