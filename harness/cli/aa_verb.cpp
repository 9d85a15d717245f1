#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/cli/baselines.h"
#include "harness/cli/child_run.h"
#include "harness/cli/cli.h"
#include "harness/cli/exclusions.h"
#include "harness/cli/opening.h"
#include "harness/cli/output.h"
#include "harness/cli/progress.h"
#include "harness/cli/result_file.h"
#include "harness/cli/screen.h"
#include "harness/cli/side.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/diff_json.h"
#include "harness/judge/noise.h"
#include "harness/judge/phrase.h"
#include "harness/machine/run_id.h"
#include "harness/machine/system_files.h"
#include "harness/show/columns.h"
#include "harness/show/noise_text.h"
#include "loaders/error.h"
#include "loaders/printable.h"
#include "synthetic/clock.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

void check(const NoiseRequest& request) {
  if (request.pairs < kFewestNoisePairs) {
    throw usage_error(
        fmt::format("--pairs {}: want at least {}, because fewer say too little about how much runs differ",
                    request.pairs, kFewestNoisePairs));
  }
  if (request.trials < 1) throw usage_error("--trials 0: want at least 1");
}

// Two runs per pair, after a discarded one that lets caches and clocks settle; fewer when stopped.
std::vector<Result> measure(const NoiseRequest& request, const Side& side, const std::stop_token& stop) {
  ChildRuns runs(request.trials);
  Progress progress(request.run.options.quiet);
  SteadyClock clock;
  const Time begin = clock.now();
  if (!runs.run(side, stop)) return {};
  progress.milestone(fmt::format("{} of runs, about {:.0f} s", plural(request.pairs, "pair"),
                                 2 * static_cast<double>(request.pairs) * seconds(clock.now() - begin)));
  std::vector<Result> kept;
  for (std::size_t run = 0; run < 2 * request.pairs; ++run) {
    auto result = runs.run(side, stop);
    if (!result) break;
    kept.push_back(std::move(*result));
    if (run % 2 == 1) progress.milestone(fmt::format("pair {}/{}", run / 2 + 1, request.pairs));
  }
  return kept;
}

}  // namespace

int aa_verb(const std::function<NoiseRequest()>& ask) {
  Interrupt interrupt;
  const SteadyClock clock;
  Opening opening(nullptr, clock, interrupt.token(), [&] { return interrupt.signal(); });
  NoiseRequest request;
  std::optional<Side> made;
  OutputRules rules;
  const std::string& output = request.run.options.output;
  opening.run([&] {
    request = ask();
    check(request);
    made = make_side(request.run.options, request.words, "aa", "", "");
    const Plan plan = make_plan(made->options, this_context());
    tell_idle_exclusions(std::span(&plan, 1));
    rules = output_rules(request.run, plan.cells);
  });
  if (!made) return opening.interrupted();
  const Side& side = *made;
  const Environment environment = this_environment();
  const fs::path path =
      !output.empty() ? fs::path(output) : noise_path(environment.machine.hostname.value_or("unknown"));
  std::optional<ResultFile> file;
  if (!output.empty())
    file.emplace(output, rules);
  else
    check_keepable(path);
  const std::vector<Result> runs = measure(request, side, interrupt.token());
  if (runs.size() < 2 * request.pairs)
    return interrupted(interrupt, "a noise floor needs all pairs; no file was written");
  NoiseFloor noise = noise_floor(runs, environment);
  noise.measured = utc_timestamp(std::chrono::system_clock::now());
  noise.boost = cpu_boost(SystemFiles());
  const bool to_stdout = file && file->to_stdout();
  std::FILE* const out = to_stdout ? stderr : stdout;
  put_text(out, noise_text(noise, width_of(out)));
  if (const std::string poor = poor_noise(noise); !poor.empty()) {
    throw Error(fmt::format(
        "{}; no file was written; measure again on an idle machine, with more --trials or with longer --trial-seconds",
        poor));
  }
  put_text(stderr, noise_warning(noise));
  if (file) {
    file->finish(noise_json(noise));
  } else {
    keep(path, noise_json(noise));
  }
  if (!file || file->can_be_read_again()) put(stdout, fmt::format("\nnoise floor: {}\n", printable(path.string())));
  return kExitOk;
}

}  // namespace loadline
