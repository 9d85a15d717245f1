// Words that a shell can offer to complete a command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/help_words.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

struct Offer {
  std::string word;
  std::string what;  // may be empty
};

struct Completion {
  std::vector<Offer> candidates;
  // File names, completed by the shell itself, fit too, after this beginning of the word; nullopt: they do not.
  std::optional<std::string> files_after;
};

// Values that neither an option's placeholder nor the table of a run's options lists.
struct KnownValues {
  std::string_view option;  // "--metric", the name of an argument, or the placeholder of several options
  // `arguments`: those that precede it on the line.
  std::vector<std::string> (*values)(std::span<const std::string> arguments);
};

// `words`: the words after the program's name, up to the cursor. The last one, which may be empty, is the one to
// complete; every candidate begins with it. `lists`: what `help` explains besides verbs and options.
Completion complete(const CLI::App& app, std::span<const std::string> words, std::span<const KnownValues> known = {},
                    std::span<const WordList> lists = {});

// One line per candidate: word, tab, description. A last line ":files", or ":files BEGINNING", means that file names
// fit too, alone or after this beginning of the word.
std::string completion_text(const Completion& completion);

// The hidden verb that a shell calls for completions.
inline constexpr std::string_view kCompleteVerb = "__complete";

// The script that installs completion in a shell: bash, zsh or fish. Throws usage Error for any other.
std::string completion_script(std::string_view shell);

}  // namespace loadline
