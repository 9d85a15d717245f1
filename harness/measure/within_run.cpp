#include "harness/measure/within_run.h"

#include <algorithm>

#include "harness/machine/usage.h"

namespace loadline {

std::optional<Time> end_of(const RunOptions& options, const RunContext& context) {
  return options.time_limit ? std::optional(context.start + time_of(*options.time_limit)) : std::nullopt;
}

bool begin_own_peak(RunContext& context) {
  if (context.rigs != nullptr) return false;
  if (context.peak_rss_bytes != nullptr) {
    *context.peak_rss_bytes = std::max(*context.peak_rss_bytes, usage_now().peak_rss_bytes.value_or(0));
  }
  return reset_peak_rss();
}

GradientSum* gradients_of(const RunContext& context) {
  return context.joint == nullptr ? nullptr : &context.joint->sums();
}

bool stops(const RunContext& context) {
  const bool here = context.stop.stop_requested();
  return context.joint == nullptr ? here : context.joint->agree({.stop = here}).stop;
}

bool word_of_first(const RunContext& context, bool here) {
  return context.joint == nullptr ? here : context.joint->agree({.time_is_up = here}).time_is_up;
}

bool ranks_failed(const RunContext& context) {
  return context.joint != nullptr && context.joint->ranks().failure();
}

TrialOptions trial_options(const RunOptions& options, std::size_t round, const RunContext& context) {
  return {.length =
              options.trial_batches ? Length(Batches{*options.trial_batches}) : Length(time_of(options.trial_seconds)),
          .warm_up_batches = options.warm_up_batches,
          .first_epoch = round + 1,  // the first epoch is a measurement of its own
          .energy = context.energy,
          .counters = context.counters,
          .joint = context.joint};
}

}  // namespace loadline
