#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "harness/cli/baselines.h"
#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/judging.h"
#include "harness/cli/reporter.h"
#include "harness/cli/result_file.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/cli/words.h"
#include "harness/measure/pairs.h"
#include "harness/measure/prepare.h"
#include "harness/measure/run.h"
#include "harness/measure/schedule.h"
#include "harness/plan/workloads.h"
#include "harness/result/diff_json.h"
#include "harness/result/result_json.h"
#include "harness/result/result_reader.h"
#include "harness/result/run_id.h"
#include "harness/result/threads.h"
#include "harness/show/columns.h"
#include "harness/show/diff_text.h"
#include "harness/show/noise_text.h"
#include "harness/show/table.h"
#include "loaders/error.h"
#include "loaders/storage/affinity.h"
#include "loaders/transforms/kernels.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// One of the two.
struct Side {
  std::string_view option;  // that its own options were given by
  RunOptions options;
  std::vector<std::string> words;  // of a command line
  std::string binary;
};

struct Measured {
  Sides sides;
  bool complete = false;
};

// What this program runs as, whatever it was called by.
constexpr const char* kThisProgram = "/proc/self/exe";

std::string timestamp() {
  return utc_timestamp(std::chrono::system_clock::now());
}

std::string new_run_id() {
  return make_run_id(std::chrono::system_clock::now(), std::random_device{}());
}

Side side_of(const PairsRequest& request, std::string_view option, const std::string& text, const std::string& binary) {
  Side side{.option = option, .options = request.run.options, .words = request.words, .binary = binary};
  const auto words = split_words(option, text);
  apply_words(option, words, side.options);
  side.words.insert(side.words.end(), words.begin(), words.end());
  if (side.binary.empty()) side.binary = kThisProgram;
  return side;
}

Result begin_result(const PairsRequest& request, const RunOptions& options) {
  Result result;
  result.run_id = new_run_id();
  result.started = timestamp();
  result.arguments = request.run.arguments;
  result.options = options;
  result.options.trials = request.pairs;
  result.kernels = kernels_named(options.kernels).name;
  result.environment = this_environment();
  return result;
}

// In this process.
Measured measure_here(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt) {
  SteadyClock clock;
  Result both = begin_result(request, base.options);
  const Plan plan =
      plan_pairs(base.options, changed.options,
                 {.threads_in_force = threads_in_force(), .cpus = affinity_cpus(), .data_directory = data_directory()});
  Reporter reporter(both.options, nullptr, clock);
  RunContext context{.clock = clock, .stop = interrupt.token(), .observer = reporter};
  Measured measured;
  if (prepare_run(plan, both, context)) {
    reporter.expect(schedule_of(both, both.options, true, 0));
    reporter.progress().milestone(fmt::format("{} of {}, after one that is not kept", plural(request.pairs, "pair"),
                                              plural(both.cells.size() / 2, "cell")));
    measured.complete = run_pairs(request.pairs, both, context);
  }
  both.status = measured.complete ? Status::kComplete : Status::kPartial;
  both.finished = timestamp();
  RunOptions others = changed.options;
  others.trials = request.pairs;
  measured.sides = split_sides(both, both.options, others, new_run_id());
  return measured;
}

// A directory that is gone when this is.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "loadline-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error(fmt::format("cannot make a directory like {}", pattern));
    path_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// One trial of each cell in a process of its own; none where that was stopped.
std::optional<Result> run_once(const Side& side, const fs::path& file, const std::stop_token& stop) {
  std::vector<std::string> words{side.binary, "run"};
  words.insert(words.end(), side.words.begin(), side.words.end());
  for (const char* word : {"--trials", "1", "--ceilings", "off", "--first-epoch-seconds", "0", "--quiet", "--output"}) {
    words.emplace_back(word);
  }
  words.push_back(file.string());
  const int code = run_child(words, stop);
  if (stop.stop_requested()) return std::nullopt;
  if (code != 0) throw Error(fmt::format("{}: {} run ended with exit code {}", side.option, side.binary, code));
  return load_result(file);
}

// Takes the trials of a further run of the same.
void append(Result& result, const Result& further, std::size_t round, std::string_view option) {
  const bool same = std::ranges::equal(
      result.cells, further.cells, {}, [](const CellResult& c) { return c.cell.name(); },
      [](const CellResult& c) { return c.cell.name(); });
  if (!same) throw Error(fmt::format("{}: one run of it had other cells than the next", option));
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    for (Trial trial : further.cells[i].trials) {
      trial.round = round;
      trial.place = round * result.cells.size() + trial.place;
      result.cells[i].trials.push_back(std::move(trial));
    }
  }
}

// Each trial in a process of its own.
Measured measure_in_processes(const PairsRequest& request, const Side& base, const Side& changed,
                              Interrupt& interrupt) {
  const Scratch scratch;
  Progress progress(request.run.options.quiet);
  std::optional<Result> results[2];
  const Side* sides[2]{&base, &changed};
  Measured measured;
  measured.complete = true;
  // One pair more, as in this process.
  for (std::size_t pair = 0; pair <= request.pairs && measured.complete; ++pair) {
    for (const std::size_t i : pair_order(request.run.options.seed, pair, 1)) {
      const auto result = run_once(*sides[i], scratch.path() / "result.json", interrupt.token());
      if (!result) {
        measured.complete = false;
        break;
      }
      if (pair == 0) continue;
      if (!results[i]) {
        results[i] = *result;
        for (CellResult& cell : results[i]->cells) cell.trials.clear();
      }
      append(*results[i], *result, pair - 1, sides[i]->option);
    }
    if (measured.complete && pair > 0) progress.milestone(fmt::format("pair {}/{}", pair, request.pairs));
  }
  if (!results[0] || !results[1]) return measured;
  for (auto& result : results) {
    result->options.trials = request.pairs;
    result->status = measured.complete ? Status::kComplete : Status::kPartial;
    result->finished = timestamp();
    result->arguments = request.run.arguments;
  }
  measured.sides = {.base = std::move(*results[0]), .changed = std::move(*results[1])};
  return measured;
}

void check(const PairsRequest& request) {
  if (request.pairs < 2)
    throw usage_error(fmt::format("--pairs {}: want at least 2, one has no interval", request.pairs));
  metric_named(request.judging.metric);
}

Measured measure(const PairsRequest& request, const Side& base, const Side& changed, Interrupt& interrupt) {
  const bool processes = request.processes || base.binary != kThisProgram || changed.binary != kThisProgram;
  return processes ? measure_in_processes(request, base, changed, interrupt)
                   : measure_here(request, base, changed, interrupt);
}

// "out" of "out.json".
std::string stem_of(const std::string& output) {
  static constexpr std::string_view kEnding = ".json";
  return output.ends_with(kEnding) ? output.substr(0, output.size() - kEnding.size()) : output;
}

void throw_first_failure(const Result& result) {
  for (const CellResult& cell : result.cells) {
    if (cell.error) throw Error(fmt::format("{}: {}", cell.cell.name(), *cell.error));
  }
}

int interrupted(const Interrupt& interrupt, const std::string& what_is_kept) {
  print_error(fmt::format("interrupted; {}", what_is_kept));
  return 128 + interrupt.signal();
}

bool has_trials(const Result& result) {
  return std::ranges::any_of(result.cells, [](const CellResult& cell) { return !cell.trials.empty(); });
}

}  // namespace

int ab_verb(const PairsRequest& request) {
  check(request);
  if (request.run.options.output == "-") throw usage_error("--output -: ab writes two results, give it a file");
  const Side base = side_of(request, "--base", request.base, request.base_binary);
  const Side changed = side_of(request, "--new", request.changed, request.changed_binary);
  if (base.words == changed.words && base.binary == changed.binary) {
    throw usage_error("--base and --new: they do not differ; `loadline aa` measures what that comes to");
  }
  Interrupt interrupt;
  const std::string stem = request.run.options.output.empty() ? fmt::format("loadline-{}", new_run_id())
                                                              : stem_of(request.run.options.output);
  const ResultFile base_file(stem + "-base.json");
  const ResultFile changed_file(stem + "-new.json");
  const auto [sides, complete] = measure(request, base, changed, interrupt);
  if (!has_trials(sides.base) || !has_trials(sides.changed)) {
    if (interrupt.signal() != 0) return interrupted(interrupt, "nothing was measured and no result written");
    throw_first_failure(sides.base);
    throw_first_failure(sides.changed);
  }
  base_file.finish(sides.base, judge_run(sides.base));
  changed_file.finish(sides.changed, judge_run(sides.changed));
  if (!complete) {
    return interrupted(interrupt,
                       fmt::format("what was measured so far is in {} and {}", base_file.path(), changed_file.path()));
  }
  const std::vector diffs{diff_pairs({base_file.path(), sides.base}, {changed_file.path(), sides.changed},
                                     diff_options(request.judging, sides.base))};
  put(stdout, format_diff(request.format, diffs));
  throw_first_failure(sides.base);
  throw_first_failure(sides.changed);
  return exit_code(request.judging, diffs);
}

int aa_verb(const PairsRequest& request) {
  check(request);
  const Side side = side_of(request, "--base", "", "");
  Interrupt interrupt;
  const auto hostname = this_environment().machine.hostname;
  const fs::path path = !request.run.options.output.empty() ? fs::path(request.run.options.output)
                                                            : noise_path(hostname.value_or("unknown"));
  std::optional<ResultFile> file;
  if (!request.run.options.output.empty()) file.emplace(request.run.options.output);
  const auto [sides, complete] = measure(request, side, side, interrupt);
  if (!complete) return interrupted(interrupt, "a noise floor needs all pairs, none was written");
  throw_first_failure(sides.base);
  throw_first_failure(sides.changed);
  DiffOptions options = diff_options(request.judging, sides.base);
  options.noise.reset();
  const ResultDiff diff = diff_pairs({"one side", sides.base}, {"the other", sides.changed}, options);
  NoiseFloor noise = noise_floor(diff, sides.base);
  noise.measured = timestamp();
  noise.trial_seconds = request.run.options.trial_seconds;
  noise.pairs = request.pairs;
  put(file && file->to_stdout() ? stderr : stdout, noise_text(noise));
  put(stderr, noise_warning(noise));
  if (file) {
    file->finish(noise_json(noise));
  } else {
    keep(path, noise_json(noise));
  }
  if (!file || !file->to_stdout()) put(stdout, fmt::format("\nnoise floor: {}\n", path.string()));
  return kExitOk;
}

}  // namespace loadline
