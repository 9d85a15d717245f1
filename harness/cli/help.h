// The help of a verb, by sections, and of everything else that a word may name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/help_words.h"

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

// The verbs directly below a verb, in the order of help, and the one of this name; null if there is none.
std::vector<const CLI::App*> verbs_below(const CLI::App& verb);
const CLI::App* verb_below(const CLI::App& verb, const std::string& name);

// The verb whose sections need no verb before them: run.
const CLI::App& main_verb(const CLI::App& app);

// The names of a verb's sections as topic_text() takes them, in lower case.
std::vector<std::string> section_names(const CLI::App& verb);

// The verb that the words name, such as "data" and "make"; `app` for no words; null if they do not name one.
const CLI::App* verb_named(const CLI::App& app, std::span<const std::string> words);

// The word that asks for all topics: the verbs, the sections and options of main_verb(), and the words of `lists`.
inline constexpr std::string_view kTopics = "topics";

// Everything that `words` name, for words that are more than a verb: kTopics; or, perhaps after a verb, one of its
// options, with or without dashes, and one of its sections, by the beginning of any word of its name. An option is not
// shown beside a section of exactly its name, which has it. Without a verb, a section is one of main_verb(), an option
// is that of the first verb that has it, and a word of `lists`, a list, or a word after its list, such as "glossary
// baseline", is a topic too; after a verb these are topics where the verb has nothing of that name. Throws usage Error
// that lists verbs and sections if nothing matches.
std::string topic_text(const CLI::App& app, std::span<const std::string> words, std::span<const WordList> lists,
                       std::size_t width);

}  // namespace loadline
