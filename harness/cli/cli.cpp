#include "harness/cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
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
#include "harness/cli/judging.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/manual.h"
#include "harness/cli/out_of_memory.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/scale_options.h"
#include "harness/cli/screen.h"
#include "harness/cli/side.h"
#include "harness/cli/stack.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/result_json.h"
#include "harness/machine/build_facts.h"
#include "harness/machine/threads.h"
#include "harness/measure/replay_loader.h"
#include "harness/plan/one_value.h"
#include "harness/plan/options.h"
#include "harness/plan/script_workload.h"
#include "harness/show/wrap.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"
#include "synthetic/convert/convert.h"
#include "synthetic/generate/generate.h"

namespace loadline {
namespace {

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
  std::vector<std::pair<const OptionRow*, std::string>> given;  // applied after the configuration file
  std::vector<std::string> help;                                // verb, and section
  bool help_as_manual = false;
  std::string completion_shell;
};

std::string help_of(const OptionRow& row) {
  std::string text(row.help);
  if (row.choices != nullptr) text += fmt::format(": {}", list_of(row.choices()));
  const std::string standard = standard_text(row);
  if (!standard.empty()) text += fmt::format(" [{}]", standard);
  return text;
}

void add_row(CLI::App& app, const OptionRow& row, Request& request) {
  const std::string flag = fmt::format("--{}{}", row.name,
                                       row.name == "output"  ? ",-o"
                                       : row.name == "quiet" ? ",-q"
                                                             : "");
  const auto give = [&request, &row](const std::string& text) { request.given.emplace_back(&row, text); };
  CLI::Option* option = nullptr;
  if (row.value.empty() && row.axis) {
    // Without a value it is on, as any flag.
    option = app.add_option_function<std::string>(
        flag, [give](const std::string& text) { give(text.empty() ? "on" : text); }, help_of(row));
    option->expected(0, 1);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    option->type_name("[on|off,...]");
  } else if (row.value.empty()) {
    option = app.add_flag_callback(
        flag, [&request, &row] { request.given.emplace_back(&row, "true"); }, help_of(row));
  } else {
    option = app.add_option_function<std::string>(flag, give, help_of(row));
    // The last one counts, so that a script's own settings can be overridden behind them.
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    option->type_name(row.axis ? fmt::format("{},...", row.value) : std::string(row.value));
  }
  option->group(std::string(row.group));
}

// The file that --output names, or where `replaced` says so more than that.
void add_overwrite(CLI::App& verb, bool& overwrite, std::string_view replaced) {
  verb.add_flag("--overwrite", overwrite, fmt::format("replace {}", replaced))->group("Output");
}

constexpr std::string_view kResultReplaced = "a complete result at --output";

void add_number(CLI::App& app, const std::string& flag, const std::string& help,
                std::function<void(std::uint64_t)> take);

void add_trace(CLI::App& run, RunRequest& request) {
  run.add_option("--trace", request.trace,
                 "measure one extra trial of each configuration, excluded from all figures, and write its timeline for "
                 "Perfetto or chrome://tracing; --filter says which configurations are run")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("FILE")
      ->group("Output");
  add_number(run, "--trace-trials", "trials of each configuration in the trace [1]", [&request](std::uint64_t trials) {
    if (trials == 0) throw usage_error("--trace-trials: want a whole number of at least 1, got '0'");
    request.trace_trials = trials;
  });
  run.get_option("--trace-trials")->needs("--trace")->group("Output");
}

void add_run(CLI::App& app, Request& request) {
  CLI::App* run = app.add_subcommand("run", "Measure IO, SYNTHETIC and FULL throughput");
  for (const OptionRow& row : run_options()) add_row(*run, row, request);
  run->add_flag("--dry-run", request.run.dry_run, "show what would be run and how long it takes, and stop")
      ->group("Configuration");
  run->add_option("--config", request.run.config,
                  "take options from a JSON file, or from an earlier result; - for stdin")
      ->type_name("FILE")
      ->group("Configuration");
  run->add_option("--resume", request.run.resume,
                  "continue an interrupted or timed-out result with its own options, into the same file; start it if "
                  "the file does not exist")
      ->type_name("FILE")
      ->group("Configuration");
  run->add_flag("--allow-mismatch", request.run.allow_mismatch,
                "let --resume continue a result that another build of the program began")
      ->needs("--resume")
      ->group("Configuration");
  run->add_flag("--dump-config", request.run.dump_config, "print the options as --config reads them, and stop")
      ->group("Configuration");
  run->add_option("--baseline", request.run.baseline,
                  "afterwards compare with the result kept under this name, as `loadline diff` does")
      ->type_name("NAME")
      ->group("Verdict");
  run->add_flag("--details", request.run.details, "print all figures and warnings, not a summary")->group("Output");
  run->add_option("--summary", request.run.summary,
                  "after the figures print the summary lines of another tool, for scripts that read them: benchy")
      ->type_name("TOOL")
      ->group("Output");
  add_trace(*run, request.run);
  run->add_option("--save-baseline", request.run.save_baseline, "keep a complete result under this name")
      ->type_name("NAME")
      ->group("Verdict");
  add_overwrite(*run, request.run.overwrite,
                "an existing complete result at --output, baseline of --save-baseline or file at --trace,");
  add_colours(*run, request.run.colours, "Output");
  run->footer(
      "Where [] gives no value, the workload's own is used; for --workers it is 1 and the CPUs in force.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 3 a regression against --baseline, 129, 130 and 143 interrupted "
      "with what was measured so far kept.");
}

void add_ceilings(CLI::App& app, Request& request) {
  CLI::App* ceilings = app.add_subcommand("ceilings", "Measure what this machine can do at best: the limits of `run`");
  for (const OptionRow& row : run_options()) {
    if (is_for_ceilings(row)) add_row(*ceilings, row, request);
  }
  ceilings
      ->add_option("--config", request.run.config,
                   "take options from a JSON file, or from an earlier result; - for stdin")
      ->type_name("FILE")
      ->group("Configuration");
  add_overwrite(*ceilings, request.run.overwrite, kResultReplaced);
  ceilings->footer(
      "Where [] gives no value, the workload's own is used; for --workers it is 1 and the CPUs in force.\n"
      "Without --output no file is written.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 129, 130 and 143 interrupted with what was measured so far shown.");
}

void add_number(CLI::App& app, const std::string& flag, std::string_view help, std::uint64_t& number);

void add_train(CLI::App& app, Request& request) {
  CLI::App* train = app.add_subcommand("train", "Train a small network for some epochs, as a real job would");
  for (const OptionRow& row : run_options()) {
    if (is_for_training(row)) add_row(*train, row, request);
  }
  add_number(*train, "--epochs", "number of passes over all samples", request.train.epochs);
  train
      ->add_option("--config", request.run.config,
                   "take options from a JSON file, or from an earlier result; - for stdin")
      ->type_name("FILE")
      ->group("Configuration");
  train
      ->add_option(
          "--tensorboard", request.train.tensorboard,
          "write event files for TensorBoard, epoch by epoch, into a directory named after the run below this one")
      ->type_name("DIR")
      ->group("Output");
  add_overwrite(*train, request.run.overwrite, kResultReplaced);
  train->footer(
      "Each list takes one value. Defaults: --loader thread-pool, --compute cnn (gpt for tokens and text), --workers "
      "the "
      "CPUs in force.\n"
      "Validation uses the dataset's test split, if it has one. Without --output no file is written.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 129, 130 and 143 interrupted with the epochs so far shown.");
}

// What says which samples a loader is to deliver.
bool is_for_check(const OptionRow& row) {
  constexpr std::array kHeeded{"workload",    "workers",    "batch-size",      "data",
                               "format",      "split",      "labels",          "hdf5-images",
                               "hdf5-labels", "dtype",      "layout",          "normalise",
                               "mean",        "std",        "order",           "seed",
                               "rank",        "world-size", "prefetch",        "drop-last",
                               "time-limit",  "token-type", "sequence-length", "sequences",
                               "tokenizer",   "text-key",   "documents",       "bucket-batches"};
  return std::ranges::find(kHeeded, row.name) != kHeeded.end();
}

void add_check(CLI::App& app, Request& request) {
  CLI::App* check = app.add_subcommand("check", "Check that a loader delivers each sample once, with its label");
  check
      ->add_option("loader", request.check.loader, "plug-in by its path, such as ./libmine.so, or a loader by its name")
      ->required()
      ->type_name("LOADER");
  for (const OptionRow& row : run_options()) {
    if (is_for_check(row)) add_row(*check, row, request);
  }
  add_number(*check, "--epochs", "how many epochs to load with each number of workers", request.check.epochs);
  check->footer(
      "The check identifies samples by the indices that the loader reports, or else by their contents.\n"
      "Exit codes: 0 the loader delivers the dataset, 1 it does not, or the check failed, 2 usage, 129, 130 and 143 "
      "interrupted.");
}

// `ab` and `aa`.
void add_rows_for_pairs(CLI::App& verb, Request& request) {
  for (const OptionRow& row : run_options()) {
    if (is_for_pairs(row)) add_row(verb, row, request);
  }
}

constexpr const char* kPairsFooter =
    "Unless options say otherwise: IO and FULL of thread-pool with the CPUs in force as workers, trials of 0.25 s.\n";

void add_ab(CLI::App& app, Request& request) {
  CLI::App* ab = app.add_subcommand("ab", "Compare two configurations, or two binaries, in interleaved pairs");
  ab->add_option("--base", request.pairs.base, "options of the first side, such as '--prefetch 4'")
      ->type_name("'OPTIONS'");
  ab->add_option("--new", request.pairs.changed, "options of the second side")->type_name("'OPTIONS'");
  ab->add_option("--base-binary", request.pairs.base_binary,
                 "with --processes: the loadline program that the first side runs")
      ->type_name("FILE");
  ab->add_option("--new-binary", request.pairs.changed_binary,
                 "with --processes: the program that the second side runs")
      ->type_name("FILE");
  add_rows_for_pairs(*ab, request);
  add_number(
      *ab, "--pairs",
      "trials of each side, taken in turns; ab never stops early, as that would make errors more likely than stated",
      request.pairs.pairs);
  ab->add_flag("--processes", request.pairs.processes, "run each trial in its own process")->group("Trials");
  add_judging(*ab, request.pairs.judging);
  ab->add_option("--report-format", request.pairs.format, fmt::format("one of {} [text]", list_of(diff_formats())))
      ->type_name("NAME")
      ->group("Output");
  add_overwrite(*ab, request.run.overwrite, "complete results at --output");
  add_colours(*ab, request.run.colours, "Output");
  ab->footer(std::string(kPairsFooter) +
             "The first pair is a warm-up and is dropped. Both sides are assumed to read the same data.\n"
             "Writes two results, FILE-base.json and FILE-new.json, which `loadline diff --paired` compares again.\n"
             "Exit codes: 0 ok, 1 failed, 2 usage, 3 a regression, 129, 130 and 143 interrupted.");
}

void add_aa(CLI::App& app, Request& request) {
  CLI::App* aa = app.add_subcommand("aa", "Measure the noise floor of this host: how far apart two identical runs lie");
  add_rows_for_pairs(*aa, request);
  add_number(*aa, "--pairs", "pairs of runs, each run in its own process", request.noise.pairs);
  add_number(*aa, "--trials",
             "trials of each cell in each run; the floor applies unchanged to results with as many trials or more",
             request.noise.trials);
  add_overwrite(*aa, request.run.overwrite, kResultReplaced);
  aa->footer(std::string(kPairsFooter) +
             "The first run is a warm-up and is dropped. A floor above 50 % is refused.\n"
             "Written to FILE, or to the place where `loadline diff` looks for this host's floor.\n"
             "Exit codes: 0 ok, 1 failed, 2 usage, 129, 130 and 143 interrupted.");
}

void add_scale_and_rows(CLI::App& app, Request& request) {
  CLI::App& verb = add_scale(app, request.scale);
  for (const OptionRow& row : run_options()) {
    if (is_for_scale(row)) add_row(verb, row, request);
  }
}

void add_dataset_options(CLI::App& app, DataRequest& request, const std::string& from_flag = "--format") {
  app.add_option("path", request.path, "directory or file of the dataset")->required()->type_name("PATH");
  app.add_option(from_flag, request.options.format, "its format [auto]")->type_name("NAME");
  app.add_option_function<std::string>(
         "--split",
         [&request](const std::string& text) {
           if (text != "train" && text != "test") {
             throw unknown_name("--split", text, std::vector<std::string_view>{"train", "test"});
           }
           request.options.split = text == "test" ? Split::kTest : Split::kTrain;
         },
         "split: train, test [train]")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--labels",
         [&request](const std::string& text) {
           if (text != "fine" && text != "coarse") {
             throw unknown_name("--labels", text, std::vector<std::string_view>{"fine", "coarse"});
           }
           request.options.labels = text == "coarse" ? LabelKind::kCoarse : LabelKind::kFine;
         },
         "labels of CIFAR-100: fine, coarse [fine]")
      ->type_name("KIND");
  app.add_option("--tokenizer", request.options.tokenizer, "of text: a model of SentencePiece, or bytes [auto]")
      ->type_name("FILE|bytes");
  app.add_option("--text-key", request.options.text_key, "of text in JSON lines: the member that is a document [text]")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--documents",
         [&request](const std::string& text) {
           if (text != "lines" && text != "files") {
             throw unknown_name("--documents", text, std::vector<std::string_view>{"lines", "files"});
           }
           request.options.documents = text == "lines" ? TextDocuments::kLines : TextDocuments::kFiles;
         },
         "of text, what a document is: lines, files [auto]")
      ->type_name("KIND");
  app.add_option("--hdf5-images", request.options.hdf5_images, "dataset of images in an HDF5 file [images]")
      ->type_name("NAME");
  app.add_option("--hdf5-labels", request.options.hdf5_labels, "dataset of labels in an HDF5 file [labels]")
      ->type_name("NAME");
}

void add_number(CLI::App& app, const std::string& flag, const std::string& help,
                std::function<void(std::uint64_t)> take) {
  const auto give = [flag, take = std::move(take)](const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc{} || end != text.data() + text.size()) {
      throw usage_error(fmt::format("{}: want a whole number, got '{}'", flag, text));
    }
    take(number);
  };
  app.add_option_function<std::string>(flag, give, help)
      ->type_name("N")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_number(CLI::App& app, const std::string& flag, std::string_view help, std::uint64_t& number) {
  add_number(app, flag, fmt::format("{} [{}]", help, number), [&number](std::uint64_t value) { number = value; });
}

void add_convert(CLI::App& data, ConvertRequest& request) {
  CLI::App* convert = data.add_subcommand("convert", "Write the same samples in another format");
  add_dataset_options(*convert, request.from, "--from-format");
  convert->add_option("destination", request.to, "file or directory to write; nothing else may be there")
      ->required()
      ->type_name("DST");
  convert
      ->add_option("--format", request.format,
                   fmt::format("what to write: {} [by the destination's name]", list_of(names_of(convert_formats()))))
      ->type_name("NAME");
  add_number(*convert, "--chunk", "hdf5: samples per chunk; 0: in one piece, which can be mapped",
             request.chunk_samples);
  add_number(*convert, "--gzip", "hdf5: compression level of chunks, 1 to 9; 0: off", request.gzip_level);
  add_number(*convert, "--shard", "webdataset, tfrecord: MiB per shard", request.shard_mebibytes);
  convert->add_flag("--decode", request.decode, "hdf5: store the pixels of encoded images, which have one size");
  convert->add_flag("--quiet,-q", request.quiet, "no progress");
}

void add_data(CLI::App& app, Request& request) {
  CLI::App* data = app.add_subcommand("data", "Inspect, verify, make and convert datasets");
  add_dataset_options(
      *data->add_subcommand("info", "Print format, count, shape, labels, checksum and page-cache residency"),
      request.data);
  add_dataset_options(*data->add_subcommand("verify", "Read and decode all of a dataset"), request.data);
  CLI::App* make = data->add_subcommand("make", "Make a dataset from a seed, the same on every machine");
  make->add_option("kind", request.make.kind,
                   fmt::format("what to make: {}, {}, {}, {}, {}", list_of(names_of(generators())), kPhotos, kNbody,
                               kTokens, kTextKind))
      ->required()
      ->type_name("KIND");
  make->add_option("directory", request.make.directory,
                   "destination, which must not exist yet: a file for nbody, a directory otherwise")
      ->required()
      ->type_name("DIR");
  add_number(*make, "--samples", "training samples; the other split is extra [50000; photos 5000]",
             [&request](std::uint64_t number) { request.make.samples = number; });
  add_number(*make, "--seed", "of everything in it", request.make.seed);
  add_number(
      *make, "--size",
      "nbody: values along each side of the cube, 36 bytes each [256]; tokens: tokens of the training split, "
      "rounded up to a multiple of 4,096 [16777216]; text: bytes of the training split, rounded up to a multiple "
      "of 16,384 [33554432; files 4194304]; photos: width in pixels, 4:3 [500]",
      [&request](std::uint64_t number) { request.make.size = number; });
  make->add_option("--from", request.make.from, "photos: directory of photographs to cut them from")->type_name("DIR");
  make->add_option("--as", request.make.as,
                   "write webdataset or tfrecord: a directory of shards for each split; text: lines, json-lines or "
                   "files [lines]")
      ->type_name("FORMAT");
  make->add_flag("--quiet,-q", request.make.quiet, "no progress");
  add_convert(*data, request.convert);
}

void add_baseline(CLI::App& app, BaselineRequest& request) {
  CLI::App* baseline = app.add_subcommand("baseline", "List, show and delete baselines, and show their history");
  baseline->add_subcommand("list", "List the kept baselines")
      ->add_flag("--json", request.json, "print JSON, for other programs");
  const auto with_name = [&](const char* verb, const char* what) {
    CLI::App* sub = baseline->add_subcommand(verb, what);
    sub->add_option("name", request.names, "of the baseline")->required()->expected(1)->type_name("NAME");
    add_colours(*sub, request.colours, "Options");
    return sub;
  };
  with_name("show", "Show a baseline the way `run` showed it");
  CLI::App* removal = baseline->add_subcommand("delete", "Delete baselines, with their history");
  removal->add_option("names", request.names, "of the baselines")->required()->type_name("NAME");
  CLI::App* history = with_name("history", "Walk through the results that had a name, and show the trend");
  add_number(*history, "--last", "number of results, including the present one", request.last);
  history->footer(
      "A result that --save-baseline with --overwrite replaces moves into the history of its name, which keeps the "
      "last hundred.");
}

void add_merge(CLI::App& app, MergeRequest& request) {
  CLI::App* merge = app.add_subcommand("merge", "Merge several results, such as those of a job array, into one");
  merge->add_option("results", request.results, "result files, at least two")->required()->type_name("FILE");
  merge->add_option("--output,-o", request.output, "result file; - for stdout [loadline-<run id>.json]")
      ->type_name("FILE");
  merge->add_flag("--overwrite", request.overwrite, "replace an existing result");
  merge->add_flag("--allow-mismatch", request.allow_mismatch, "merge results of different builds and machines too");
}

void add_export(CLI::App& app, ExportRequest& request) {
  CLI::App* exported = app.add_subcommand("export", "Convert a result, or its monitor's series, for other tools");
  exported->add_option("result", request.result, "result file")->required()->type_name("FILE");
  exported
      ->add_option("directory", request.directory,
                   "tensorboard: directory for the event files, which go into a subdirectory named after the run")
      ->type_name("DIR");
  exported
      ->add_option("--to", request.to,
                   "benchy: a run for that tool's scripts; csv: the series of --monitor; tensorboard: event files")
      ->required()
      ->type_name("NAME");
  exported->add_option("--output,-o", request.output, "benchy, csv: file to write; - for stdout [-]")
      ->type_name("FILE");
  exported->add_flag("--overwrite", request.overwrite, "benchy, csv: replace an existing file");
  exported->footer(
      "tensorboard: one run per cell, one step per trial, with the cell's settings as hyperparameters. Existing files "
      "are never replaced.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage.");
}

void add_report(CLI::App& app, ReportRequest& request) {
  CLI::App* report = app.add_subcommand("report", "Make a page, a table or text from one or more results");
  report
      ->add_option("results", request.results,
                   "files that `run` wrote, or files that `train` wrote; several are laid over each other; or a study "
                   "that `scale` "
                   "wrote; or jobs that were recorded, as text")
      ->required()
      ->type_name("RESULT");
  report->add_option("--output,-o", request.output, "file to write, - for stdout [stdout; html needs a file]")
      ->type_name("FILE");
  report->add_flag("--overwrite", request.overwrite, "replace an existing file");
  report->add_option("--format", request.format, "html, markdown, csv, text [by the suffix of --output, or html]")
      ->type_name("NAME");
  report->add_option("--title", request.title, "of html and markdown [workloads, host and date]")->type_name("TEXT");
  report->footer(
      "html is one file that needs no network; csv has one row per trial and one column per setting.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage.");
}

void add_help(CLI::App& app, Request& request) {
  CLI::App* help = app.add_subcommand("help", "Explain a verb or a section of its options");
  help->add_option("words", request.help, "verb, such as run or data make, and optionally a section such as trials")
      ->type_name("VERB [SECTION]");
  help->add_flag("--man", request.help_as_manual, "as a man page: loadline help --man run | man -l -");
}

void add_completion(CLI::App& app, Request& request) {
  app.add_subcommand("completion", "Print a shell's completion script for loadline")
      ->add_option("shell", request.completion_shell, "bash, zsh or fish: eval \"$(loadline completion bash)\"")
      ->required()
      ->type_name("SHELL");
}

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
