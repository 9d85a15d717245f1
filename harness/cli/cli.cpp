#include "harness/cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/completion.h"
#include "harness/cli/crash.h"
#include "harness/cli/help.h"
#include "harness/cli/help_words.h"
#include "harness/cli/known_values.h"
#include "harness/cli/option_hint.h"
#include "harness/cli/out_of_memory.h"
#include "harness/cli/screen.h"
#include "harness/cli/stack.h"
#include "harness/cli/streams.h"
#include "harness/cli/verb_options.h"
#include "harness/machine/build_facts.h"
#include "harness/measure/replay_loader.h"
#include "loaders/error.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// The deepest verb given.
const CLI::App& chosen(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) return chosen(*sub);
  return app;
}

// The verb that the first unknown word follows.
const CLI::App& owner_of_unknown(const CLI::App& app) {
  if (!app.remaining(false).empty()) return app;
  for (const CLI::App* sub : app.get_subcommands()) return owner_of_unknown(*sub);
  return app;
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

// "run: ", "data make: ", and nothing before any verb.
std::string prefix_of(const CLI::App& verb) {
  std::string words;
  for (const CLI::App* app = &verb; app->get_parent() != nullptr; app = app->get_parent()) {
    words = fmt::format("{}{}{}", app->get_name(), words.empty() ? ": " : " ", words);
  }
  return words;
}

Error unknown_argument(const CLI::App& app) {
  const CLI::App& verb = owner_of_unknown(app);
  const std::string given = verb.remaining(false).front();
  std::vector<std::string> names = verbs_of(verb);
  const std::string_view kind = given.starts_with('-') ? "option" : names.empty() ? "argument" : "verb";
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string hint = option_hint(verb, given.substr(0, given.find('=')), views);
  return usage_error(
      fmt::format("{}unknown {} '{}'{}", prefix_of(verb), kind, given, hint.empty() ? ", see --help" : hint));
}

// The sentences of the parsing library, in our words.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::string what = error.what();
  if (error.get_name() == "ArgumentMismatch") {
    return fmt::format("{}{}: want a value, see --help", prefix_of(chosen(app)), what.substr(0, what.find(':')));
  }
  // Only flags have values that the library converts.
  constexpr std::string_view kNoSwitch = "Could not convert: ";
  if (const auto equals = what.find(" = "); what.starts_with(kNoSwitch) && equals != std::string::npos) {
    return fmt::format("{}{}: want on or off, got '{}'", prefix_of(chosen(app)),
                       what.substr(kNoSwitch.size(), equals - kNoSwitch.size()), what.substr(equals + 3));
  }
  // "names is required".
  constexpr std::string_view kManyRequired = "s is required";
  const std::string said =
      what.ends_with(kManyRequired) ? what.substr(0, what.size() - kManyRequired.size()) + "s are required" : what;
  return fmt::format("{}{}, see --help", prefix_of(chosen(app)), said);
}

// The library would take the next word for the value of "--loader=". An empty word, mostly a shell variable that is
// not set, would count as no option. A side of `ab` may have no options.
void refuse_empty_values(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = &app;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return;
    const bool ends = word.starts_with("--") && word.find('=') == word.size() - 1;
    const bool before_empty =
        word.starts_with('-') && word != "--base" && word != "--new" && i + 1 < words.size() && words[i + 1].empty();
    if (ends || before_empty) {
      throw usage_error(fmt::format("{}{}: its value is empty, see --help", prefix_of(*verb),
                                    ends ? word.substr(0, word.size() - 1) : word));
    }
    const auto verbs = verb->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
    if (!verbs.empty()) verb = verbs.front();
  }
}

int parse_and_run(CLI::App& app, Request& request, int argc, char** argv) {
  refuse_empty_values(app, request.run.arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    check_stdout();
    if (asked.get_name() == "CallForVersion") {
      put(stdout, asked.what());
      return kExitOk;
    }
    const CLI::App& verb = chosen(app);
    if (!verbs_of(verb).empty() && !verb.remaining(false).empty()) throw unknown_argument(app);
    return print_help(verb, asked.get_name() == "CallForAllHelp" ? HelpExtent::kAll : HelpExtent::kShort);
  }
  if (!app.remaining(true).empty() && !owner_of_unknown(app).get_prefix_command()) throw unknown_argument(app);
  if (request.verb) return request.verb();
  const CLI::App& verb = chosen(app);
  throw usage_error(
      fmt::format("{}want a verb, one of {}, see --help", prefix_of(verb), fmt::join(verbs_of(verb), ", ")));
}

// After SIGHUP the terminal is gone and takes no text, so the signal is the reason to report.
int after_signal(int code) {
  try {
    flush_stdout();
  } catch (const Error& error) {
    print_error(error.what());
  }
  return code;
}

}  // namespace

void print_error(std::string_view sentence) {
  try {
    return put_text(stderr, fmt::format("loadline: {}\n", printable(sentence)));
  } catch (const std::bad_alloc&) {
    // Memory has run out, so this writes one text without an allocation.
    const auto length = static_cast<int>(std::min<std::size_t>(sentence.size(), std::numeric_limits<int>::max()));
    std::fprintf(stderr, "loadline: %.*s\n", length, sentence.data());
  }
}

namespace {

// Each adds a verb: its subcommand, with its options and what runs it. In the order of help.
constexpr std::array kVerbs{
    add_run,  add_ceilings, add_train, add_check,  add_diff,   add_ab,       add_aa,    add_list,       add_doctor,
    add_data, add_baseline, add_merge, add_export, add_report, add_forecast, add_scale, add_completion, add_help,
};

// Separate from its caller, whose stack may be too small for this function.
[[gnu::noinline]] int run_arguments(int argc, char** argv) {
  CLI::App app(
      "Measures how fast training data can be loaded, how fast a training step can take it, and both together");
  app.name("loadline");
  app.set_version_flag(
      "--version", [] { return build_text(this_build()); }, "print the version and what is built in, and stop");
  // For the options of all verbs: users can override a script's settings after them.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_help_flag("-h,--help", "print this page, and stop");
  app.set_help_all_flag("--help-all", "print it with all sections, and stop");
  Request request;
  request.run.arguments.assign(argv, argv + argc);
  for (const auto& add_verb : kVerbs) add_verb(app, request);
  if (argc > 1 && argv[1] == kCompleteVerb) {
    const std::vector<std::string> words(argv + 2, argv + argc);
    put(stdout, completion_text(complete(app, words, known_values(), word_lists())));
    return kExitOk;
  }
  try {
    // Keeps unknown words instead of refusing them, so that the refusal can name the nearest known one.
    const std::function<void(CLI::App&)> keep_unknown = [&](CLI::App& verb) {
      verb.allow_extras();
      verb.require_subcommand(0, 1);
      for (CLI::App* sub : verb.get_subcommands([](CLI::App*) { return true; })) keep_unknown(*sub);
    };
    keep_unknown(app);
    return parse_and_run(app, request, argc, argv);
  } catch (const CLI::ParseError& error) {
    throw usage_error(app.remaining(true).empty() ? sentence_of(error, app) : unknown_argument(app).what());
  }
}

// Prints what it throws. `failure`, if not null, gets the sentence of an Error.
int exit_code_of(std::string* failure, const std::function<int()>& work) {
  try {
    const int code = work();
    if (code > kExitSignal) return after_signal(code);
    // As if the signal that a closed pipe sends had ended the process, like other tools.
    return flush_stdout() ? code : kExitSignal + SIGPIPE;
  } catch (const Error& error) {
    std::fflush(stdout);  // what the sentence is about comes first; if it cannot be written, nothing can be done
    // Where a launcher started several processes, each speaks: those that are connected have a session, which has
    // printed what fails, but others cannot know that rank 0 says the same. It may have other options, and the launcher
    // may end it as soon as another rank ends with an error.
    print_error(error.what());
    if (failure != nullptr) *failure = printable(error.what());
    switch (error.kind()) {
      case Error::Kind::kFailed: return kExitFailed;
      case Error::Kind::kUsage: return kExitUsage;
      case Error::Kind::kInterrupted: return kExitSignal + SIGINT;
    }
    return kExitFailed;
  } catch (const std::bad_alloc&) {
    print_error(kOutOfMemory);
    return kExitFailed;
  } catch (const std::exception& error) {
    // Not our own: an unforeseen error of the system or a library.
    print_error(error.what());
    return kExitFailed;
  }
}

}  // namespace

int run_cli(int argc, char** argv, std::string* failure) {
  secure_streams();
  end_orderly_without_memory();
  name_crashes();
  return exit_code_of(failure, [&] {
    secure_stack();
    static const bool kAdded = (add_loader_opener(replay_loader_opener()), true);  // once, however often this is called
    static_cast<void>(kAdded);
    return run_arguments(argc, argv);
  });
}

std::vector<std::string> flags_of_run() {
  CLI::App app;
  app.set_help_flag();  // verbs have the help of their parent, which prints a page instead of a run
  Request request;
  add_run(app, request);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_subcommand("run")->get_options()) {
    if (option->get_items_expected_min() > 0) continue;
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

void end_process(const std::function<int()>& last) {
  const int code = exit_code_of(nullptr, last);
  std::fflush(nullptr);
  std::_Exit(code);
}

void end_process_stuck(const std::string& why, int signal) {
  end_process([&] {
    if (signal == 0) throw Error(why);
    print_error(why);
    return kExitSignal + signal;
  });
}

}  // namespace loadline
