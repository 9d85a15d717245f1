// run_options WORD...: prints what `loadline run WORD...` knows of its options, with the rooms plan and cli alone: its
// help, what a shell offers after --spare, the fields of `config`, and the name of each cell that would run.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/cli/completion.h"
#include "harness/cli/help.h"
#include "harness/cli/option_parts.h"
#include "harness/plan/plan.h"

int main(int argc, char** argv) {
  CLI::App app;
  CLI::App* run = app.add_subcommand("run");
  loadline::GivenOptions given;
  for (const loadline::OptionRow& row : loadline::run_options()) loadline::add_row(*run, row, given);
  std::puts(loadline::help_text(*run, loadline::HelpExtent::kAll, "", 100).c_str());
  const std::vector<std::string> words{"run", "--spare"};
  std::printf("offered: %s\n", loadline::completion_text(loadline::complete(app, words)).c_str());
  for (const loadline::OptionRow& row : loadline::run_options()) {
    std::printf("config: %s\n", loadline::key_of(row).c_str());
  }
  app.parse(argc, argv);
  loadline::RunOptions options;
  for (const auto& [row, text] : given) loadline::write_option(options, *row, text);
  const loadline::PlanContext context{.threads_in_force = 1, .cpus = {0}, .data_directory = "/data"};
  for (const loadline::Cell& cell : loadline::make_plan(options, context).cells) {
    std::printf("cell: %s\n", cell.name().c_str());
  }
}
