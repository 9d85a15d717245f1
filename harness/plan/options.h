// What a run can be asked for: one struct of plain values, one table that everything else reads.
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

// An option that has one value at a time was given several: each is run with all else.
struct Axis {
  std::string option;               // name of its row
  std::vector<std::string> values;  // at least two, as on the command line; of a flag, on and off

  bool operator==(const Axis&) const = default;
};

// The options of `loadline run`. Where a workload has a value of its own, an empty one here leaves it alone.
// Lists are axes: every combination is run.
struct RunOptions {
  std::vector<std::string> workloads{"fashion-mnist"};
  std::vector<std::string> modes{"io", "synthetic", "full"};
  std::vector<std::string> loaders{"serial", "thread-pool"};
  std::vector<std::size_t> workers;      // empty: 1 and the CPUs in force
  std::vector<std::size_t> batch_sizes;  // samples; empty: the workload's
  std::vector<Axis> axes;                // of the options below, which have the first value of each
  // Names of the options that were given one by one, by write_option(), rather than by a file that has them all.
  std::set<std::string_view> given;

  std::string data;   // path; empty: the workload's place
  std::string stage;  // directory of the node to copy the data to first; empty: it is read where it lies
  std::string format = "auto";
  std::string split = "train";
  std::string labels = "fine";
  std::string read = "pread";
  std::size_t reads_in_flight = 64;  // files asked for at a time, of --read uring
  std::size_t read_ahead = 64;       // MiB of files asked for and not decoded yet, of --read uring
  std::string cache = "warm";
  bool in_memory = false;
  std::string hdf5_images = "images";
  std::string hdf5_labels = "labels";
  std::size_t crops = 1024;  // samples an epoch
  std::string token_type = "auto";
  std::string tokenizer = "auto";  // or "bytes", or a file
  std::string text_key = "text";
  std::string documents = "auto";

  std::string dtype = "f32";
  std::string layout = "nchw";
  std::string normalise = "auto";           // auto: on for float types
  std::vector<double> mean;                 // a channel; empty: the workload's
  std::vector<double> stddev;               // a channel; empty: the workload's
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

  std::optional<std::size_t> prefetch;  // batches; nullopt: as many as suit the last-level cache
  std::string delivery = "in-order";
  std::string stores = "auto";
  std::string compute;  // empty: the workload's
  std::string precision = "f32";
  std::string fusion = "on";
  std::optional<std::size_t> compute_threads;  // nullopt: the CPUs that the placement leaves it
  std::string placement = "shared";

  std::vector<std::string> exclude;  // conditions, as conditions.h has them
  std::vector<std::string> filter;
  std::string part;  // "I/N": the I-th of N shares of the cells; empty: all
  std::size_t max_cells = 1000;

  std::size_t trials = 5;
  double trial_seconds = 0.5;
  std::optional<std::size_t> trial_batches;  // in place of trial_seconds
  std::optional<std::size_t> warm_up_batches;
  std::optional<double> time_limit;  // seconds, of the whole run; nullopt: as long as it takes
  std::optional<double> until_ci;    // share: half the width of the 95 % interval over the mean; nullopt: all `trials`
  std::size_t max_trials = 50;       // of a cell that has not reached `until_ci`
  double first_epoch_seconds = 2;    // at the most; 0: not measured
  std::string ceilings = "on";

  std::optional<double> monitor;  // seconds between two samples; nullopt: the machine is not watched
  bool counters = false;

  std::optional<double> au;  // share; nullopt: utilisation is not judged
  bool check_verdict = false;
  std::string find;  // empty: nothing is searched for

  std::string output;  // path, or - for stdout; empty: loadline-<run id>.json
  bool quiet = false;
};

using OptionField =
    std::variant<bool RunOptions::*, std::size_t RunOptions::*, std::optional<std::size_t> RunOptions::*,
                 std::vector<std::size_t> RunOptions::*, double RunOptions::*, std::optional<double> RunOptions::*,
                 std::vector<double> RunOptions::*, std::string RunOptions::*, std::vector<std::string> RunOptions::*>;

// One row an option: the parser, --help, the JSON echo and --config read it.
struct OptionRow {
  std::string_view name;  // --name on the command line; in JSON with _ for -
  std::string_view group;
  std::string_view value;  // placeholder in the help, with its unit; empty for a flag
  std::string_view help;
  OptionField field;
  std::vector<std::string_view> (*choices)() = nullptr;  // the words a text may be; null: any
  double least = 0;                                      // of a number
  double most = 0;                                       // of a number; 0: no limit
  bool axis = false;                                     // takes several values, of which each is run
  // What it applies to. One that no dataset of the run can use is refused, if the user has given it (refusals.h).
  DataKinds data = kAnyData;
};

std::span<const OptionRow> run_options();

// "batch_size" of --batch-size: its name in JSON, and that of the setting of cells that it makes.
std::string key_of(const OptionRow& row);

// Whether `loadline ceilings` takes the option: those about what is loaded and how often it is measured, but not about
// loaders' own settings and computes.
bool is_for_ceilings(const OptionRow& row);

// Whether `loadline train` takes the option: all except those about modes and trials.
bool is_for_training(const OptionRow& row);

// Whether `loadline ab` and `loadline aa` take the option: what is measured and how long a trial is, not how many there
// are nor what else is made of them, but what the machine did meanwhile.
bool is_for_pairs(const OptionRow& row);

// What stands in for an option that was not given, for the help: "5", "serial,thread-pool", "the workload's".
std::string standard_text(const OptionRow& row);

using OptionValue = std::variant<std::monostate, bool, std::size_t, double, std::string, std::vector<std::size_t>,
                                 std::vector<double>, std::vector<std::string>>;

// The value of one option; std::monostate where it is left to the workload.
OptionValue read_option(const RunOptions& options, const OptionRow& row);

// Sets one option from its text, and notes in `given` that it was given. The text is as on the command line: list
// items are separated by commas, `all` are all the words that it may be, and 1:64:*2 is a range (ranges.h). A flag is
// on or off, true or false. Throws usage Error naming the option, the text and what is wanted.
void write_option(RunOptions& options, const OptionRow& row, std::string_view text);

// A share from `least` to `most`, which stand in the refusal, as of an option --`name`: "0.05" or "5%".
double parse_share(std::string_view name, std::string_view text, double least, double most);

}  // namespace loadline
