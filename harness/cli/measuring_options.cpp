// The options of the verbs that measure.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "harness/cli/judging_options.h"
#include "harness/cli/measuring_requests.h"
#include "harness/cli/screen.h"
#include "harness/cli/verb_options.h"
#include "loaders/error.h"
#include "loaders/names.h"

namespace loadline {
namespace {

constexpr std::string_view kResultReplaced = "a complete result at --output";

void add_trace(CLI::App& run, RunRequest& request) {
  run.add_option("--trace", request.trace,
                 "measure one extra trial of each configuration, excluded from all figures, and write its timeline for "
                 "Perfetto or chrome://tracing; --filter chooses configurations")
      ->type_name("FILE")
      ->group("Output");
  add_number(run, "--trace-trials", "trials of each configuration in the trace [1]", [&request](std::uint64_t trials) {
    if (trials == 0) throw usage_error("--trace-trials: want a whole number of at least 1, got '0'");
    request.trace_trials = trials;
  });
  run.get_option("--trace-trials")->needs("--trace")->group("Output");
}

}  // namespace

void add_run(CLI::App& app, Request& request) {
  CLI::App* run = app.add_subcommand("run", "Measure IO, SYNTHETIC and FULL throughput");
  runs(*run, request, [&request] { return run_as_asked(request); });
  const RowTexts texts{.help = {{"quiet", "print no progress and no figures, only the comparison with --baseline"}}};
  for (const OptionRow& row : run_options()) add_row(*run, row, request.given, texts);
  run->add_flag("--dry-run", request.run.dry_run, "show what would run and how long it would take, and stop")
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
                "let --resume continue a result that another build started")
      ->needs("--resume")
      ->group("Configuration");
  run->add_flag("--dump-config", request.run.dump_config, "print the options in the form that --config reads, and stop")
      ->group("Configuration");
  run->add_option("--baseline", request.run.baseline,
                  "afterwards, compare with the result kept under this name, as `loadline diff` does")
      ->type_name("NAME")
      ->group("Verdict");
  run->add_flag("--details", request.run.details, "print all figures and warnings instead of a summary")
      ->group("Output");
  run->add_option("--summary", request.run.summary,
                  "after the figures, print the summary lines of another tool, for scripts that read them: benchy")
      ->type_name("TOOL")
      ->group("Output");
  add_trace(*run, request.run);
  run->add_option("--save-baseline", request.run.save_baseline,
                  "keep a complete result under this name; with --baseline only if the comparison does not fail")
      ->type_name("NAME")
      ->group("Verdict");
  add_overwrite(*run, request.run.overwrite,
                "an existing complete result at --output, baseline of --save-baseline or file at --trace");
  add_colours(*run, request.run.colours, "Output");
  run->footer(
      "Without a default in [], an option takes the workload's own value; --workers takes 1 and the CPUs in force.\n"
      "Without --output the result goes to loadline-<run id>.json.\n"
      "Exit codes: 0 ok, 1 failed or the result lacks what --baseline has, 2 usage, 3 a regression against --baseline, "
      "129, 130 and 143 interrupted; trials so far are kept.");
}

void add_ceilings(CLI::App& app, Request& request) {
  CLI::App* ceilings =
      app.add_subcommand("ceilings", "Measure the limits of this machine, which bound what `run` can reach");
  runs(*ceilings, request, [&request] { return ceilings_as_asked(request); });
  for (const OptionRow& row : run_options()) {
    if (is_for_ceilings(row)) add_row(*ceilings, row, request.given);
  }
  ceilings
      ->add_option("--config", request.run.config,
                   "take options from a JSON file, or from an earlier result; - for stdin")
      ->type_name("FILE")
      ->group("Configuration");
  add_overwrite(*ceilings, request.run.overwrite, kResultReplaced);
  ceilings->footer(
      "Without a default in [], an option takes the workload's own value; --workers takes 1 and the CPUs in force.\n"
      "Without --output no file is written.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 129, 130 and 143 interrupted; trials so far are shown.");
}

void add_train(CLI::App& app, Request& request) {
  CLI::App* train = app.add_subcommand("train", "Train a small network for some epochs, as a real job would");
  auto& training =
      runs<TrainRequest>(*train, request, [&request](const TrainRequest& own) { return train_as_asked(request, own); });
  const RowTexts texts{.defaults = defaults_of_training(),
                       .lists = false,
                       .help = {{"loader", "a loader that `loadline list` shows"},
                                {"cache", "the page cache is used as it is; cold is refused"},
                                {"seed", "seed of sample order, augmentation and initial weights"},
                                {"compute", "the network to train, cnn or gpt, and its parameters"}}};
  for (const OptionRow& row : run_options()) {
    if (is_for_training(row)) add_row(*train, row, request.given, texts);
  }
  add_number(*train, "--epochs", "number of passes over all samples", training.epochs);
  train
      ->add_option("--config", request.run.config,
                   "take options from a JSON file, or from an earlier result; - for stdin")
      ->type_name("FILE")
      ->group("Configuration");
  train
      ->add_option("--tensorboard", training.tensorboard,
                   "write event files for TensorBoard, epoch by epoch, into a subdirectory named after the run")
      ->type_name("DIR")
      ->group("Output");
  add_overwrite(*train, request.run.overwrite, kResultReplaced);
  train->footer(
      "Without --compute it trains cnn (gpt for tokens and text). "
      "Without --workers, a loader has one worker per CPU in force.\n"
      "Validation uses the dataset's test split, if it has one. Without --output no file is written.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 129, 130 and 143 interrupted; epochs so far are shown.");
}

namespace {

// Options that determine which samples a loader must deliver.
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

}  // namespace

void add_check(CLI::App& app, Request& request) {
  CLI::App* check = app.add_subcommand("check", "Check that a loader delivers each sample once, with its label");
  auto& checking = tells<CheckRequest>(*check, request,
                                       [&request](const CheckRequest& own) { return check_as_asked(request, own); });
  check->add_option("loader", checking.loader, "plug-in by its path, such as ./libmine.so, or a loader by its name")
      ->required()
      ->type_name("LOADER");
  const RowTexts texts{
      .lists = false,
      .help = {{"workers",
                "worker threads of loaders that have them; with several numbers, or a range such as 1:8:*2, "
                "each is checked"},
               {"seed", "seed of sample order"},
               {"time-limit", "time for the check, such as 20m, which fails if it takes longer; unset: no limit"}}};
  for (const OptionRow& row : run_options()) {
    if (is_for_check(row)) add_row(*check, row, request.given, texts);
  }
  check->get_option("--workers")->type_name("N,...");
  add_number(*check, "--epochs", "number of epochs to load per number of workers", checking.epochs);
  check->get_option("--time-limit")->group(check->get_option("--epochs")->get_group());
  check->footer(
      "The check identifies samples by the indices that the loader reports, or else by their contents.\n"
      "Exit codes: 0 the loader delivers the dataset, 1 it does not, or the check failed, 2 usage, 129, 130 and 143 "
      "interrupted.");
}

namespace {

// `ab` and `aa`. `output`: what --output is.
void add_rows_for_pairs(CLI::App& verb, Request& request, std::string_view output) {
  const RowTexts texts{.defaults = defaults_of_pairs(),
                       .help = {{"output", output}, {"quiet", "print no progress, only the outcome"}}};
  for (const OptionRow& row : run_options()) {
    if (is_for_pairs(row)) add_row(verb, row, request.given, texts);
  }
}

constexpr const char* kPairsFooter = "Without --workers, a loader has one worker per CPU in force.\n";

}  // namespace

void add_ab(CLI::App& app, Request& request) {
  CLI::App* ab = app.add_subcommand("ab", "Compare two configurations, or two binaries, in interleaved pairs");
  auto& pairs = runs<PairsRequest>(*ab, request, [&request](PairsRequest& own) { return ab_as_asked(request, own); });
  ab->add_option("--base", pairs.base, "options of the first side, such as '--prefetch 4'")->type_name("'OPTIONS'");
  ab->add_option("--new", pairs.changed, "options of the second side")->type_name("'OPTIONS'");
  ab->add_option("--base-binary", pairs.base_binary, "with --processes: the loadline program that the first side runs")
      ->type_name("FILE");
  ab->add_option("--new-binary", pairs.changed_binary, "with --processes: the program that the second side runs")
      ->type_name("FILE");
  add_rows_for_pairs(*ab, request, "names the two results: FILE-base.json and FILE-new.json");
  add_number(*ab, "--pairs",
             "pairs of alternating trials; ab never stops early, since that would make errors more likely than stated",
             pairs.pairs);
  ab->add_flag("--processes", pairs.processes, "run each trial in its own process")->group("Trials");
  add_judging(*ab, pairs.judging);
  add_diff_format(*ab, "--report-format", pairs.format).group("Output");
  add_overwrite(*ab, request.run.overwrite, "complete results at --output");
  add_colours(*ab, request.run.colours, "Output");
  ab->footer(std::string(kPairsFooter) +
             "The first pair is a warm-up and is dropped. Both sides are assumed to read the same data.\n"
             "Writes two results, FILE-base.json and FILE-new.json, which `loadline diff --paired` compares again.\n"
             "Exit codes: 0 ok, 1 failed, 2 usage, 3 a regression, or with --fail-on inconclusive an inconclusive "
             "comparison, 129, 130 and 143 interrupted.");
}

void add_aa(CLI::App& app, Request& request) {
  CLI::App* aa = app.add_subcommand("aa", "Measure the noise floor of this host: how much two identical runs differ");
  auto& noise = runs<NoiseRequest>(*aa, request, [&request](NoiseRequest& own) { return aa_as_asked(request, own); });
  add_rows_for_pairs(*aa, request, "file of the noise floor; - for stdout");
  add_number(*aa, "--pairs", "pairs of runs, each run in its own process", noise.pairs);
  add_number(*aa, "--trials",
             "trials of each cell in each run; the floor applies unchanged to results with at least as many",
             noise.trials);
  add_overwrite(*aa, request.run.overwrite, kResultReplaced);
  aa->footer(std::string(kPairsFooter) +
             "The first run is a warm-up and is dropped. A floor above 50 % is refused.\n"
             "The floor goes to FILE, or to where `loadline diff` looks for this host's floor.\n"
             "Exit codes: 0 ok, 1 failed, 2 usage, 129, 130 and 143 interrupted.");
}

}  // namespace loadline
