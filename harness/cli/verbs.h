// The verbs of the command line: each is a function of parsed options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/screen.h"
#include "harness/forecast/forecast.h"
#include "harness/plan/options.h"
#include "harness/result/result.h"
#include "loaders/datasets/dataset.h"
#include "loaders/storage/file_stamp.h"

namespace loadline {

class RankSession;

struct RunRequest {
  RunOptions options;
  std::vector<std::string> arguments;      // of the command line
  std::string resume;                      // result to continue and to write to; empty: none
  std::optional<Result> earlier;           // its contents; nullopt: it does not exist yet
  std::optional<FileStamp> earlier_stamp;  // of the file, when it was read
  std::string config;                      // file that options came from; empty or -: none
  bool overwrite = false;                  // a complete result at options.output, or a baseline
  bool allow_mismatch = false;             // with `resume`: the builds may differ
  bool dry_run = false;
  bool dump_config = false;
  std::string baseline;          // name of the baseline to compare with afterwards; empty: none
  std::string save_baseline;     // name to keep the result under; empty: none
  std::string trace;             // file for traced trials; empty: none
  std::size_t trace_trials = 1;  // per cell, with `trace`
  RankSession* ranks = nullptr;  // of this run; null: a single process
  std::string summary;           // tool whose summary lines follow the figures; empty: none
  Colours colours = Colours::kAuto;
  bool details = false;  // all figures and warnings rather than a summary
};

// How results are compared.
struct JudgeRequest {
  std::string metric = "samples_per_second";
  std::optional<double> margin;  // share; nullopt: the default
  double alpha = 0.05;
  std::string noise;    // file of `loadline aa`, or "none"; empty: the host's, if it exists
  std::string fail_on;  // "regression" or "inconclusive"; empty: regression
  bool allow_mismatch = false;
};

struct DiffRequest {
  JudgeRequest judging;
  std::vector<std::string> files;  // the base first, unless it is a baseline
  std::string baseline;            // name
  std::string save_baseline;       // name
  std::string by;                  // setting
  std::string base_value;          // of that setting
  bool paired = false;
  bool each = false;                // each against the base, instead of a walk
  std::vector<std::string> across;  // settings
  bool allow_missing = false;
  std::string format = "text";
  std::string output;      // path; empty: stdout
  bool overwrite = false;  // a file at `output`, or a baseline
  Colours colours = Colours::kAuto;
};

// Two sides, measured in alternation.
struct PairsRequest {
  RunRequest run;
  std::vector<std::string> words;  // of the command line: the options that both sides share
  JudgeRequest judging;
  std::string base;  // options of one side alone
  std::string changed;
  std::string base_binary;  // empty: this program
  std::string changed_binary;
  bool processes = false;  // each trial in its own process
  std::size_t pairs = 20;
  std::string format = "text";
};

// One side, measured again and again.
struct NoiseRequest {
  RunRequest run;
  std::vector<std::string> words;  // as above
  std::size_t pairs = 10;          // of runs
  std::size_t trials = 5;          // of each cell in each run
};

struct TrainRequest {
  std::size_t epochs = 3;
  std::string tensorboard;  // directory for event files; empty: write none
};

struct CheckRequest {
  std::string loader;      // by name, or a plug-in by its path
  std::size_t epochs = 2;  // per number of workers
};

struct DataRequest {
  std::string path;
  DatasetOptions options;
};

struct MakeRequest {
  std::string kind;
  std::string directory;
  std::optional<std::uint64_t> samples;  // nullopt: the kind's own
  std::uint64_t seed = 1;
  std::string from;                   // directory of photographs
  std::optional<std::uint64_t> size;  // of a volume
  std::string as;                     // row of convert_formats(); empty: the first of the kind's own
  bool quiet = false;
};

struct ConvertRequest {
  DataRequest from;
  std::string to;
  std::string format;               // empty: from the name of `to`
  std::uint64_t chunk_samples = 0;  // 0: one chunk
  std::uint64_t gzip_level = 0;
  std::uint64_t shard_mebibytes = 256;
  bool decode = false;
  std::size_t token_bytes = 0;  // of each token to write; 0: as in the source
  bool quiet = false;
};

struct MergeRequest {
  std::vector<std::string> results;  // files
  std::string output;                // file, or - for stdout; empty: loadline-<run id>.json
  bool overwrite = false;
  bool allow_mismatch = false;
};

struct ExportRequest {
  std::string result;     // file
  std::string to;         // whose format
  std::string directory;  // for an export of several files
  std::string output;     // path for an export of one file, or - for stdout; empty: stdout
  bool overwrite = false;
};

// Results kept by name.
struct BaselineRequest {
  std::vector<std::string> names;
  std::size_t last = 10;  // results of a history
  bool json = false;
  Colours colours = Colours::kAuto;
};

struct ListRequest {
  bool json = false;
};

struct ReportRequest {
  std::vector<std::string> results;  // files
  std::string output;                // path, or - for stdout; empty: stdout, if the format suits it
  bool overwrite = false;
  std::string format;  // empty: by the ending of `output`
  std::string title;   // of a page; empty: workload, host and date
};

// What a measured loader and step would deliver elsewhere.
struct ForecastVerbRequest {
  std::vector<std::string> results;  // files
  std::vector<std::string> figures;  // of other tools, in place of results
  std::string cell;                  // part of a cell's name; empty: a result's only configuration, or its headline
  std::optional<double> sample_bytes;
  std::optional<double> sample_requests;
  std::optional<double> gradient_bytes;
  ForecastRequest forecast;
  std::string format;  // empty: by the suffix of `output`, or text
  std::string output;  // path, or - for stdout; empty: stdout
  bool overwrite = false;
};

// The same run with several numbers of ranks.
struct ScaleRequest {
  std::vector<std::string> results;  // files of runs already measured; empty: measure them now
  std::vector<std::size_t> ranks;
  std::string scaling;      // "weak" or "strong"; empty: as the results are, or weak
  std::string launcher;     // command that contains {ranks}; empty: srun in a Slurm job, mpirun elsewhere
  double efficiency = 0.9;  // the least that counts as scaling
  RunOptions options;
  std::vector<std::string> words;  // of the command line: the options of each run
  std::string output;              // path of the study; empty: a new one, or no file if results are given
  bool overwrite = false;
};

// Reads the result that request.resume names, if it exists, and takes over its options; the result goes to the same
// file. Throws Error if the run cannot be continued.
void load_earlier(RunRequest& request);

// Each returns an exit code and throws Error on failure.
int run_verb(const RunRequest& request);
int ceilings_verb(const RunRequest& request);                             // uses the options that are is_for_ceilings()
int train_verb(const RunRequest& request, const TrainRequest& training);  // those is_for_training()
int check_verb(const RunRequest& request, const CheckRequest& checking);
int report_verb(const ReportRequest& request);
int forecast_verb(const ForecastVerbRequest& request);
int scale_verb(const ScaleRequest& request);
// These two use the options that are is_for_pairs(). `ask` makes the request, which may import functions of the user.
int ab_verb(const std::function<PairsRequest()>& ask);
int aa_verb(const std::function<NoiseRequest()>& ask);
int diff_verb(const DiffRequest& request);
int list_verb(const ListRequest& request);
int doctor_verb();  // takes a second
// Lines of text: which loadline this is, what it was built with and what was left out.
std::string build_text(const Build& build);
int baseline_list_verb(const BaselineRequest& request);
int baseline_show_verb(const BaselineRequest& request);
int baseline_delete_verb(const BaselineRequest& request);
int baseline_history_verb(const BaselineRequest& request);
int data_info_verb(const DataRequest& request);
int data_verify_verb(const DataRequest& request);
int data_make_verb(const MakeRequest& request);
int data_convert_verb(const ConvertRequest& request);
int merge_verb(const MergeRequest& request);
int export_verb(const ExportRequest& request);

// "loadline: <sentence>" on stderr.
void print_error(std::string_view sentence);

}  // namespace loadline
