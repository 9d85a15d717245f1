#include "harness/cli/scale_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "harness/cli/measuring_requests.h"
#include "harness/cli/verb_options.h"
#include "harness/plan/options.h"
#include "harness/plan/ranges.h"

namespace loadline {

void add_scale(CLI::App& app, Request& all) {
  CLI::App* verb =
      app.add_subcommand("scale", "Measure with several numbers of ranks, and show where scaling stops and why");
  auto& request = runs<ScaleRequest>(*verb, all, [&all](ScaleRequest& own) { return scale_as_asked(all, own); });
  const char* const group = "Scaling";
  verb->add_option("results", request.results, "results of runs with different numbers of ranks, instead of measuring")
      ->type_name("RESULT");
  verb->add_option_function<std::string>(
          "--ranks", [&request](const std::string& text) { request.ranks = expand_counts("--ranks", text); },
          "numbers of ranks to measure, such as 1,2,4; 1:8:*2 is a range")
      ->type_name("N,...")
      ->group(group);
  verb->add_option("--scaling", request.scaling,
                   "weak: --batch-size is per rank; strong: it is divided among the ranks [weak]")
      ->type_name("weak|strong")
      ->group(group);
  verb->add_option(
          "--launcher", request.launcher,
          "command that starts {ranks} processes [mpirun -n {ranks}; in a Slurm job srun --mpi=pmix --ntasks={ranks}]")
      ->type_name("'COMMAND'")
      ->group(group);
  verb->add_option_function<std::string>(
          "--efficiency",
          [&request](const std::string& text) { request.efficiency = parse_share("efficiency", text, 0.01, 1); },
          "smallest efficiency that counts as scaling: rate per rank over that with the fewest ranks [90%]")
      ->type_name("SHARE")
      ->group(group);
  verb->add_option("--output,-o", request.output,
                   "file of the study, for `loadline report`; with FILE.json the result of 4 ranks is FILE-4.json "
                   "[loadline-scaling-<run id>.json; none if results are given]")
      ->type_name("FILE")
      ->group("Output");
  verb->add_flag("--overwrite", request.overwrite, "replace an existing study of given results")->group("Output");
  verb->footer(
      "Each number of ranks is a separate `loadline run` with the options given here. If the command names --output, "
      "repeating it continues where it stopped.\n"
      "Exit codes: 0 ok, 1 failed, 2 usage, 129, 130 and 143 interrupted; trials so far are kept.");
  for (const OptionRow& row : run_options()) {
    if (is_for_scale(row)) add_row(*verb, row, all.given);
  }
}

bool is_for_scale(const OptionRow& row) {
  constexpr std::array<std::string_view, 5> kOwn{"rank", "world-size", "find", "part", "output"};
  return std::ranges::find(kOwn, row.name) == kOwn.end();
}

}  // namespace loadline
