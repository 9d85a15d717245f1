// The verbs: each function adds a subcommand with its options and the function that runs it.
#pragma once

#include <functional>
#include <memory>

#include "harness/cli/option_parts.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// The request that the measuring verbs share, and the verb that the command line names. CLI11 fills it while parsing;
// the verb runs afterwards.
struct Request {
  RunRequest run;
  GivenOptions given;         // applied after the configuration file
  std::function<int()> verb;  // returns an exit code; empty: the command line names none
};

// Sets `run` as the function that a command line with this verb runs.
void runs(CLI::App& verb, Request& request, std::function<int()> run);

// The same for a verb with its own request, which it returns so that options can fill it. It lives as long as the
// verb.
template <typename Own, typename Run>
Own& runs(CLI::App& verb, Request& request, Run run) {
  const auto own = std::make_shared<Own>();
  runs(verb, request, [own, run] { return run(*own); });
  return *own;
}

// The same for a verb whose outcome is only on stdout: it throws Error before it begins if stdout is closed.
template <typename Own, typename Run>
Own& tells(CLI::App& verb, Request& request, Run run) {
  return runs<Own>(verb, request, [run](Own& own) {
    check_stdout();
    return run(own);
  });
}

// Each adds a verb to `app`. `request` must outlive `app`.
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
