#include "harness/cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "harness/cli/completion.h"
#include "harness/cli/forecast_options.h"
#include "harness/cli/help.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/manual.h"
#include "harness/cli/out_of_memory.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/screen.h"
#include "harness/cli/side.h"
#include "harness/cli/stack.h"
#include "harness/cli/streams.h"
#include "harness/cli/verb_options.h"
#include "harness/file/result_json.h"
#include "harness/machine/build_facts.h"
#include "harness/machine/threads.h"
#include "harness/measure/replay_loader.h"
#include "harness/plan/one_value.h"
#include "harness/plan/options.h"
#include "harness/plan/script_workload.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

// The deepest verb given.
const CLI::App& chosen(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) return chosen(*sub);
  return app;
}

// The verb behind which the first unknown word stands.
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

// "run: ", and nothing before any verb.
std::string prefix_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? "" : verb.get_name() + ": ";
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
  const std::string hint = hint_of(given.substr(0, given.find('=')), views);
  return usage_error(
      fmt::format("{}unknown {} '{}'{}", prefix_of(verb), kind, given, hint.empty() ? ", see --help" : hint));
}

// What whole help has behind the options.
std::string more_of(const CLI::App& verb) {
  if (verb.get_name() != "run") return "";
  return "Options with ,... take lists, and every combination is run. The others take one value:\n" + one_value_text();
}

int print_help(const CLI::App& app, const std::vector<std::string>& words, bool as_manual) {
  const HelpSubject subject = help_subject(app, words);
  if (as_manual) {
    if (!subject.section.empty()) throw usage_error("help: --man: a man page covers a whole verb, not a section");
    put(stdout, manual_page(*subject.verb, this_build().version));
    return kExitOk;
  }
  const std::size_t width = help_width(stdout);
  put(stdout, subject.section.empty() ? help_text(*subject.verb, HelpExtent::kShort, more_of(*subject.verb), width)
                                      : section_text(subject, width));
  return kExitOk;
}

// Of what the parsing library ends with where help or the version is asked for.
int print_help(const CLI::App& app, const CLI::Success& asked) {
  if (asked.get_name() == "CallForVersion") {
    put(stdout, asked.what());
    return kExitOk;
  }
  const CLI::App& verb = chosen(app);
  const HelpExtent extent = asked.get_name() == "CallForAllHelp" ? HelpExtent::kAll : HelpExtent::kShort;
  put(stdout, help_text(verb, extent, more_of(verb), help_width(stdout)));
  return kExitOk;
}

// The sentences of the parsing library, in our words.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::string what = error.what();
  if (error.get_name() == "ArgumentMismatch") {
    return fmt::format("{}{}: want a value, see --help", prefix_of(chosen(app)), what.substr(0, what.find(':')));
  }
  return fmt::format("{}{}, see --help", prefix_of(chosen(app)), what);
}

// A pipe has no size by which to read it: `loadline run --dump-config | loadline run --config -`.
std::string config_text(const std::string& path) {
  if (path != "-") return read_text(path);
  std::string text;
  for (std::istreambuf_iterator<char> c(std::cin), end; c != end; ++c) {
    if (text.size() == kMostTextBytes) {
      throw Error(fmt::format("cannot read stdin: it has more than {} bytes", kMostTextBytes));
    }
    text += *c;
  }
  return text;
}

bool has_workers(const RunOptions& options) {
  const bool loads =
      std::ranges::any_of(options.modes, [](const auto& mode) { return mode == "io" || mode == "full"; });
  return loads && std::ranges::any_of(options.loaders, [](const auto& name) { return loader_named(name).has_workers; });
}

// A side may name another loader than both have in common.
bool sides_have_workers(const std::string& name, const RunOptions& common, const PairsRequest& pairs) {
  if (name != "ab") return has_workers(common);
  return has_workers(make_side(common, {}, "--base", pairs.base, pairs.base_binary).options) &&
         has_workers(make_side(common, {}, "--new", pairs.changed, pairs.changed_binary).options);
}

int pairs_request(const std::string& name, Request& request) {
  std::vector<std::string> words{"--mode", "io,full", "--loader", "thread-pool"};
  RunOptions& options = request.run.options;
  options.modes = {"io", "full"};
  options.loaders = {"thread-pool"};
  const auto given = [&](std::string_view option) {
    return std::ranges::any_of(request.given, [&](const auto& one) { return one.first->name == option; });
  };
  if (!given("trial-batches")) options.trial_seconds = 0.25;
  for (const auto& [row, text] : request.given) {
    write_option(options, *row, text);
    if (row->name == "output" || row->name == "quiet") continue;
    const bool bare = row->value.empty() && text == "on";
    words.push_back(bare ? fmt::format("--{}", row->name) : fmt::format("--{}={}", row->name, text));
  }
  if (!given("workers") && sides_have_workers(name, options, request.pairs)) {
    options.workers = {threads_in_force()};
    words.insert(words.end(), {"--workers", fmt::format("{}", threads_in_force())});
  }
  if (!options.trial_batches) {
    words.insert(words.end(), {"--trial-seconds", fmt::format("{}", options.trial_seconds)});
  }
  (name == "ab" ? request.pairs.run : request.noise.run) = request.run;
  (name == "ab" ? request.pairs.words : request.noise.words) = words;
  return name == "ab" ? ab_verb(request.pairs) : aa_verb(request.noise);
}

int scale_request(Request& request) {
  for (const auto& [row, text] : request.given) {
    write_option(request.scale.options, *row, text);
    if (row->name == "quiet") continue;
    const bool bare = row->value.empty() && (text == "on" || text == "true");
    request.scale.words.push_back(bare ? fmt::format("--{}", row->name) : fmt::format("--{}={}", row->name, text));
  }
  return scale_verb(request.scale);
}

int baseline_request(const std::string& name, const BaselineRequest& request) {
  if (name == "list") return baseline_list_verb(request);
  if (name == "show") return baseline_show_verb(request);
  if (name == "delete") return baseline_delete_verb(request);
  return baseline_history_verb(request);
}

int measuring_request(const std::string& name, Request& request) {
  // Of training there is one configuration and one compute that it is about.
  if (name == "train") {
    request.run.options.loaders = {"thread-pool"};
  }
  if (!request.run.resume.empty()) load_earlier(request.run);
  if (!request.run.config.empty()) {
    const std::string& file = request.run.config;
    apply_config(config_text(file), file == "-" ? "stdin" : file, request.run.options);
  }
  for (const auto& [row, text] : request.given) write_option(request.run.options, *row, text);
  if (name == "train" && request.run.options.compute.empty()) {
    request.run.options.compute = workload_named(request.run.options.workloads.front()).tokens ? "gpt" : "cnn";
  }
  if (request.run.ranks != nullptr) request.run.ranks->share_request(request.run);
  return name == "run"        ? run_verb(request.run)
         : name == "ceilings" ? ceilings_verb(request.run)
                              : train_verb(request.run, request.train);
}

int run_request(const CLI::App& app, Request& request) {
  const CLI::App& verb = chosen(app);
  if (!app.remaining(true).empty()) throw unknown_argument(app);
  if (const auto verbs = verbs_of(verb); !verbs.empty()) {
    throw usage_error(fmt::format("{}want a verb, one of {}, see --help", prefix_of(verb), fmt::join(verbs, ", ")));
  }
  const std::string name = verb.get_name();
  if (name == "help") return print_help(app, request.help, request.help_as_manual);
  if (name == "completion") {
    put(stdout, completion_script(request.completion_shell));
    return kExitOk;
  }
  if (name == "check") {
    for (const auto& [row, text] : request.given) write_option(request.run.options, *row, text);
    return check_verb(request.run, request.check);
  }
  if (name == "run" || name == "ceilings") {
    const auto own_share = [](const auto& given) {
      return given.first->name == "rank" || given.first->name == "world-size";
    };
    const auto launch = launch_of_run(std::ranges::any_of(request.given, own_share));
    if (!launch) return measuring_request(name, request);
    // What a configuration file has of it is known when all have come together.
    RunOptions words;
    for (const auto& [row, text] : request.given) {
      if (row->name == "rank-timeout") write_option(words, *row, text);
    }
    RankSession session(*launch, words.rank_timeout);
    request.run.ranks = &session;
    return session.run([&] { return measuring_request(name, request); });
  }
  if (name == "train") return measuring_request(name, request);
  if (name == "ab" || name == "aa") return pairs_request(name, request);
  if (name == "diff") return diff_verb(request.diff);
  if (verb.get_parent()->get_name() == "baseline") return baseline_request(name, request.baseline);
  if (name == "doctor") return doctor_verb();
  if (name == "list") return list_verb(request.list);
  if (name == "merge") return merge_verb(request.merge);
  if (name == "export") return export_verb(request.exported);
  if (name == "report") return report_verb(request.report);
  if (name == "forecast") return forecast_verb(request.forecast);
  if (name == "scale") return scale_request(request);
  if (name == "info") return data_info_verb(request.data);
  if (name == "verify") return data_verify_verb(request.data);
  if (name == "convert") return data_convert_verb(request.convert);
  return data_make_verb(request.make);
}

// The library would take the next word for the value of "--loader=".
void refuse_empty_values(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = &app;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw usage_error(
          fmt::format("{}{}: its value is empty, see --help", prefix_of(*verb), word.substr(0, word.size() - 1)));
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
    return print_help(app, asked);
  }
  return run_request(app, request);
}

// A terminal that is gone, which is why SIGHUP came, takes no text: the signal is the reason to name.
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
    // Memory is what has run out: in one piece, and without an allocation.
    const auto length = static_cast<int>(std::min<std::size_t>(sentence.size(), std::numeric_limits<int>::max()));
    std::fprintf(stderr, "loadline: %.*s\n", length, sentence.data());
  }
}

namespace {

// Not part of its caller, which may have a stack that is too small for what is in here.
[[gnu::noinline]] int run_arguments(int argc, char** argv) {
  CLI::App app(
      "Measures how fast training data can be loaded, how fast a training step can take it, and both together");
  app.name("loadline");
  app.set_version_flag(
      "--version", [] { return build_text(this_build()); }, "print the version and what is built in, and stop");
  app.set_help_flag("-h,--help", "print this page, and stop");
  app.set_help_all_flag("--help-all", "print it with all sections, and stop");
  Request request;
  request.run.arguments.assign(argv, argv + argc);
  add_run(app, request);
  add_ceilings(app, request);
  add_train(app, request);
  add_check(app, request);
  add_diff(app, request.diff);
  add_ab(app, request);
  add_aa(app, request);
  app.add_subcommand("list", "Show workloads, loaders, computes, formats, kernels and baselines")
      ->add_flag("--json", request.list.json, "print JSON, for other programs");
  app.add_subcommand("doctor", "Show what is built in, and what on this machine disturbs measurements");
  add_data(app, request);
  add_baseline(app, request.baseline);
  add_merge(app, request.merge);
  add_export(app, request.exported);
  add_report(app, request.report);
  add_forecast(app, request.forecast);
  add_scale_and_rows(app, request);
  add_completion(app, request);
  add_help(app, request);
  if (argc > 1 && argv[1] == kCompleteVerb) {
    put(stdout, completion_text(complete(app, std::vector<std::string>(argv + 2, argv + argc))));
    return kExitOk;
  }
  try {
    // Unknown words are kept rather than refused, so that the refusal can name the nearest known one.
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

}  // namespace

int run_cli(int argc, char** argv) {
  secure_streams();
  end_orderly_without_memory();
  try {
    secure_stack();
    static const bool kAdded = (add_loader_opener(replay_loader_opener()), true);  // once, however often this is called
    static_cast<void>(kAdded);
    const int code = run_arguments(argc, argv);
    if (code > kExitSignal) return after_signal(code);
    flush_stdout();
    return code;
  } catch (const Error& error) {
    // Of several processes that were started with the same words the first one speaks.
    if (const auto launch = this_launch(); !launch || launch->rank == 0) print_error(error.what());
    return error.kind() == Error::Kind::kUsage ? kExitUsage : kExitFailed;
  } catch (const std::bad_alloc&) {
    print_error(kOutOfMemory);
    return kExitFailed;
  } catch (const std::exception& error) {
    // Nothing of ours: an error of the system or of a library that no one foresaw.
    print_error(error.what());
    return kExitFailed;
  }
}

}  // namespace loadline
