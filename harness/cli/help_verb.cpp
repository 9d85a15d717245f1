#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/completion.h"
#include "harness/cli/help.h"
#include "harness/cli/help_words.h"
#include "harness/cli/manual.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verb_options.h"
#include "harness/machine/build_facts.h"
#include "harness/plan/one_value.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

// Text after the options in the whole help.
std::string more_of(const CLI::App& verb) {
  if (verb.get_name() != "run") return "";
  return fmt::format(
      "Options with ,... take lists, and every combination is run, except that --mean and --std take one value per "
      "channel, and --filter and --exclude conditions. The others take one value:\n{}",
      one_value_text());
}

struct HelpRequest {
  std::vector<std::string> words;  // of a verb or a topic
  bool as_manual = false;
};

// For a slip in the name of a verb, rather than another topic.
std::string hint_of_verb(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() != 1 || words.front().starts_with('-')) return "";
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_below(app)) names.push_back(verb->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  return hint_of(words.front(), views);
}

int help_verb(const CLI::App& app, const HelpRequest& request) {
  const CLI::App* verb = verb_named(app, request.words);
  if (request.as_manual) {
    if (verb == nullptr) {
      throw usage_error(fmt::format("help: --man: want a verb, because only verbs have man pages, got '{}'{}",
                                    fmt::join(request.words, " "), hint_of_verb(app, request.words)));
    }
    put(stdout, manual_page(*verb, this_build().version));
    return kExitOk;
  }
  if (verb != nullptr) return print_help(*verb, HelpExtent::kShort);
  put(stdout, topic_text(app, request.words, word_lists(), help_width(stdout)));
  return kExitOk;
}

}  // namespace

int print_help(const CLI::App& verb, HelpExtent extent) {
  put(stdout, help_text(verb, extent, more_of(verb), help_width(stdout)));
  return kExitOk;
}

void add_help(CLI::App& app, Request& request) {
  CLI::App* help =
      app.add_subcommand("help", "Explain a verb, an option, a warning, or another word that loadline prints");
  help->prefix_command();  // keeps words that begin with dashes: options of other verbs
  auto& own = tells<HelpRequest>(*help, request, [&app, help](HelpRequest& asked) {
    for (const std::string& word : help->remaining()) {
      if (word != "--") asked.words.push_back(word);
    }
    return help_verb(app, asked);
  });
  help->add_option(
          "words", own.words,
          "a verb, such as run or data make; an option, such as --read or read; a section of options of run, such as "
          "trials; the id of a warning, such as wide-spread; a word of the glossary, such as stall; topics: a list of "
          "all these; warnings or glossary: every word explained. A section or an option may follow its verb")
      ->type_name("TOPIC");
  help->add_flag("--man", own.as_manual, "as a man page: loadline help --man run | man -l -");
}

void add_completion(CLI::App& app, Request& request) {
  CLI::App* completion = app.add_subcommand("completion", "Print a shell's completion script for loadline");
  auto& shell = tells<std::string>(*completion, request, [](const std::string& asked) {
    put(stdout, completion_script(asked));
    return kExitOk;
  });
  completion->add_option("shell", shell, "the shell: eval \"$(loadline completion bash)\"")
      ->required()
      ->type_name("bash|zsh|fish");
}

}  // namespace loadline
