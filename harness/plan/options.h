// The options of a run: one struct of plain values, and one table that everything else reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/plan/data_kinds.h"

namespace loadline {

// An option that holds one value but was given several: the run covers each of them, combined with all else.
struct Axis {
  std::string option;               // name of its row
  std::vector<std::string> values;  // at least two, as on the command line; for a flag, on and off

  bool operator==(const Axis&) const = default;
};

// The options of `loadline run`. An empty value keeps the workload's own value, if it has one. Lists are axes: every
// combination is run.
struct RunOptions {
  std::vector<std::string> workloads{"fashion-mnist"};
  std::vector<std::string> modes{"io", "synthetic", "full"};
  std::vector<std::string> loaders{"serial", "thread-pool"};
  std::vector<std::size_t> workers;      // empty: 1 and the CPUs in force
  std::vector<std::size_t> batch_sizes;  // samples; empty: the workload's
  std::vector<Axis> axes;  // options below with several values; the fields themselves hold the first value
  // Names of the options that were set one by one, by write_option(), rather than by a file that holds all of them.
  std::set<std::string_view> given;

  std::string data;   // path; empty: the workload's own
  std::string stage;  // node-local directory to copy the data to first; empty: no copy
  std::string format = "auto";
  std::string split = "train";
  std::string labels = "fine";
  std::string read = "pread";
  std::size_t reads_in_flight = 64;  // files requested at a time, with --read uring
  std::size_t read_ahead = 64;       // MiB of files requested but not yet decoded, with --read uring
  std::string cache = "warm";
  bool in_memory = false;
  std::string hdf5_images = "images";
  std::string hdf5_labels = "labels";
  std::size_t crops = 1024;  // samples per epoch
  std::string token_type = "auto";
  std::string tokenizer = "auto";  // or "bytes", or a file
  std::string text_key = "text";
  std::string documents = "auto";

  std::string dtype = "f32";
  std::string layout = "nchw";
  std::string normalise = "auto";           // auto: on for float types
  std::vector<double> mean;                 // per channel; empty: the workload's
  std::vector<double> stddev;               // per channel; empty: the workload's
  std::optional<std::size_t> crop_padding;  // pixels
  std::string flip = "auto";                // auto: as the workload says
  std::size_t image_size = 224;             // pixels
  std::string crop = "random-resized";
  std::string decoder = "jpeg";
  bool turn_upright = false;
  bool scaled_dct = false;
  std::string on_corrupt = "fail";
  std::size_t crop_edge = 64;  // values along each side
  std::string rotate = "on";
  std::size_t sequence_length = 256;  // tokens
  std::string sequences = "auto";     // auto: as the workload does
  std::string kernels = "auto";

  std::string order = "shuffled";
  std::size_t page_samples = 64;
  std::size_t window_samples = 4096;
  std::uint64_t seed = 1;
  std::size_t rank = 0;
  std::size_t world_size = 1;
  double rank_timeout = 30;
  bool drop_last = false;
  std::size_t bucket_batches = 0;

  std::optional<std::size_t> prefetch;  // batches; nullopt: as many as fit the last-level cache
  std::string delivery = "in-order";
  std::string stores = "auto";
  std::string compute;  // empty: the workload's
  std::string precision = "f32";
  std::string fusion = "on";
  std::optional<std::size_t> compute_threads;  // nullopt: the CPUs that the placement leaves to it
  std::string placement = "shared";

  std::vector<std::string> exclude;  // conditions (conditions.h)
  std::vector<std::string> filter;
  std::string part;  // "I/N": the I-th of N shares of the cells; several in a merge that lacks others; empty: all
  std::size_t max_cells = 1000;

  std::size_t trials = 5;
  double trial_seconds = 0.5;
  std::optional<std::size_t> trial_batches;  // in place of trial_seconds
  std::optional<std::size_t> warm_up_batches;
  std::optional<double> time_limit;  // seconds, for the whole run; nullopt: no limit
  std::optional<double> until_ci;    // share: half the width of the 95 % interval over the mean; nullopt: all `trials`
  std::size_t max_trials = 50;       // for a cell that has not reached `until_ci`
  double first_epoch_seconds = 2;    // at most; 0: not measured
  std::string ceilings = "on";

  std::optional<double> monitor;  // seconds between two samples; nullopt: no monitoring
  bool counters = false;

  std::optional<double> au;  // share; nullopt: utilisation is not judged
  bool check_verdict = false;
  std::string find;  // empty: no search

  std::string output;  // path, or - for stdout; empty: loadline-<run id>.json
  bool quiet = false;
};

using OptionField =
    std::variant<bool RunOptions::*, std::size_t RunOptions::*, std::optional<std::size_t> RunOptions::*,
                 std::vector<std::size_t> RunOptions::*, double RunOptions::*, std::optional<double> RunOptions::*,
                 std::vector<double> RunOptions::*, std::string RunOptions::*, std::vector<std::string> RunOptions::*>;

// One row per option: the parser, --help, the JSON echo and --config read it.
struct OptionRow {
  std::string_view name;  // --name on the command line; in JSON with _ for -
  std::string_view group;
  std::string_view value;  // placeholder in the help, with its unit; empty for a flag
  std::string_view help;
  OptionField field;
  std::vector<std::string_view> (*choices)() = nullptr;  // the words that a text may be; null: any text
  double least = 0;                                      // for numbers
  double most = 0;                                       // for numbers; 0: no limit
  bool axis = false;                                     // takes several values, each of which is run
  // The data that it applies to. An option that the user has given but no dataset of the run can use is refused
  // (refusals.h).
  DataKinds data = kAnyData;
  // What the lists of two such options on one command line mean together; null: the later option replaces the earlier.
  std::vector<std::string> (*together)(const std::vector<std::string>& earlier,
                                       const std::vector<std::string>& later) = nullptr;
};

std::span<const OptionRow> run_options();

// "batch_size" of --batch-size: its name in JSON, and the name of the cell setting that it sets.
std::string key_of(const OptionRow& row);

// Whether `loadline ceilings` takes the option: it takes those about what is loaded and how often that is measured,
// but not loader settings and computes.
bool is_for_ceilings(const OptionRow& row);

// Whether `loadline train` takes the option: it takes all except those about modes, sweeps, trials, verdicts and
// monitoring, and --rank-timeout.
bool is_for_training(const OptionRow& row);

// Whether `loadline ab` and `loadline aa` take the option: they take those about what is measured, how long a trial
// is and what is recorded of the machine, but not the number of trials or what is derived from them.
bool is_for_pairs(const OptionRow& row);

// Whether the option says which configurations a sweep has, and in which order --part divides them. The places of
// copies, which may be each task's own, do not.
bool makes_sweep(const OptionRow& row);

// The default, as the help shows it: "5", "serial,thread-pool".
std::string standard_text(const OptionRow& row, const RunOptions& defaults);

using OptionValue = std::variant<std::monostate, bool, std::size_t, double, std::string, std::vector<std::size_t>,
                                 std::vector<double>, std::vector<std::string>>;

// The value of one option; std::monostate if it is left to the workload.
OptionValue read_option(const RunOptions& options, const OptionRow& row);

// Sets one option from its text and adds it to `given`. If it is in `given` already, the text replaces what was given,
// or joins it (OptionRow::together). The text is as on the command line: commas separate list items, `all` means every
// word that the option takes, and 1:64:*2 is a range (ranges.h). A flag is on, off, true or false. Throws usage Error
// naming the option, the text and what is expected.
void write_option(RunOptions& options, const OptionRow& row, std::string_view text);

// The names of all kernels that --kernels asks for, with "auto" resolved for this CPU: "avx2", "scalar and avx2".
std::string kernels_in(const RunOptions& options);

// The items of a list of loaders, whose parameters may contain commas too: "serial,./mine.so:a=1,b=2" has two.
std::vector<std::string_view> loaders_in(std::string_view text);

// Parses a share from `least` to `most`: "0.05" or "5%". The Error names option --`name` and both limits.
double parse_share(std::string_view name, std::string_view text, double least, double most);

}  // namespace loadline
