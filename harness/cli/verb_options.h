// The verbs: each adds its subcommand, with its options and what runs it.
#pragma once

#include <functional>
#include <memory>

#include "harness/cli/option_parts.h"
#include "harness/cli/verbs.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// What the verbs that measure have in common, and the verb that the command line names. CLI11 fills it while it parses;
// the verb runs afterwards.
struct Request {
  RunRequest run;
  GivenOptions given;         // applied after the configuration file
  std::function<int()> verb;  // returns an exit code; empty: the command line names none
};

// Makes `run` what the command line does where it names this verb.
void runs(CLI::App& verb, Request& request, std::function<int()> run);

// The same of a verb with a request of its own, which it returns for options to go to: it lives as long as the verb.
template <typename Own, typename Run>
Own& runs(CLI::App& verb, Request& request, Run run) {
  const auto own = std::make_shared<Own>();
  runs(verb, request, [own, run] { return run(*own); });
  return *own;
}

// Each adds a verb to `app`. `request` outlives `app`.
void add_run(CLI::App& app, Request& request);
void add_ceilings(CLI::App& app, Request& request);
void add_train(CLI::App& app, Request& request);
void add_check(CLI::App& app, Request& request);
void add_diff(CLI::App& app, Request& request);
void add_ab(CLI::App& app, Request& request);
void add_aa(CLI::App& app, Request& request);
void add_list(CLI::App& app, Request& request);
void add_doctor(CLI::App& app, Request& request);
void add_data(CLI::App& app, Request& request);
void add_baseline(CLI::App& app, Request& request);
void add_merge(CLI::App& app, Request& request);
void add_export(CLI::App& app, Request& request);
void add_report(CLI::App& app, Request& request);
void add_forecast(CLI::App& app, Request& request);
void add_scale(CLI::App& app, Request& request);
void add_completion(CLI::App& app, Request& request);
void add_help(CLI::App& app, Request& request);

}  // namespace loadline
