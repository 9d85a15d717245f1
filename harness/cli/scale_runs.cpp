#include "harness/cli/scale_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/cli/scale_options.h"
#include "harness/cli/words.h"
#include "harness/judge/scaling_study.h"
#include "harness/plan/conditions.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::string_view kRanksPlace = "{ranks}";

RunOptions options_of_ranks(const ScaleRequest& request, std::size_t ranks) {
  RunOptions options = request.options;
  if (const auto batch = batch_of_rank(request, ranks)) options.batch_sizes = {*batch};
  return options;
}

// Whether the rank, or the CPUs that it has, decide if a cell meets the conditions.
bool is_up_to_ranks(const std::string& conditions, const RunOptions& options) {
  return std::ranges::any_of(parse_conditions("--exclude", conditions), [&](const Condition& one) {
    const SettingRow& setting = *one.setting;
    return setting.part == SettingPart::kMachine || setting.name == "rank" ||
           (setting.name == "workers" && options.workers.empty()) ||
           (setting.name == "compute_threads" && !options.compute_threads);
  });
}

}  // namespace

std::string result_of_ranks(const std::string& output, std::size_t ranks) {
  static constexpr std::string_view kEnding = ".json";
  const std::string stem = output.ends_with(kEnding) ? output.substr(0, output.size() - kEnding.size()) : output;
  return fmt::format("{}-{}.json", stem, ranks);
}

std::optional<std::size_t> batch_of_rank(const ScaleRequest& request, std::size_t ranks) {
  if (request.scaling != name(ScalingKind::kStrong)) return std::nullopt;
  if (request.options.batch_sizes.size() != 1) {
    throw usage_error("--scaling strong: want one --batch-size, which all ranks share");
  }
  const std::size_t batch = request.options.batch_sizes.front();
  if (batch % ranks != 0) {
    throw usage_error(fmt::format("--scaling strong: {} ranks cannot share a batch of {} evenly", ranks, batch));
  }
  return batch / ranks;
}

std::string default_launcher(const Variables& variables) {
  if (!variables("SLURM_JOB_ID")) return "mpirun -n {ranks}";
  // srun takes no --cpus-per-task from the job since Slurm 22.05.
  const auto cpus = variables("SLURM_CPUS_PER_TASK");
  return "srun --mpi=pmix --ntasks={ranks}" + (cpus ? " --cpus-per-task=" + *cpus : "");
}

std::vector<std::string> command_of_ranks(const ScaleRequest& request, const std::string& launcher,
                                          const std::vector<std::string>& program, std::size_t ranks,
                                          const std::string& file) {
  std::vector<std::string> words = split_words("--launcher", launcher);
  bool placed = false;
  for (std::string& word : words) {
    for (auto at = word.find(kRanksPlace); at != std::string::npos; at = word.find(kRanksPlace)) {
      word.replace(at, kRanksPlace.size(), fmt::format("{}", ranks));
      placed = true;
    }
  }
  if (!placed)
    throw usage_error(
        fmt::format("--launcher: want {} in place of the number of ranks, got '{}'", kRanksPlace, launcher));
  words.insert(words.end(), program.begin(), program.end());
  words.emplace_back("run");
  words.insert(words.end(), request.words.begin(), request.words.end());
  if (const auto batch = batch_of_rank(request, ranks)) words.push_back(fmt::format("--batch-size={}", *batch));
  words.insert(words.end(), {"--quiet", "--resume", file});
  return words;
}

std::vector<Plan> plans_of_ranks(const ScaleRequest& request, const PlanContext& context) {
  std::vector<Plan> plans;
  for (const std::size_t ranks : request.ranks) {
    RunOptions options = options_of_ranks(request, ranks);
    options.world_size = ranks;
    Plan plan = make_plan(options, context);
    std::erase_if(plan.idle_exclusions, [&](const std::string& text) { return is_up_to_ranks(text, options); });
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::string misfit_of(const Result& result, const ScaleRequest& request, std::size_t ranks, const std::string& file) {
  if (ranks_of(result) != ranks) {
    return fmt::format("{} has {} ranks instead of {}; remove it, or name another --output", file, ranks_of(result),
                       ranks);
  }
  const RunOptions options = options_of_ranks(request, ranks);
  for (const OptionRow& row : run_options()) {
    if (!is_for_scale(row) || row.name == "quiet") continue;
    const OptionValue there = read_option(result.options, row);
    const OptionValue asked = read_option(options, row);
    if (there == asked) continue;
    return fmt::format("{} was measured with a different --{}; remove it, or name another --output", file, row.name);
  }
  return "";
}

}  // namespace loadline
