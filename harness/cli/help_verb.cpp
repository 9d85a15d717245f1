#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/completion.h"
#include "harness/cli/help.h"
#include "harness/cli/manual.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verb_options.h"
#include "harness/machine/build_facts.h"
#include "harness/plan/one_value.h"
#include "loaders/error.h"

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
  std::vector<std::string> words;  // what HelpSubject takes
  bool as_manual = false;
};

int help_verb(const CLI::App& app, const HelpRequest& request) {
  const std::size_t width = help_width(stdout);
  if (!request.as_manual && request.words == std::vector{std::string(kTopics)}) {
    put(stdout, topics_text(app, width));
    return kExitOk;
  }
  const HelpSubject subject = help_subject(app, request.words);
  if (request.as_manual) {
    if (!subject.section.empty())
      throw usage_error("help: --man: a man page covers a whole verb, not a section or an option");
    put(stdout, manual_page(*subject.verb, this_build().version));
    return kExitOk;
  }
  if (subject.section.empty()) return print_help(*subject.verb, HelpExtent::kShort);
  put(stdout, section_text(app, subject, width));
  return kExitOk;
}

}  // namespace

int print_help(const CLI::App& verb, HelpExtent extent) {
  put(stdout, help_text(verb, extent, more_of(verb), help_width(stdout)));
  return kExitOk;
}

void add_help(CLI::App& app, Request& request) {
  CLI::App* help = app.add_subcommand("help", "Explain a verb, a section of its options, or one option");
  help->prefix_command();  // keeps words that begin with dashes: options of other verbs
  auto& own = tells<HelpRequest>(*help, request, [&app, help](HelpRequest& asked) {
    for (const std::string& word : help->remaining()) {
      if (word != "--") asked.words.push_back(word);
    }
    return help_verb(app, asked);
  });
  help->add_option(
          "words", own.words,
          "a verb, such as run or data make; a section of run, such as trials; an option, such as --read or "
          "read; topics: the verbs, and the sections and options of run. A section or an option may follow its verb")
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
