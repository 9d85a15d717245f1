// The verbs with their options, and where the options of a command line go.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/option_parts.h"
#include "harness/cli/verbs.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// What the command line asks for. CLI11 fills it while it parses; the verb runs afterwards.
struct Request {
  RunRequest run;
  DiffRequest diff;
  PairsRequest pairs;
  NoiseRequest noise;
  DataRequest data;
  TrainRequest train;
  CheckRequest check;
  MakeRequest make;
  ConvertRequest convert;
  MergeRequest merge;
  ExportRequest exported;
  ReportRequest report;
  ForecastVerbRequest forecast;
  ScaleRequest scale;
  ListRequest list;
  BaselineRequest baseline;
  GivenOptions given;             // applied after the configuration file
  std::vector<std::string> help;  // verb, and section
  bool help_as_manual = false;
  std::string completion_shell;
};

// Each adds a verb to `app`. Its options go to `request`, which outlives `app`.
void add_run(CLI::App& app, Request& request);
void add_ceilings(CLI::App& app, Request& request);
void add_train(CLI::App& app, Request& request);
void add_check(CLI::App& app, Request& request);
void add_ab(CLI::App& app, Request& request);
void add_aa(CLI::App& app, Request& request);
void add_scale_and_rows(CLI::App& app, Request& request);
void add_data(CLI::App& app, Request& request);
void add_baseline(CLI::App& app, BaselineRequest& request);
void add_merge(CLI::App& app, MergeRequest& request);
void add_export(CLI::App& app, ExportRequest& request);
void add_report(CLI::App& app, ReportRequest& request);
void add_help(CLI::App& app, Request& request);
void add_completion(CLI::App& app, Request& request);

}  // namespace loadline
