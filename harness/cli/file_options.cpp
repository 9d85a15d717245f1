// The options of the verbs about files: datasets, results, baselines, and of those about the tool itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/judging_options.h"
#include "harness/cli/made_kinds.h"
#include "harness/cli/screen.h"
#include "harness/cli/verb_options.h"
#include "loaders/datasets/datasets.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "synthetic/convert/convert.h"

namespace loadline {
namespace {

void add_dataset_options(CLI::App& app, DataRequest& request, const std::string& from_flag = "--format") {
  app.add_option("path", request.path, "directory or file of the dataset")->required()->type_name("PATH");
  app.add_option(from_flag, request.options.format,
                 fmt::format("format of the data: auto, {} [auto]", list_of(names_of(dataset_formats()))))
      ->type_name("NAME");
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
  app.add_option_function<std::string>(
         "--token-type",
         [&request](const std::string& text) {
           if (text != "auto" && text != "u16" && text != "u32") {
             throw unknown_name("--token-type", text, std::vector<std::string_view>{"auto", "u16", "u32"});
           }
           request.options.token_bytes = text == "u16" ? 2 : text == "u32" ? 4 : 0;
         },
         "tokens: stored type: auto, u16, u32; auto: as the index says, or u16 without an index [auto]")
      ->type_name("NAME");
  app.add_option("--tokenizer", request.options.tokenizer, "text: a SentencePiece model, or bytes [auto]")
      ->type_name("FILE|bytes");
  app.add_option("--text-key", request.options.text_key,
                 "text in JSON Lines: the member that holds the document [text]")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--documents",
         [&request](const std::string& text) {
           if (text != "lines" && text != "files") {
             throw unknown_name("--documents", text, std::vector<std::string_view>{"lines", "files"});
           }
           request.options.documents = text == "lines" ? TextDocuments::kLines : TextDocuments::kFiles;
         },
         "text: what a document is: lines, files [auto]")
      ->type_name("KIND");
  app.add_option("--hdf5-images", request.options.hdf5_images, "dataset of images in an HDF5 file [images]")
      ->type_name("NAME");
  app.add_option("--hdf5-labels", request.options.hdf5_labels, "dataset of labels in an HDF5 file [labels]")
      ->type_name("NAME");
}

void add_convert(CLI::App& data, Request& all) {
  CLI::App* convert = data.add_subcommand("convert", "Write the same samples in another format");
  auto& request = runs<ConvertRequest>(*convert, all, data_convert_verb);
  add_dataset_options(*convert, request.from, "--from-format");
  convert->add_option("destination", request.to, "file or directory to write; only an identical copy may exist there")
      ->required()
      ->type_name("DST");
  convert
      ->add_option("--format", request.format,
                   fmt::format("what to write: {} [by the destination's name]", list_of(names_of(convert_formats()))))
      ->type_name("TARGET");
  add_number(*convert, "--chunk", "hdf5: samples per chunk; 0: no chunks, so the file can be mapped",
             request.chunk_samples);
  add_number(*convert, "--gzip", "hdf5: compression level of chunks, 1 to 9; 0: off", request.gzip_level);
  add_number(*convert, "--shard", "webdataset, tfrecord: MiB per shard", request.shard_mebibytes);
  convert->add_flag("--decode", request.decode, "hdf5: store the pixels of encoded images, which have one size");
  convert
      ->add_option_function<std::string>(
          "--to-token-type",
          [&request](const std::string& text) {
            if (text != "u16" && text != "u32") {
              throw unknown_name("--to-token-type", text, std::vector<std::string_view>{"u16", "u32"});
            }
            request.token_bytes = text == "u16" ? 2 : 4;
          },
          "tokens: type to store: u16, u32 [that of the source; from text: u16 if its tokens fit]")
      ->type_name("u16|u32");
  convert->add_flag("--quiet,-q", request.quiet, "no progress");
}

}  // namespace

void add_data(CLI::App& app, Request& request) {
  CLI::App* data = app.add_subcommand("data", "Inspect, verify, make and convert datasets");
  CLI::App* info =
      data->add_subcommand("info", "Print format, count, shape, labels, fingerprint and page-cache residency");
  add_dataset_options(*info, tells<DataRequest>(*info, request, data_info_verb));
  CLI::App* verify = data->add_subcommand("verify", "Read and decode a whole dataset");
  add_dataset_options(*verify, tells<DataRequest>(*verify, request, data_verify_verb));
  CLI::App* make = data->add_subcommand("make", "Make a dataset from a seed, the same on every machine");
  auto& made = runs<MakeRequest>(*make, request, data_make_verb);
  make->add_option("kind", made.kind, fmt::format("what to make: {}", list_of(names_of(made_kinds()))))
      ->required()
      ->type_name("KIND");
  make->add_option("directory", made.directory,
                   "destination, a file for nbody in HDF5, a directory otherwise; only the same data may exist there")
      ->required()
      ->type_name("DIR");
  add_number(*make, "--samples", "training samples; the other split is extra [50000; photos 5000]",
             [&made](std::uint64_t number) { made.samples = number; });
  add_number(*make, "--seed", "seed of everything in the dataset", made.seed);
  add_number(
      *make, "--size",
      "nbody: values along each side of the cube, 36 bytes each [256]; tokens: tokens of the training split, "
      "rounded up to a multiple of 4,096 [16777216]; text: bytes of the training split, rounded up to a multiple "
      "of 16,384 [33554432; files 4194304]; photos: width in pixels, 4:3 [500]",
      [&made](std::uint64_t number) { made.size = number; });
  make->add_option("--from", made.from, "photos: directory of the photographs to cut them from")->type_name("DIR");
  make->add_option("--as", made.as,
                   fmt::format("format to write, one that can hold the kind: {} [the kind's own]",
                               list_of(names_of(convert_formats()))))
      ->type_name("TARGET");
  make->add_flag("--quiet,-q", made.quiet, "no progress");
  add_convert(*data, request);
}

void add_baseline(CLI::App& app, Request& all) {
  CLI::App* baseline = app.add_subcommand("baseline", "List, show and delete baselines, and show their history");
  CLI::App* list = baseline->add_subcommand("list", "List the kept baselines");
  list->add_flag("--json", tells<BaselineRequest>(*list, all, baseline_list_verb).json,
                 "print JSON, for other programs");
  const auto add_name = [](CLI::App& verb, BaselineRequest& request) {
    verb.add_option("name", request.names, "name of the baseline")->required()->expected(1)->type_name("NAME");
    add_colours(verb, request.colours, "Options");
  };
  CLI::App* show = baseline->add_subcommand("show", "Show a baseline the way `run` showed it");
  add_name(*show, tells<BaselineRequest>(*show, all, baseline_show_verb));
  CLI::App* removal = baseline->add_subcommand("delete", "Delete baselines, with their history");
  removal
      ->add_option("names", runs<BaselineRequest>(*removal, all, baseline_delete_verb).names, "names of the baselines")
      ->required()
      ->type_name("NAME");
  CLI::App* history =
      baseline->add_subcommand("history", "Walk through all results that had a name, and show the trend");
  auto& past = tells<BaselineRequest>(*history, all, baseline_history_verb);
  add_name(*history, past);
  add_number(*history, "--last", "number of results, including the current one", past.last);
  history->footer(
      "A result that --save-baseline replaces with --overwrite moves into the history of its name, which keeps the "
      "last hundred. A result that cannot be read is left out and named, and the exit code is then 1.");
}

void add_merge(CLI::App& app, Request& all) {
  CLI::App* merge = app.add_subcommand("merge", "Merge several results, such as those of a job array, into one");
  auto& request = runs<MergeRequest>(*merge, all, merge_verb);
  merge->add_option("results", request.results, "result files, at least two")->required()->type_name("FILE");
  merge->add_option("--output,-o", request.output, "result file; - for stdout [loadline-<run id>.json]")
      ->type_name("FILE");
  merge->add_flag("--overwrite", request.overwrite, "replace an existing result");
  merge->add_flag("--allow-mismatch", request.allow_mismatch, "also merge results of different builds and machines");
}

void add_export(CLI::App& app, Request& all) {
  CLI::App* exported = app.add_subcommand("export", "Convert a result, or its monitor's series, for other tools");
  auto& request = runs<ExportRequest>(*exported, all, export_verb);
  exported->add_option("result", request.result, "result file")->required()->type_name("FILE");
  exported
      ->add_option("directory", request.directory,
                   "tensorboard: directory for the event files; they go into a subdirectory named after the run")
      ->type_name("DIR");
  exported
      ->add_option("--to", request.to,
                   "benchy: a result for that tool's scripts; csv: the series of --monitor; tensorboard: event files")
      ->required()
      ->type_name("benchy|csv|tensorboard");
  exported->add_option("--output,-o", request.output, "benchy, csv: file to write; - for stdout [-]")
      ->type_name("FILE");
  exported->add_flag("--overwrite", request.overwrite, "benchy, csv: replace an existing file");
  exported->footer(
      "tensorboard: one run per cell, one step per trial, with the cell's settings as hyperparameters. Existing files "
      "are never replaced.");
}

void add_report(CLI::App& app, Request& all) {
  CLI::App* report = app.add_subcommand("report", "Make a page, a table or text from one or more results");
  auto& request = runs<ReportRequest>(*report, all, report_verb);
  report
      ->add_option(
          "results", request.results,
          "results of `run`, or of `train` (several are overlaid); or a study of `scale`; or recorded jobs, as text")
      ->required()
      ->type_name("RESULT");
  report->add_option("--output,-o", request.output, "file to write, - for stdout [stdout; html needs a file]")
      ->type_name("FILE");
  report->add_flag("--overwrite", request.overwrite, "replace an existing file");
  report->add_option("--format", request.format, "form of what is written [by the suffix of --output, or text]")
      ->type_name("html|markdown|csv|text");
  report->add_option("--title", request.title, "title of html and markdown [workloads, host and date]")
      ->type_name("TEXT");
  report->footer("html is one file and needs no network; csv has one row per trial and one column per setting.");
}

void add_list(CLI::App& app, Request& request) {
  CLI::App* list = app.add_subcommand("list", "Show workloads, loaders, computes, formats, kernels and baselines");
  list->add_flag("--json", tells<ListRequest>(*list, request, list_verb).json, "print JSON, for other programs");
}

void add_doctor(CLI::App& app, Request& request) {
  runs(*app.add_subcommand("doctor", "Show what is built in and what disturbs measurements on this machine"), request,
       [] {
         check_stdout();
         return doctor_verb();
       });
}

}  // namespace loadline
