// The help of a verb, by sections.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
class Option;
}  // namespace CLI

namespace loadline {

// For a verb with many options, kShort shows the options of a few sections and only the names of the others.
enum class HelpExtent { kShort, kAll };

// At most `width` columns wide, unless a single word is longer. With kAll, `more` follows the options.
std::string help_text(const CLI::App& verb, HelpExtent extent, std::string_view more, std::size_t width);

// What follows the examples: the verb's footer, and its exit codes even if the footer has none. Empty for a verb of
// verbs without a footer.
std::string notes_of(const CLI::App& verb);

// Prints the help on stdout, as wide as the terminal. Returns an exit code.
int print_help(const CLI::App& verb, HelpExtent extent);

// The verb whose sections need no verb before them: run.
const CLI::App& main_verb(const CLI::App& app);

// What `words` select from `app`: a verb, or one of its sections, by the beginning of any word of its name, or one of
// its options, with or without dashes. Without a verb, a section is one of main_verb(), and an option is that of the
// first verb that has it. Throws usage Error listing the verbs and sections if nothing matches.
struct HelpSubject {
  const CLI::App* verb;
  std::string section;                  // empty: the whole verb
  const CLI::Option* option = nullptr;  // null: the whole section
};
HelpSubject help_subject(const CLI::App& app, const std::vector<std::string>& words);

// The names of a verb's sections as help_subject() takes them, in lower case.
std::vector<std::string> section_names(const CLI::App& verb);

// One section, with the full text of every option; or one option, and the other verbs of `app` that have one of its
// name.
std::string section_text(const CLI::App& app, const HelpSubject& subject, std::size_t width);

// The word that asks for topics_text().
inline constexpr std::string_view kTopics = "topics";

// The verbs, and the names of the sections and options of main_verb().
std::string topics_text(const CLI::App& app, std::size_t width);

}  // namespace loadline
