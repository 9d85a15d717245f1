#include "harness/judge/verdict_unclear.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/judge/verdict_advice.h"
#include "harness/judge/verdict_words.h"
#include "loaders/error.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

struct ModeTrials {
  std::string_view name;
  std::size_t trials;
  Ending ending;
};

std::array<ModeTrials, 3> modes_of(const Evidence& evidence) {
  const std::size_t loading = evidence.fill.empty() ? evidence.io.size() : evidence.fill.size();
  return {ModeTrials{"IO", loading, evidence.io_ending},
          ModeTrials{"SYNTHETIC", evidence.synthetic.size(), evidence.synthetic_ending},
          ModeTrials{"FULL", evidence.full.size(), evidence.full_ending}};
}

std::vector<std::string> modes_with(const Evidence& evidence, std::size_t trials,
                                    std::optional<Ending> ending = std::nullopt) {
  std::vector<std::string> names;
  for (const ModeTrials& mode : modes_of(evidence)) {
    if (mode.trials == trials && mode.ending == ending.value_or(mode.ending)) names.emplace_back(mode.name);
  }
  return names;
}

std::string_view how_to_go_on(const Evidence& evidence) {
  if (evidence.resumable) return "--resume continues it";
  // A loop that failed, and not one that was too short.
  const bool failed =
      std::ranges::any_of(modes_of(evidence), [](const auto& m) { return m.ending == Ending::kFailed; });
  return evidence.own_loop && !failed ? "it needs more epochs, or fewer or shorter trials" : "run it again";
}

std::string_view looks_like(Bound bound) {
  switch (bound) {
    case Bound::kCompute: return "; it looks bound by compute";
    case Bound::kLoader: return "; it looks bound by loading";
    case Bound::kBalanced: return "; it looks balanced";
    case Bound::kInterference: return "; it looks bound by interference";
    case Bound::kHarness: return "; its step looks too short for this harness";
    case Bound::kUnclear:
    case Bound::kIncomplete: break;
  }
  return "";
}

// " What is known: device waits 10.0 ± 1.2 % of the time."; empty if that is not known well enough.
std::string known_stall(const Evidence& evidence, const Verdict& verdict) {
  if (!verdict.stall || !telling_share(*verdict.stall)) return "";
  return fmt::format(" What is known: {} {}{}.", evidence.compute, waits_words(*verdict.stall),
                     hardly_waits(verdict) ? ", so " + gain_words(*verdict.stall) : "");
}

std::string one_trial_sentence(const Evidence& evidence, const Figures& figures) {
  std::string advice = ": use --trials 5";
  if (!modes_with(evidence, 1, Ending::kFailed).empty()) {
    advice = ". The next one failed; fix the cause and run again";
  } else if (!modes_with(evidence, 1, Ending::kStopped).empty()) {
    advice = fmt::format(". {}; {}", evidence.own_loop ? "The measurement ended early" : "The run ended early",
                         how_to_go_on(evidence));
  }
  return fmt::format("One trial of {} cannot tell what limits this{}{}.{}", listed(modes_with(evidence, 1)),
                     looks_like(classify(at_values(figures)).bound), advice, known_stall(evidence, figures.verdict));
}

std::string contradiction_sentence(const Figures& figures) {
  const Verdict& verdict = figures.verdict;
  const bool by_compute = verdict.accelerator_utilisation->ci95->low > 1 + kNoticeable;
  const Estimate& beaten = by_compute ? *verdict.accelerator_utilisation : *figures.full_of_fill;
  return fmt::format(
      "The trials contradict each other: FULL gave {} times {}, which it cannot beat, so conditions changed between "
      "them (page cache, clock frequency, another process); check what else ran and measure again.",
      telling_factor(beaten) ? factor(beaten) : fmt::format("at least {}", factor_at_least(beaten.ci95->low)),
      by_compute ? "the throughput of SYNTHETIC alone" : "the rate of the loader by itself");
}

std::string noisy_stall_sentence(const Evidence& evidence, const Verdict& verdict) {
  const std::string advice = more_trials(evidence, {evidence.synthetic, evidence.full});
  if (!telling_share(*verdict.stall)) {
    return fmt::format("Too noisy to say whether {} waits for data: {}.", evidence.compute, advice);
  }
  if (verdict.stall->value < 0) {
    return fmt::format("Too noisy to say whether {} waits for data (stall {}): {}.", evidence.compute,
                       stall_text(*verdict.stall), advice);
  }
  return fmt::format("Too noisy to say: {} {}, which may be negligible or worth removing; {}.", evidence.compute,
                     waits_words(*verdict.stall), advice);
}

std::string open_supply_sentence(const Evidence& evidence, const Figures& figures, Doubt doubt) {
  const Verdict& verdict = figures.verdict;
  const bool waiting = waits(verdict);
  std::string known = fmt::format("{} {}{}", evidence.compute, waits_words(*verdict.stall),
                                  waiting ? "" : ", so " + gain_words(*verdict.stall));
  const std::string_view question = waiting ? "whether it is fast enough" : "whether a faster compute would wait";
  const std::string supply = supply_words(figures, SupplyEnd::kLow, "the compute");
  if (doubt == Doubt::kFill && supply.empty()) {
    return fmt::format("Too noisy to say: {}, but IO and FULL with {} vary too much to tell {}; {}.", known,
                       loader_words(evidence), question, more_trials_of_all(evidence));
  }
  const std::string_view open = waiting ? "which may or may not be enough" : "so a faster compute may or may not wait";
  if (doubt == Doubt::kFill) {
    return fmt::format(
        "Not known: {}, but how fast {} is by itself was not measured (cold trials and older versions lack it): it is "
        "{}, {}.",
        known, loader_words(evidence), supply, open);
  }
  if (supply.empty()) {
    return fmt::format("Too noisy to say: {}, but the rate of {} by itself is too noisy to tell {}; {}.", known,
                       loader_words(evidence), question, more_trials_of_all(evidence));
  }
  return fmt::format("Too noisy to say: {}, but {} by itself is {}, {}; {}.", known, loader_words(evidence), supply,
                     open, more_trials_of_all(evidence));
}

std::string noisy_overlap_sentence(const Evidence& evidence, const Figures& figures) {
  const auto& reached = figures.verdict.of_bound;
  const std::string together =
      reached && telling_factor(*reached)
          ? fmt::format(" (together they reach {} times the slower of the two)", factor(*reached))
          : "";
  return fmt::format("Too noisy to say: {} {}, and {} {}; the two may disturb each other or be equally fast{}; {}.",
                     evidence.compute, waits_words(*figures.verdict.stall), loader_words(evidence),
                     alone_words(figures, SupplyEnd::kLow), together, more_trials_of_all(evidence));
}

// What has no trials, why, and what to do about it.
std::string missing_sentences(const Evidence& evidence) {
  std::vector<std::string> sentences;
  if (const auto failed = modes_with(evidence, 0, Ending::kFailed); !failed.empty()) {
    sentences.push_back(fmt::format("{} failed; fix the cause and run again.", listed(failed)));
  }
  if (const auto stopped = modes_with(evidence, 0, Ending::kStopped); !stopped.empty()) {
    sentences.push_back(fmt::format("{} {} not measured before {}; {}.", listed(stopped), was(stopped.size()),
                                    evidence.own_loop ? "the measurement ended" : "the run ended",
                                    how_to_go_on(evidence)));
  }
  if (const auto absent = modes_with(evidence, 0, Ending::kAsked); !absent.empty()) {
    sentences.push_back(
        fmt::format("{} {} not measured; {}.", listed(absent), was(absent.size()),
                    evidence.needs_compute ? "name your step with --compute" : "run with --mode io,synthetic,full"));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace

std::string unclear_sentence(const Evidence& evidence, const Figures& figures, Doubt doubt) {
  switch (doubt) {
    case Doubt::kOneTrial: return one_trial_sentence(evidence, figures);
    case Doubt::kHarness:
      return fmt::format(
          "Too noisy to say whether a FULL step of {} is long enough: the harness's own cost blurs the figures of "
          "shorter steps. Raise --batch-size or use more --trials.",
          plural(evidence.batch_size, "sample"));
    case Doubt::kContradiction: return contradiction_sentence(figures);
    case Doubt::kBatches:
      return fmt::format(
          "Cannot say what limits this: batches had {:.3g} samples on average in FULL and {:.3g} in SYNTHETIC, so "
          "their steps cannot be compared. Let the loader deliver batches of one size; loadline's own do with "
          "--drop-last.",
          evidence.full_batch, evidence.synthetic_batch);
    case Doubt::kStall: return noisy_stall_sentence(evidence, figures.verdict);
    case Doubt::kSupply:
    case Doubt::kFill: return open_supply_sentence(evidence, figures, doubt);
    case Doubt::kOverlap: return noisy_overlap_sentence(evidence, figures);
    case Doubt::kNone: break;
  }
  throw Error("verdict: unclear without a doubt");
}

std::string incomplete_sentence(const Evidence& evidence, const Figures& figures) {
  const Verdict& verdict = figures.verdict;
  std::string known = known_stall(evidence, verdict);
  if (verdict.supply && telling_factor(*verdict.supply)) {
    known += fmt::format(" What is known: {} {}.", loader_words(evidence),
                         alone_words(figures, SupplyEnd::kLow, evidence.compute));
  }
  return fmt::format("Cannot say what limits this: {}{}", missing_sentences(evidence), known);
}

}  // namespace loadline
