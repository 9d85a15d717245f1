// What first epochs, trials and ceilings of a run have in common: its end, its stop, its other ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>

#include "harness/measure/apart.h"
#include "harness/measure/observer.h"
#include "harness/measure/together.h"
#include "harness/measure/trial.h"
#include "harness/result/result.h"
#include "loaders/loader.h"

namespace loadline {

inline Time time_of(double seconds) {
  return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

// When the run is to end; nullopt: whenever it does.
std::optional<Time> end_of(const RunOptions& options, const RunContext& context);

// How long a loader that may hang may be in one call of its own before it is taken to hang.
inline constexpr Time kPatience = std::chrono::seconds(2);

// Measures by `measure`, which is given a stop token, as the loader wants it.
template <typename Measure>
auto measure_safely(const Cell& cell, const std::optional<Time>& end, const RunContext& context,
                    const Measure& measure) {
  const LoaderKind* kind = cell.loader && context.rigs == nullptr ? &loader_named(*cell.loader) : nullptr;
  if (kind == nullptr) return measure(context.stop);
  decltype(measure(context.stop)) measured;
  run_guarded(kind->hang, [&](const std::stop_token& stop) { measured = measure(stop); },
              {.who = "loader " + std::string(kind->name),
               .stop = context.stop,
               .overdue = [&] { return end && context.clock.now() >= *end; },
               .patience = kPatience});
  return measured;
}

// From here on the peak is that of what comes next, if the system allows it: returns that. What the process had until
// then is kept.
bool begin_own_peak(RunContext& context);

// What this process measures by itself, or with the other ranks of its run.
template <typename Own>
auto measure_with_others(RunContext& context, const Own& own) -> decltype(own()) {
  if (context.together == nullptr) return own();
  if constexpr (std::is_same_v<decltype(own()), std::optional<FirstEpoch>>) {
    return context.together->first_epoch(own);
  } else {
    return context.together->ceiling(own);
  }
}

// What a trial of this round does.
TrialOptions trial_options(const RunOptions& options, std::size_t round, const RunContext& context);

inline std::size_t rounds_of(const auto& trials) {
  return trials.empty() ? 0 : trials.back().round + 1;
}

// The sums of gradients over the ranks; null: this process is alone.
GradientSum* gradients_of(const RunContext& context);

// Whether the run is to stop, here or on any other rank.
bool stops(const RunContext& context);

// The word of rank 0, whose clock it is that counts.
bool word_of_first(const RunContext& context, bool here);

// A run of ranks that has failed as a whole is no matter of the cell that was measured.
bool ranks_failed(const RunContext& context);

}  // namespace loadline
