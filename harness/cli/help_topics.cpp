// What `loadline help` says about a word that is no verb.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/cli/help.h"
#include "harness/cli/help_parts.h"
#include "harness/cli/option_hint.h"
#include "harness/show/wrap.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

// "data make" of "loadline data make"; "loadline" itself.
std::string short_path_of(const CLI::App& verb) {
  const CLI::App* parent = verb.get_parent();
  const bool is_below_verb = parent != nullptr && parent->get_parent() != nullptr;
  return is_below_verb ? fmt::format("{} {}", short_path_of(*parent), verb.get_name()) : verb.get_name();
}

bool names_section(const std::string& section, const std::string& word) {
  const std::string letters = ' ' + lowered(section_name(section));
  return !word.empty() && letters.find(' ' + lowered(word)) != std::string::npos;
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
  for (const std::string& section : sections_with_options(verb)) {
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
  const auto is_name = [&](const std::string& name) { return lowered(name) == lowered(word); };
  std::string entries;
  for (const HelpWord& one : list.words) {
    if (word == list.topic || is_name(one.shown) || std::ranges::any_of(one.names, is_name)) {
      entries += help_entry(one.shown, one.meaning, width);
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
      fmt::format("Option of {} (section {})\n", short_path_of(*found.verb), lowered(section_name(option.get_group())));
  std::string text = wrapped(heading, width) + help_entry(flags_of(option), option.get_description(), width);
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
  std::string text =
      fmt::format("Usage: loadline help TOPIC\n{}\nSections of {}, with their options\n{}", verbs_text(app, width),
                  verb.get_name(), names_in_sections(verb, sections_with_options(verb), width));
  text += "\nWords that loadline prints\n";
  for (const WordList& list : lists) {
    std::vector<std::string> names;
    add_words(list, names);
    text += help_entry(std::string(list.topic), fmt::format("{}", fmt::join(names, ", ")), width);
  }
  return text;
}

std::vector<std::string> texts_of_words(const std::string& word, std::span<const WordList> lists, std::size_t width) {
  std::vector<std::string> texts;
  for (const WordList& list : lists) {
    if (std::string text = list_text(list, word, width); !text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

// Each thing that `word` names after `verb`.
std::vector<std::string> texts_about(const CLI::App& app, const CLI::App& verb, const std::string& word,
                                     std::span<const WordList> lists, std::size_t width) {
  const CLI::App* owner = owner_of_sections(verb);
  const auto section = owner == nullptr ? std::nullopt : section_named(*owner, word);
  std::vector<std::string> texts;
  if (!section || lowered(section_name(*section)) != lowered(word)) {
    if (const auto options = options_named(verb, word); !options.empty()) {
      texts.push_back(option_text(app, options.front(), width));
    }
  }
  std::ranges::move(texts_of_words(word, lists, width), std::back_inserter(texts));
  if (section) texts.push_back(section_text(*owner, *section, width));
  return texts;
}

}  // namespace

std::string topic_text(const CLI::App& app, std::span<const std::string> words, std::span<const WordList> lists,
                       std::size_t width) {
  if (words.size() == 1 && words.front() == kTopics) return topics_text(app, lists, width);
  const CLI::App* verb = &app;
  while (const CLI::App* below = verb_below(*verb, words.front())) {
    verb = below;
    words = words.subspan(1);
  }
  const auto own_lists = verb == &app ? lists : std::span<const WordList>();
  const auto text_of = [](std::span<const std::string> several) { return fmt::format("{}", fmt::join(several, " ")); };
  const auto list = std::ranges::find(lists, words.front(), &WordList::topic);
  if (list != lists.end() && words.size() > 1) return word_text(*list, text_of(words.subspan(1)), width);
  const std::string topic = text_of(words);  // "load line" is one
  auto texts = texts_about(app, *verb, topic, own_lists, width);
  if (texts.empty()) texts = texts_of_words(topic, lists, width);  // which mean the same after any verb
  if (!texts.empty()) return fmt::format("{}", fmt::join(texts, "\n"));
  if (words.size() > 1 && !texts_about(app, *verb, words.front(), own_lists, width).empty()) {
    throw usage_error(fmt::format("help: want one topic, got '{}' and '{}'", words[0], words[1]));
  }
  throw unknown_topic(*verb, topic, own_lists);
}

}  // namespace loadline
