#include "harness/cli/measuring_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/all_loaders.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/side.h"
#include "harness/file/result_json.h"
#include "harness/machine/threads.h"
#include "harness/plan/options.h"
#include "harness/plan/script_workload.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

// A pipe has no known size: `loadline run --dump-config | loadline run --config -`.
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

bool is_given(const Request& request, std::string_view option) {
  return std::ranges::any_of(request.given, [&](const auto& one) { return one.first->name == option; });
}

// As a word of a command line.
std::string word_of(const OptionRow& row, const std::string& text) {
  const bool bare = row.value.empty() && (text == "on" || text == "true");
  return bare ? fmt::format("--{}", row.name) : fmt::format("--{}={}", row.name, text);
}

// Fills request.run.options for two sides, and returns the words that say the same. `have_workers`: whether the loaders
// of all sides have workers.
std::vector<std::string> ask_for_pairs(Request& request, const std::function<bool(const RunOptions&)>& have_workers) {
  std::vector<std::string> words{"--mode", "io,full", "--loader", "thread-pool"};
  RunOptions& options = request.run.options;
  options = defaults_of_pairs();
  if (is_given(request, "trial-batches")) options.trial_seconds = RunOptions().trial_seconds;  // it takes its place
  for (const auto& [row, text] : request.given) {
    write_option(options, *row, text);
    if (row->name != "output" && row->name != "quiet") words.push_back(word_of(*row, text));
  }
  if (!is_given(request, "workers") && have_workers(options)) {
    options.workers = {threads_in_force()};
    words.insert(words.end(), {"--workers", fmt::format("{}", threads_in_force())});
  }
  if (!options.trial_batches) {
    words.insert(words.end(), {"--trial-seconds", fmt::format("{}", options.trial_seconds)});
  }
  return words;
}

void read_resumed_and_config(RunRequest& run) {
  if (!run.resume.empty()) load_earlier(run);
  if (run.config.empty()) return;
  apply_config(config_text(run.config), run.config == "-" ? "stdin" : run.config, run.options);
}

void write_given(const Request& request, RunOptions& options) {
  for (const auto& [row, text] : request.given) write_option(options, *row, text);
}

// With the other ranks, if there are any.
int measure_as_asked(Request& request, int (*verb)(const RunRequest&)) {
  const auto measure = [&] {
    read_resumed_and_config(request.run);
    write_given(request, request.run.options);
    keep_loaders_that_can_read(request.run);
    if (request.run.ranks != nullptr) request.run.ranks->share_request(request.run);
    return verb(request.run);
  };
  const auto launch = launch_of_run(is_given(request, "rank") || is_given(request, "world-size"));
  if (!launch) return measure();
  // What a configuration file adds is known only when everything is combined.
  RunOptions words;
  for (const auto& [row, text] : request.given) {
    if (row->name == "rank-timeout") write_option(words, *row, text);
  }
  RankSession session(*launch, words.rank_timeout);
  request.run.ranks = &session;
  return session.run(measure);
}

}  // namespace

RunOptions defaults_of_training() {
  RunOptions options;
  options.loaders = {"thread-pool"};
  return options;
}

RunOptions defaults_of_pairs() {
  RunOptions options;
  options.modes = {"io", "full"};
  options.loaders = {"thread-pool"};
  options.trial_seconds = 0.25;
  return options;
}

int run_as_asked(Request& request) {
  return measure_as_asked(request, run_verb);
}

int ceilings_as_asked(Request& request) {
  return measure_as_asked(request, ceilings_verb);
}

int train_as_asked(Request& request, const TrainRequest& training) {
  // Training has exactly one configuration and one compute.
  RunOptions& options = request.run.options;
  options = defaults_of_training();
  read_resumed_and_config(request.run);
  write_given(request, options);
  if (options.compute.empty()) {
    options.compute = workload_named(options.workloads.front()).tokens ? "gpt" : "cnn";
  }
  return train_verb(request.run, training);
}

int check_as_asked(Request& request, const CheckRequest& checking) {
  write_given(request, request.run.options);
  return check_verb(request.run, checking);
}

int ab_as_asked(Request& request, PairsRequest& pairs) {
  return ab_verb([&] {
    // A side may name another loader than the common one.
    pairs.words = ask_for_pairs(request, [&](const RunOptions& common) {
      return has_workers(make_side(common, {}, "--base", pairs.base, pairs.base_binary).options) &&
             has_workers(make_side(common, {}, "--new", pairs.changed, pairs.changed_binary).options);
    });
    pairs.run = request.run;
    return pairs;
  });
}

int aa_as_asked(Request& request, NoiseRequest& noise) {
  return aa_verb([&] {
    noise.words = ask_for_pairs(request, has_workers);
    noise.run = request.run;
    return noise;
  });
}

int scale_as_asked(Request& request, ScaleRequest& scale) {
  for (const auto& [row, text] : request.given) {
    write_option(scale.options, *row, text);
    if (row->name != "quiet") scale.words.push_back(word_of(*row, text));
  }
  return scale_verb(scale);
}

}  // namespace loadline
