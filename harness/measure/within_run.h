// What first epochs, trials and ceilings of a run share: its time limit, its stop, its other ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/measure/apart.h"
#include "harness/measure/joint_trials.h"
#include "harness/measure/observer.h"
#include "harness/measure/trial.h"
#include "harness/result/result.h"
#include "loaders/loader.h"

namespace loadline {

inline Time time_of(double seconds) {
  return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

// When the time limit of the run ends; nullopt: no limit.
std::optional<Time> end_of(const RunOptions& options, const RunContext& context);

// How long one call into a loader that may hang can take before it counts as hanging.
inline constexpr Time kPatience = std::chrono::seconds(2);

// Calls `measure` with a stop token, guarded as the loader's kind of hanging requires (apart.h).
template <typename Measure>
auto measure_safely(const Cell& cell, const std::optional<Time>& end, RunContext& context, const Measure& measure) {
  const std::optional<std::string>& loader = cell.loader ? cell.loader : cell.resident_of;
  if (!loader || context.rigs != nullptr) return measure(context.stop);
  const LoaderKind& kind = loader_named(*loader);
  decltype(measure(context.stop)) measured;
  ApartOptions options{.who = "loader " + kind.name,
                       .stop = context.stop,
                       .overdue = [&] { return end && context.clock.now() >= *end; },
                       .patience = kPatience};
  if (context.give_up) options.give_up = [&](const std::string& why) { context.give_up(cell, why); };
  const auto work = [&](const std::stop_token& stop) { measured = measure(stop); };
  std::string hung = run_guarded(kind.hang, work, options);
  if (context.hung != nullptr && !hung.empty()) *context.hung = std::move(hung);
  return measured;
}

// Restarts the peak memory, so that it counts only what comes next. Keeps the process's peak so far in the context.
// Returns whether the system allows that.
bool begin_own_peak(RunContext& context);

// Measures `own` on this process alone, or together with the other ranks of its run.
template <typename Own>
auto measure_with_others(RunContext& context, const Own& own) -> decltype(own()) {
  if (context.joint == nullptr) return own();
  if constexpr (std::is_same_v<decltype(own()), std::optional<FirstEpoch>>) {
    return context.joint->first_epoch(own);
  } else {
    return context.joint->ceiling(own);
  }
}

// The options of a trial in this round.
TrialOptions trial_options(const RunOptions& options, std::size_t round, const RunContext& context);

inline std::size_t rounds_of(const auto& trials) {
  return trials.empty() ? 0 : trials.back().round + 1;
}

// The sums of gradients over the ranks; null: a single process.
GradientSum* gradients_of(const RunContext& context);

// Whether the run must stop, here or on any other rank.
bool stops(const RunContext& context);

// Rank 0's value of `here`: only its clock counts.
bool word_of_first(const RunContext& context, bool here);

// Whether the run of ranks has failed as a whole; that is not an error of the cell being measured.
bool ranks_failed(const RunContext& context);

}  // namespace loadline
