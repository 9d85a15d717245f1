// The help of a verb, by sections.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

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

// The verb that `words` select from `app`, and optionally one of its sections, selected by the beginning of any word
// of its name. Throws usage Error naming the nearest verb, or the sections, if nothing matches.
struct HelpSubject {
  const CLI::App* verb;
  std::string section;  // empty: the whole verb
};
HelpSubject help_subject(const CLI::App& app, const std::vector<std::string>& words);

// The names of a verb's sections as help_subject() takes them, in lower case.
std::vector<std::string> section_names(const CLI::App& verb);

// One section, with the full text of every option.
std::string section_text(const HelpSubject& subject, std::size_t width);

}  // namespace loadline
